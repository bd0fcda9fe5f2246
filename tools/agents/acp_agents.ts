import { AgentName } from '../../hub/protocol/outside_agent.js';
import { acpTransport } from './acp_conversation.js';
import type { AgentCli } from './agent_cli.js';
import { faultAtEnd, type NamedCli } from './fault.js';

/** A CLI that speaks the Agent Client Protocol: all that differs from one to the other. */
type AcpCli = NamedCli &
  Pick<AgentCli, 'login' | 'loginFiles' | 'models'> & { words: readonly string[] } & {
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

function agentOf({ words, home, modelOption, ...cli }: AcpCli): AgentCli {
  return {
    ...cli,
    abilities: ['live', 'ask'],
    home: home ?? (() => ({ files: {}, environment: {} })),
    transports: [acpTransport(cli, { words, modelOption: modelOption ?? null })],
    fault: (end) => faultAtEnd(cli, end),
  };
}

function geminiHome(): ReturnType<AgentCli['home']> {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    // With retention on it deletes sessions that are resumed later.
    general: { maxAttempts: 3, sessionRetention: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
  };
  return {
    files: { '.gemini/settings.json': `${JSON.stringify(settings, null, 2)}\n` },
    environment: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' },
  };
}

function opencodeHome({ level }: Parameters<AgentCli['home']>[0]): ReturnType<AgentCli['home']> {
  // What lies outside of the project would be refused without a question; the sandbox decides that.
  const permission = level === 'ask' ? 'ask' : 'allow';
  const config = {
    permission: { edit: permission, bash: permission, webfetch: permission, external_directory: 'allow' },
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
