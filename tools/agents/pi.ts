import { AgentId, AgentName } from '../../hub/protocol/outside_agent.js';
import type { AgentCli } from './agent_cli.js';
import { faultAtEnd, type NamedCli } from './fault.js';
import { seedPi } from './history/pi_seed.js';
import { piConversation } from './pi_conversation.js';

const NAMED = {
  name: AgentName.parse('pi'),
  executable: 'pi',
  install: 'npm install -g @mariozechner/pi-coding-agent',
  variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
} as const satisfies NamedCli;

/** pi: commands and events in lines of JSON, one process for a session. It asks nothing. */
export const pi: AgentCli = {
  ...NAMED,
  login: [],
  loginFiles: ['.pi/agent/auth.json'],
  models: [/^pi\//],
  abilities: ['live', 'seed', 'steer'],
  home: () => ({ files: {}, environment: { PI_SKIP_VERSION_CHECK: '1' } }),
  transport: {
    arguments: ({ model, instructions, opening }) => [
      ...['--mode', 'rpc'],
      ...(model === null ? [] : ['--model', model.replace(/^pi\//, '')]),
      ...(instructions === null ? [] : ['--append-system-prompt', instructions]),
      ...(opening.kind === 'resume' ? ['--session', opening.session] : []),
    ],
    converse: (wire, start) => piConversation(NAMED, wire, start),
  },
  fault: (end) => faultAtEnd(NAMED, end),
  seed(history, place) {
    const { session, names, text } = seedPi(history, place);
    const path = ['.pi/agent/sessions', ...names].join('/');
    return { kind: 'session', session: AgentId.parse(session), files: { [path]: text } };
  },
};
