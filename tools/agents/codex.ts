import * as z from 'zod';
import { AgentId, AgentName, type Fault } from '../../hub/protocol/outside_agent.js';
import type { AgentCli, AgentDialogue, AgentStart, Transport, Wire } from './agent_cli.js';
import { codexServer } from './codex_server.js';
import { faultAtEnd, faultOf, faultOfRequest, type NamedCli } from './fault.js';
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
  transports: [codexServer(CODEX, configuration), oneShot()],
  fault: (end) => faultAtEnd(CODEX, end),
};

/** Options on its command line, so that a file that its login has written stays as it is. */
function configuration({ instructions }: Pick<AgentStart, 'instructions'>): string[] {
  const said = instructions === null ? [] : ['-c', `developer_instructions=${JSON.stringify(instructions)}`];
  // Without the internet its analytics would hold up every run for seconds.
  return ['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false', ...said];
}

function oneShot(): Transport {
  return {
    isLive: false,
    arguments(start) {
      const { opening, model, task } = start;
      const session = opening.kind === 'resume' || opening.kind === 'fork' ? opening.session : null;
      const words = session === null ? [] : [opening.kind, session];
      const chosen = model === null ? [] : ['-m', model];
      const options = [
        '--json',
        '--skip-git-repo-check',
        '-s',
        'danger-full-access',
        ...chosen,
        ...configuration(start),
      ];
      return ['exec', ...options, ...words, '--', task];
    },
    converse,
  };
}

const Item = z.object({
  ...{ id: z.string(), type: z.string(), text: z.string().optional(), message: z.string().optional() },
  ...{ command: z.string().optional(), aggregated_output: z.string().optional(), exit_code: z.number().nullish() },
});
const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: AgentId }),
  z.object({ type: z.literal('item.started'), item: Item }),
  z.object({ type: z.literal('item.completed'), item: Item }),
  z.object({ type: z.literal('turn.completed') }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
]);
type Line = z.infer<typeof Line>;

/** The lines of `codex exec`, which listens to nothing. */
function converse(wire: Wire, start: AgentStart): AgentDialogue {
  const expected = start.opening.kind === 'resume' ? start.opening.session : null;
  let session: AgentId | null = null;
  let text = '';

  function end(found: Fault | null): void {
    const isOther = expected !== null && session !== expected;
    const fault = found ?? (isOther ? faultOf(CODEX, 'session_switched', '') : null);
    const empty = fault === null && text === '' ? faultOf(CODEX, 'empty', '') : null;
    // It tells no ids of its turns.
    wire.emit({ kind: 'ended', session, at: null, text, fault: fault ?? empty });
  }

  function takeItem({ type, item }: Extract<Line, { item: unknown }>): void {
    const { id: call } = item;
    if (item.type === 'error') wire.emit({ kind: 'noted', text: item.message ?? '' });
    if (item.type === 'agent_message' && type === 'item.completed') {
      text = item.text ?? '';
      wire.emit({ kind: 'text', text });
    }
    if (item.type !== 'command_execution') return;
    if (type === 'item.started') {
      wire.emit({ kind: 'call_started', call, tool: 'shell', input: { command: item.command ?? '' } });
    } else {
      const failed = (item.exit_code ?? 0) !== 0;
      wire.emit({ kind: 'call_ended', call, text: item.aggregated_output ?? '', failed });
    }
  }

  return {
    take(message) {
      const line = Line.safeParse(message);
      if (!line.success) return;
      switch (line.data.type) {
        case 'thread.started':
          session = line.data.thread_id;
          wire.emit({ kind: 'opened', session, model: null });
          break;
        case 'turn.completed':
          end(null);
          break;
        case 'turn.failed':
          end(faultOfRequest(CODEX, null, line.data.error.message));
          break;
        case 'item.started':
        case 'item.completed':
          takeItem(line.data);
      }
    },
    say: () => undefined,
    answer: () => undefined,
    cancel: () => undefined,
  };
}
