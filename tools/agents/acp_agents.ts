import { AgentId, AgentName } from '../../hub/protocol/outside_agent.js';
import { acpTransport } from './acp_conversation.js';
import type { AgentCli, Seeding } from './agent_cli.js';
import { faultAtEnd, type NamedCli } from './fault.js';
import { geminiFolder, seedGeminiLines } from './history/gemini_seed.js';
import { seedOpencode } from './history/opencode_seed.js';
import type { PastTurn, SeedPlace } from './history/past_turn.js';

/** A CLI that speaks the Agent Client Protocol: all that differs from one to the other. */
type AcpCli = NamedCli &
  Pick<AgentCli, 'login' | 'loginFiles' | 'models' | 'seed' | 'resumesAfterMs'> & { words: readonly string[] } & {
    home?: AgentCli['home'];
    /** Where it has an option for it; else it is chosen in the session. */
    modelOption?: string;
  };

const ACP_CLIS: readonly AcpCli[] = [
  {
    name: AgentName.parse('gemini'),
    executable: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    // Google lets no other program use the login of a person.
    ...{ login: [], loginFiles: [], variables: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL'] },
    models: [/^gemini-/],
    words: ['--acp'],
    modelOption: '--model',
    home: geminiHome,
    // Within the minute in which it was made it writes over a session that it opens.
    resumesAfterMs: 60_000,
    seed: geminiSession,
  },
  {
    name: AgentName.parse('opencode'),
    executable: 'opencode',
    install: 'npm install -g opencode-ai',
    login: ['auth', 'login'],
    loginFiles: ['.local/share/opencode/auth.json'],
    variables: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'],
    models: [/^opencode\//],
    words: ['acp'],
    home: opencodeHome,
    seed: opencodeSession,
  },
  {
    name: AgentName.parse('copilot'),
    executable: 'copilot',
    install: 'npm install -g @github/copilot',
    ...{ login: ['login'], loginFiles: [], variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN'], models: [] },
    words: ['--acp'],
    modelOption: '--model',
  },
  {
    name: AgentName.parse('kimi'),
    executable: 'kimi',
    install: 'uv tool install kimi-cli',
    ...{ login: ['login'], loginFiles: [], variables: ['KIMI_API_KEY'], models: [/^kimi-/], words: ['acp'] },
  },
];

/** The agents that speak the protocol; another one is an entry of the table. */
export const acpAgents: readonly AgentCli[] = ACP_CLIS.map(agentOf);

/** An agent that speaks the protocol, from what differs. */
export function agentOf({ words, home, modelOption, ...cli }: AcpCli): AgentCli {
  return {
    ...cli,
    abilities: cli.seed === undefined ? ['live', 'ask'] : ['live', 'seed', 'ask', 'tools'],
    home: home ?? (() => ({ files: {}, environment: {} })),
    transport: acpTransport(cli, { words, modelOption: modelOption ?? null }),
    fault: (end) => faultAtEnd(cli, end),
  };
}

function geminiSession(history: readonly PastTurn[], place: SeedPlace): Seeding {
  const { session, names, text } = seedGeminiLines(history, place);
  return { kind: 'session', session: AgentId.parse(session), files: { [names.join('/')]: text } };
}

/** It reads no foreign file: its own command takes one in. */
function opencodeSession(history: readonly PastTurn[], place: SeedPlace): Seeding {
  const { session, text } = seedOpencode(history, place);
  const name = `${session}.json`;
  return {
    ...{ kind: 'session', session: AgentId.parse(session), files: { [name]: text } },
    takeIn: (home) => ['import', `${home}/${name}`],
  };
}

function geminiHome({ cwd, tools }: Parameters<AgentCli['home']>[0]): ReturnType<AgentCli['home']> {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    // With retention on it deletes sessions that are resumed later.
    general: { maxAttempts: 3, sessionRetention: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    ...(tools === null || tools.includes('bash') ? {} : { tools: { exclude: ['run_shell_command'] } }),
  };
  return {
    files: {
      '.gemini/settings.json': `${JSON.stringify(settings, null, 2)}\n`,
      [`${geminiFolder(cwd)}/.project_root`]: cwd,
    },
    environment: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' },
  };
}

function opencodeHome({ level, tools }: Parameters<AgentCli['home']>[0]): ReturnType<AgentCli['home']> {
  // What lies outside of the project would be refused without a question; the sandbox decides that.
  const permission = level === 'ask' ? 'ask' : 'allow';
  const config = {
    permission: {
      edit: permission,
      bash: tools === null || tools.includes('bash') ? permission : 'deny',
      webfetch: permission,
      external_directory: 'allow',
    },
  };
  return {
    files: {},
    environment: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      // One in any folder above would hold.
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    },
  };
}
