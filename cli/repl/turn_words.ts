import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import { renderQuestion } from '../render/questions.js';
import { endWords } from '../turn_running.js';
import type { Happening } from './front.js';

/** What is said of an event beside the conversation itself; null for nothing. */
export function noteOf(event: AgentEvent): string | null {
  switch (event.kind) {
    case 'request_failed':
      if (event.retry_in_ms === null) return null;
      return `(${event.message}; again in ${Math.ceil(event.retry_in_ms / 1_000)} s)`;
    case 'turn_started':
      return event.instructions.length === 0 ? null : `(the model is told what ${event.instructions.join(', ')} says)`;
    case 'compaction_started':
      return '(the conversation is nearly as long as the model can read: it is being summarised)';
    case 'transcript_failed':
      return `(the transcript could not be written: ${event.message})`;
    case 'session_started':
      return event.attachable ? `(a sub-session began; watch it with: cognition chat ${event.session})` : null;
    default:
      return null;
  }
}

/** How a turn ended, where the answer does not say it. */
export function endOf({ state, why, failure, questions }: TurnOutcome): Happening[] {
  if (state === 'waiting') return questions.flatMap((one) => (one.answer === null ? [questionOf(one)] : []));
  if (failure !== null) {
    const { kind, hint } = failure.data;
    const more = kind === 'approval_needed' ? 'or accept what that means: cognition chat --no-sandbox' : 'then: /retry';
    return [{ kind: 'failure', message: failure.message, hint: hint === null ? more : `${hint}; ${more}` }];
  }
  if (state === 'done') return [];
  return [{ kind: 'note', text: `${endWords(why)}. Go on with: /retry` }];
}

function questionOf(question: TurnOutcome['questions'][number]): Happening {
  return { kind: 'text', text: `\nIt asks:\n${renderQuestion(question)}\n${howToAnswer(question)}\n` };
}

function howToAnswer({ kind, options }: TurnOutcome['questions'][number]): string {
  if (kind === 'approval') return 'Answer with: /answer 1, 2 or 3';
  return options.length === 0 ? 'Answer in your own words' : 'Answer with a number, or in your own words';
}
