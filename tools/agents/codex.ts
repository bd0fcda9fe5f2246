import { AgentName } from '../../hub/protocol/outside_agent.js';
import type { AgentCli, AgentStart } from './agent_cli.js';
import { codexServer } from './codex_server.js';
import { faultAtEnd, type NamedCli } from './fault.js';
import { seedCodex } from './history/codex_seed.js';

const CODEX = {
  name: AgentName.parse('codex'),
  executable: 'codex',
  install: 'npm install -g @openai/codex',
  // It sends no key that stands in OPENAI_API_KEY alone.
  variables: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
} as const satisfies NamedCli;

/** Codex: its app server speaks JSON-RPC, and asks where its policy of approvals says so. */
export const codex: AgentCli = {
  ...CODEX,
  login: ['login'],
  loginFiles: ['.codex/auth.json'],
  models: [/^gpt-/, /^o\d/, /^codex-/],
  abilities: ['live', 'fork', 'fork_at', 'seed', 'ask', 'steer'],
  home: () => ({ files: {}, environment: {} }),
  seed: (history, place) => ({ kind: 'items', items: seedCodex(history, place) }),
  transport: codexServer(CODEX, configuration),
  fault: (end) => faultAtEnd(CODEX, end),
};

/** Options on its command line, so that a file that its login has written stays as it is. */
function configuration({ instructions }: Pick<AgentStart, 'instructions'>): string[] {
  const said = instructions === null ? [] : ['-c', `developer_instructions=${JSON.stringify(instructions)}`];
  // Without the internet its analytics would hold up every run for seconds.
  return ['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false', ...said];
}
