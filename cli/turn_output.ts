import { callText } from '../hub/call_text.js';
import type { AgentEvent, TurnOutcome } from '../hub/protocol/turn.js';
import { answerWords } from './answer_words.js';
import type { Context } from './context.js';
import { cleanLine } from './render/clean.js';

const LINE_LENGTH_MAX = 200;

/** Shows what happens in a turn. */
export interface TurnOutput {
  take(event: AgentEvent): Promise<void>;
  /** Shows what is left to show. */
  end(outcome: TurnOutcome | null): Promise<void>;
  /** Nobody waits for the reader any more. */
  hurry(): void;
}

/** Each event as one line of JSON. */
export function jsonLines(context: Context): TurnOutput {
  return {
    take: (event) => context.out.write(`${JSON.stringify(event)}\n`),
    end: async () => undefined,
    hurry: () => undefined,
  };
}

/** The outcome as JSON, and nothing else. */
export function jsonOutcome(context: Context): TurnOutput {
  return {
    take: async () => undefined,
    end: async (outcome) => {
      if (outcome !== null) await context.printJson(outcome);
    },
    hurry: () => undefined,
  };
}

/** The answer on stdout, all else on stderr. */
export function textOutput(context: Context): TurnOutput {
  const words = answerWords(context);

  async function take(event: AgentEvent): Promise<void> {
    const line = lineFor(event);
    if (line !== null && event.kind !== 'answer_restarted') await words.setAside();
    switch (event.kind) {
      case 'turn_snapshot':
        await words.standAt(textOf(event.step?.blocks ?? []));
        break;
      case 'text_added':
        await words.add(event.text);
        break;
      case 'answer_restarted':
        await words.forget();
        break;
      case 'call_announced':
      case 'input_taken':
        await words.setAside();
    }
    if (line !== null) context.note(line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line);
  }

  return { take, end: words.end, hurry: words.hurry };
}

/** What is told of an event on a line of its own; null for nothing. */
function lineFor(event: AgentEvent): string | null {
  switch (event.kind) {
    case 'call_started':
      return cleanLine(`[${event.tool}] ${callText(event.input)}`);
    case 'call_ended':
      return event.failed ? `  ${cleanLine(lastLine(event.blocks))}` : null;
    case 'request_failed':
      if (event.retry_in_ms === null) return null;
      return cleanLine(`(${event.message}; again in ${Math.ceil(event.retry_in_ms / 1_000)} s)`);
    case 'answer_restarted':
      return '(the answer starts again)';
    default:
      return null;
  }
}

type Blocks = Extract<AgentEvent, { kind: 'call_ended' }>['blocks'];

function textOf(blocks: Blocks): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

function lastLine(blocks: Blocks): string {
  const last = blocks.findLast((block) => block.type === 'text');
  return last?.type === 'text' ? (last.text.trim().split('\n').at(-1) ?? '') : '';
}
