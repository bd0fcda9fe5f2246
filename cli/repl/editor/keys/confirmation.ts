import type { Key } from './key.js';
import type { Quiet } from './quiet.js';

/** An action that waits for a `y`. */
export interface Confirmation<T> {
  readonly question: string;
  readonly action: T;
  /** Letters answer after a pause: before it they may belong to a typed word. */
  readonly isReady: boolean;
}

const QUIET_MS = 500;

export function confirmationOf<T>(question: string, action: T): Confirmation<T> {
  return { question, action, isReady: false };
}

/** Whether a key answers now rather than continuing a word. */
export function isAnswerable(asking: Confirmation<unknown> | null): boolean {
  return asking?.isReady === true;
}

/** The answer of a key; with `text` there is none, and the key belongs to a typed word. */
export function answerOf({ isReady }: Confirmation<unknown>, key: Key): 'yes' | 'no' | 'too_early' | 'text' {
  if (key.kind === 'key') return 'no';
  if (key.kind === 'paste' || !/^[yn]$/.test(key.text)) return 'text';
  if (!isReady) return 'too_early';
  return key.text === 'y' ? 'yes' : 'no';
}

/** Called after every key: a pause may answer the question. */
export function getReady(quiet: Quiet, asking: Confirmation<unknown> | null, become: () => void): void {
  if (asking !== null && !asking.isReady) quiet.after(QUIET_MS, become);
}

export function questionRow({ question, isReady }: Confirmation<unknown>): string {
  // First, so that the narrowest window shows it.
  return isReady ? `y/n  ${question}` : question;
}
