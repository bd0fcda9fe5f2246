import { spawn } from 'node:child_process';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { wholeEnvironment } from '../../hub/config/config.js';
import { command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { columns } from '../render/text/columns.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { agentEnvironment, findAgent, type InstalledAgent, listAgents } from '../turn/outside_agent.js';

export const agentsCommand = command({
  name: 'agents',
  summary: 'List the agents of others that can work here, or log one in.',
  details:
    'Programs such as Claude Code and Codex answer in your conversations with `cognition work`. Each has a home of its own in the folder of cognition, and nothing of yours: it is logged in by a key in the environment, or once by `agents login`, which runs its own login there. No key and no token is copied.',
  arguments: [
    { name: 'action', required: false, description: '`login`; without it they are listed', completes: null },
    { name: 'agent', required: false, description: 'the one to log in', completes: null },
  ],
  examples: [
    { line: 'cognition agents', does: 'lists which are installed, how they are logged in, and what runs' },
    { line: 'cognition agents login claude', does: 'logs Claude Code in' },
  ],
  async run(input, context) {
    const [action, agent] = [input.argument('action'), input.argument('agent')];
    if (action === undefined) return list(context);
    if (action === 'login' && agent !== undefined) return logIn(context, agent);
    throw new HubError('invalid_params', `agents knows login, and not ${JSON.stringify(action)}`, {
      hint: [cliCommand('agents', 'login', '<agent>'), ', or ', cliCommand('agents'), ' to list them'],
    });
  },
});

async function list(context: Context): Promise<number> {
  const listed = await listAgents(await context.client());
  if (context.json) {
    await context.printJson(listed);
    return EXIT.ok;
  }
  const look = await context.look([]);
  const lines = columns(listed.agents.map(rowOf), look);
  const running = listed.running.map(({ agent, tree }) => `${agent} works in ${shortId(tree)}`);
  if (listed.agents.some(({ program }) => program !== null)) context.note(NETWORK);
  for (const warning of listed.warnings) context.note(cleanLine(warning));
  await context.out.write([...lines, ...running].map((line) => `${cleanLine(line)}\n`).join(''));
  return EXIT.ok;
}

/** What no level and no option changes. */
const NETWORK =
  'An agent has to reach its model, and the commands that it runs share its network: they reach the internet also where you grant none.';

function rowOf({ name, program, version, login, variables, abilities, install }: InstalledAgent): string[] {
  if (program === null) return [name, 'not installed', install];
  const logins = {
    variable: 'key in the environment',
    own: 'logged in',
    unknown: `no login: set ${variables[0] ?? 'its key'}, or cognition agents login ${name}`,
  };
  return [name, version ?? 'unknown version', `${logins[login]}; ${abilities.join(', ')}`];
}

async function logIn(context: Context, name: string): Promise<number> {
  const client = await context.client();
  const agent = await findAgent(client, name);
  const plan = await client.call('outside.login_command', { agent: agent.name, environment: agentEnvironment(agent) });
  context.note(`Running: ${cleanLine([plan.program, ...plan.arguments].join(' '))}`);
  return runOnTerminal(plan);
}

/** Runs a program on the person's own terminal; resolves to its exit code. */
function runOnTerminal(plan: {
  program: string;
  arguments: string[];
  environment: Record<string, string>;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { ...wholeEnvironment(), ...plan.environment };
    const child = spawn(plan.program, plan.arguments, { env, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? EXIT.failure));
  });
}
