import type { Status } from './front.js';

/** How a person who has looked away is called, and after how long a turn. */
export interface AttentionOptions {
  how: 'off' | 'bell' | 'osc9';
  longMs: number;
}

const BELL = '\x07';

/** The control sequence that calls the person after a change of the status; empty for none. */
export function attentionSequence(
  { how, longMs }: AttentionOptions,
  { before, after, turnMs }: { before: Status; after: Status; turnMs: number },
): string {
  const hasQuestion = after.asks !== null && before.asks === null;
  // Whoever stops a turn is there.
  const hasEnded = after.turn === null && before.turn === 'running' && turnMs >= longMs;
  if (how === 'off' || !(hasQuestion || hasEnded)) return '';
  return how === 'bell' ? BELL : `\x1b]9;cognition: ${hasQuestion ? 'a question waits' : 'the turn has ended'}${BELL}`;
}
