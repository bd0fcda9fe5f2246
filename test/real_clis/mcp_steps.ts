import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentWorld } from './agent_world.js';
import type { Step } from './conversation_steps.js';
import { opencodeConfig } from './real_programs.js';

const COGNITION = fileURLToPath(new URL('../../dist/cognition.cjs', import.meta.url));
const RUN_MS_MAX = 120_000;

/** The agent as a client of `cognition mcp`: its model calls our tools, and hears what they answer. */
export const CLIENT_STEPS: readonly Step[] = [
  [
    'calls work_with of cognition mcp',
    (world) => callTool(world, 'work_with {"agent":"demo","task":"demo: say It is built."}', 'It is built.'),
  ],
  [
    'calls consult_with of cognition mcp',
    (world) =>
      callTool(world, 'consult_with {"model":"demo","question":"demo: say It looks right."}', 'It looks right.'),
  ],
];

async function callTool(world: AgentWorld, call: string, answer: string): Promise<void> {
  const home = join(dirname(world.home), 'client');
  const { words, files, environment } = clientOf(world, `Use it: [[call:${call}]]`);
  for (const [name, text] of Object.entries({ ...world.program.files(world.models.origin), ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const env = { ...world.environment, ...environment, HOME: home, IS_SANDBOX: '1', NO_COLOR: '1' };
  const printed = await run(join(world.bin, world.program.name), words, { cwd: world.project, env });
  const heard = world.models.requests.some(({ turns }) =>
    turns.some(({ results }) => results.some((result) => result.includes(answer))),
  );
  assert.ok(heard, `its model was not told ${answer}; it printed: ${printed.slice(-1_000)}`);
}

interface McpClient {
  words: string[];
  /** Below its home. */
  files: Record<string, string>;
  environment: Record<string, string>;
}

function clientOf({ program, home, models }: AgentWorld, task: string): McpClient {
  const server = { command: process.execPath, args: [COGNITION, 'mcp'], env: { COGNITION_HOME: home } };
  switch (program.name) {
    case 'claude': {
      const config = JSON.stringify({ mcpServers: { cognition: server } });
      const tools = 'mcp__cognition__work_with,mcp__cognition__consult_with';
      const words = [
        '-p',
        '--mcp-config',
        config,
        '--strict-mcp-config',
        '--allowedTools',
        tools,
        '--model',
        program.model,
      ];
      return {
        words: [...words, '--', task],
        files: {},
        environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      };
    }
    case 'codex': {
      const words = ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', '-m', program.model, '--', task];
      const base = program.files(models.origin)['.codex/config.toml'] ?? '';
      return { words, files: { '.codex/config.toml': base + codexServer(server) }, environment: {} };
    }
    case 'gemini': {
      const settings = {
        ...{ security: { auth: { selectedType: 'gemini-api-key' } }, privacy: { usageStatisticsEnabled: false } },
        ...{ general: { maxAttempts: 1 }, mcpServers: { cognition: { ...server, trust: true } } },
      };
      const files = { '.gemini/settings.json': JSON.stringify(settings) };
      const environment = { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' };
      return { words: ['-m', program.model, '--approval-mode', 'yolo', '-p', task], files, environment };
    }
    default: {
      const mcp = {
        cognition: { type: 'local', command: [server.command, ...server.args], enabled: true, environment: server.env },
      };
      const config = { ...JSON.parse(opencodeConfig(models.origin)), mcp, permission: 'allow' };
      return {
        words: ['run', '--model', program.model, '--title', 'title', task],
        files: { '.config/opencode/opencode.json': JSON.stringify(config) },
        environment: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
      };
    }
  }
}

function codexServer({ command, args, env }: { command: string; args: string[]; env: Record<string, string> }): string {
  return [
    ...['[analytics]', 'enabled = false', '[mcp_servers.cognition]'],
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    `env = { COGNITION_HOME = ${JSON.stringify(env.COGNITION_HOME)} }`,
    ...['tool_timeout_sec = 3600', 'required = true', 'default_tools_approval_mode = "approve"', ''],
  ].join('\n');
}

function run(
  program: string,
  words: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    // They wait for the end of their input otherwise; each leads a group, so that all of it can be ended.
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let printed = '';
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), RUN_MS_MAX);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (printed += String(bytes)));
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      resolve(printed);
    });
  });
}
