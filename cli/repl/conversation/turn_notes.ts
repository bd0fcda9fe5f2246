import { HubError } from '../../../hub/base/error.js';
import type { AgentEvent, TurnOutcome } from '../../../hub/protocol/turn.js';
import { EXIT, exitCodeOf, reasonOf } from '../../output/failure.js';
import { renderQuestion } from '../../render/node/question_text.js';
import { cleanLine } from '../../render/text/clean.js';
import { count, shortId } from '../../render/text/ids_and_counts.js';
import { replacedLine } from '../../turn/replaced_line.js';
import { endCode, endWords } from '../../turn/run_turn.js';
import { unreadInstructions } from '../../turn/unread_instructions.js';
import type { DisplayEvent } from '../front/front.js';
import { hintOfFailure } from './hint_in_chat.js';

/** The note on an event that is no block; null for none. Each file of instructions is named once. */
export function noteOf(event: AgentEvent, toldFiles: Set<string>): string | null {
  switch (event.kind) {
    case 'request_failed':
      if (event.retry_in_ms === null) return null;
      return `(${event.message}; again in ${Math.ceil(event.retry_in_ms / 1_000)} s)`;
    case 'model_replaced':
      return `(${replacedLine(event)})`;
    case 'images_left_out':
      return `(${event.message}; it goes on without images)`;
    case 'turn_started':
      return instructionsNote(event, toldFiles);
    case 'compaction_started':
      return event.of === 'branch'
        ? '(what you left is being summarised, as a message to here; Esc goes on without)'
        : '(the conversation is being summarised; a model is sent the summary and what follows it)';
    case 'transcript_failed':
      return `(the transcript could not be written: ${event.message})`;
    case 'project_noted':
      return event.lines.map((line) => `(${line})`).join('\n');
    case 'session_started':
      return event.attachable ? `(a sub-session began; watch it with: cognition chat ${event.session})` : null;
    default:
      return null;
  }
}

function instructionsNote(
  { instructions, cut, refused }: Extract<AgentEvent, { kind: 'turn_started' }>,
  told: Set<string>,
): string | null {
  const untold = instructions.filter((file) => !told.has(file));
  for (const file of untold) told.add(file);
  const said = untold.length === 0 ? [] : [`(the model is told what ${untold.join(', ')} says)`];
  const notes = [...said, ...unreadInstructions({ cut, refused }).map((line) => `(${line})`)];
  return notes.length === 0 ? null : notes.join('\n');
}

/** The note on what came too late for the turn of another hub, and waits for an answer of one's own. */
export function lateWords(by: string): string {
  return `(it came too late for what ${cleanLine(by)}'s hub did: it stands here unanswered. To have it answered here: /retry)`;
}

/** The note on the end of a turn that the person has left. */
export function partedWords({ state, tip }: TurnOutcome): string {
  const how = state === 'waiting' ? 'asks something' : 'has ended';
  return `(the turn that you left ${how}. Go there with: /switch ${shortId(tip)})`;
}

/** The exit code of a script for how a turn ended. A stop was on purpose, and a parked turn may get its answer. */
export function exitCodeOfEnd({ state, why, failure }: TurnOutcome): number {
  if (failure !== null) return exitCodeOf(new HubError(failure.data.kind, failure.message));
  return state === 'done' || state === 'waiting' || why === 'asked' ? EXIT.ok : endCode(why);
}

/** Shows that a turn did not begin, or that its end is not known. */
export function failureWords(error: unknown, goOn: string): DisplayEvent[] {
  const own = error instanceof HubError ? hintOfFailure(error) : null;
  const failure: DisplayEvent = { kind: 'failure', message: reasonOf(error), hint: own ?? `then: ${goOn}` };
  if (!(error instanceof HubError) || error.kind !== 'unreachable') return [failure];
  return [failure, { kind: 'note', text: `(how far it came is not known; when there is a hub again: ${goOn})` }];
}

/** The note on the end of a turn; the answer alone tells the usual one. */
export function endOf({ state, why, failure, questions }: TurnOutcome, goOn: string): DisplayEvent[] {
  if (state === 'waiting') return questions.flatMap((one) => (one.answer === null ? [questionOf(one)] : []));
  if (failure !== null) return [{ kind: 'failure', message: failure.message, hint: whatToDo(failure.data, goOn) }];
  if (state === 'done') return [];
  return [{ kind: 'note', text: `${endWords(why)}. Go on with: ${goOn}` }];
}

function whatToDo(data: NonNullable<TurnOutcome['failure']>['data'], goOn: string): string {
  const { retry_after_ms: waitMs } = data.details;
  if (typeof waitMs === 'number' && waitMs > 0)
    return `it wants to be left alone for ${waitWords(waitMs)}; then: ${goOn}`;
  const more =
    data.kind === 'approval_needed' ? 'or accept what that means: cognition chat --no-sandbox' : `then: ${goOn}`;
  const hint = hintOfFailure(data);
  return hint === null ? more : `${hint}; ${more}`;
}

function waitWords(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000);
  return minutes < 120 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour');
}

/** The question of a turn, with how to answer it. */
export function questionOf(question: TurnOutcome['questions'][number]): DisplayEvent {
  return { kind: 'question', question, text: `\nIt asks:\n${renderQuestion(question)}\n${howToAnswer(question)}\n` };
}

function howToAnswer({ kind, options }: TurnOutcome['questions'][number]): string {
  if (kind === 'approval') return 'Answer with: /answer 1, 2 or 3';
  if (kind === 'permission')
    return 'Answer with: /answer 1, 2, 3 or 4; with other words it is not done, and they are told to the model';
  return options.length === 0 ? 'Answer in your own words' : 'Answer with a number, or in your own words';
}
