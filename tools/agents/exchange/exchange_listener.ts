import type { CallContext } from '../../../hub/base/plugin.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { AgentId, AgentName, ExchangeEvent } from '../../../hub/protocol/outside_agent.js';
import type { Decision } from '../agent_cli.js';
import type { RunText } from './run_text.js';
import type { Speaker } from './speaker.js';

/** An exchange under way, for those who speak to it. */
export interface RunningExchange {
  id: NodeId;
  agent: AgentName;
  tree: TreeId;
  startedAtMs: number;
  session(): AgentId | null;
  say(text: string): boolean;
  answer(question: string, decision: Decision): boolean;
}

/** Hears an exchange, and lets others speak to it. */
export interface ExchangeListener {
  onEvent(event: ExchangeEvent): void;
  onSpeaker(speaker: Speaker): void;
  running: Pick<RunningExchange, 'session' | 'say' | 'answer'>;
}

/** A person is asked for permission only at level `ask`: otherwise the sandbox is what keeps an agent from doing more. */
export function createListener(
  context: CallContext,
  { run, asksPerson }: { run: RunText; asksPerson: boolean },
): ExchangeListener {
  const pending = new Set<string>();
  const tell = eventsTo(context, run);
  let speaker: Speaker | null = null;
  return {
    onSpeaker(found) {
      speaker = found;
    },
    onEvent(event) {
      if (event.kind === 'asked' && event.isPermission && !asksPerson) {
        speaker?.answer(event.question, { kind: 'allow' });
        return;
      }
      if (event.kind === 'asked') pending.add(event.question);
      tell(event);
    },
    running: {
      session: () => speaker?.session() ?? null,
      say(text) {
        speaker?.say(text);
        return speaker !== null;
      },
      answer(question, decision) {
        if (!pending.delete(question)) return false;
        speaker?.answer(question, decision);
        return true;
      },
    },
  };
}

/** Tells the caller what happens, and keeps it; text waits while the caller is behind with reading. */
function eventsTo(context: CallContext, run: RunText): (event: ExchangeEvent) => void {
  let held = '';
  let isFull = false;
  return (event) => {
    const isKept = run.add(event);
    if (!isKept && isFull) return;
    if (!isKept) {
      isFull = true;
      context.emit({ kind: 'noted', text: 'it says more than is kept of it' });
      return;
    }
    if (event.kind === 'text') {
      held += event.text;
      if (!context.hasRoom()) return;
    }
    if (held !== '') context.emit({ kind: 'text', text: held });
    held = '';
    if (event.kind !== 'text') context.emit(event);
  };
}
