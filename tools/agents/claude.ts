import { AgentId, AgentName } from '../../hub/protocol/outside_agent.js';
import type { AgentCli, AgentStart, Transport } from './agent_cli.js';
import { claudeConversation } from './claude_conversation.js';
import { faultAtEnd, type NamedCli } from './fault.js';
import { seedClaude } from './history/claude_seed.js';

const NAMED = {
  name: AgentName.parse('claude'),
  executable: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  variables: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
} as const satisfies NamedCli;

/** Claude Code: one process speaks lines of JSON both ways and asks before each call. */
export const claude: AgentCli = {
  ...NAMED,
  login: ['auth', 'login'],
  loginFiles: ['.claude/.credentials.json'],
  models: [/^claude-/, /^(opus|sonnet|haiku)$/],
  abilities: ['live', 'fork', 'fork_at', 'seed', 'ask', 'steer', 'tools'],
  home: () => ({ files: {}, environment: ENVIRONMENT }),
  transport: duplex(),
  seed(history, place) {
    const { session, names, text } = seedClaude(history, place);
    const path = ['.claude', 'projects', ...names].join('/');
    return { kind: 'session', session: AgentId.parse(session), files: { [path]: text } };
  },
  fault: (end) => faultAtEnd(NAMED, end),
};

const ENVIRONMENT = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // Agents in the background would print results after the end of the exchange.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_MAX_RETRIES: '4',
  IS_SANDBOX: '1',
};

function duplex(): Transport {
  const speech = ['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'];
  return {
    arguments: (start) => ['-p', ...speech, ...usualArguments(start)],
    converse: (wire, start) => claudeConversation(NAMED, wire, start),
  };
}

function usualArguments({ opening, model, instructions, turnsMax, tools }: AgentStart): string[] {
  return [
    ...['--output-format', 'stream-json', '--verbose', '--include-partial-messages', '--max-turns', String(turnsMax)],
    ...(model === null ? [] : ['--model', model]),
    ...(instructions === null ? [] : ['--append-system-prompt', instructions]),
    ...(tools === null || tools.includes('bash') ? [] : ['--disallowedTools', 'Bash']),
    ...(opening.kind === 'resume' || opening.kind === 'fork' ? ['--resume', opening.session] : []),
    ...(opening.kind === 'fork' ? ['--fork-session'] : []),
    ...(opening.kind === 'fork' && opening.at !== null ? ['--resume-session-at', opening.at] : []),
  ];
}
