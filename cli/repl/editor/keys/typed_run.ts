import type { Key } from './key.js';
import { createQuiet } from './quiet.js';

/** How a screen with command keys used a key: as a command, as input to a line or question, or not at all. */
export type Taken = 'done' | 'written' | 'unknown';

/** The role of a key that requested an action on a screen with command keys. */
export function takenFor(action: { kind: string } | null, isWriting: boolean): Taken {
  if (action?.kind === 'text') return 'unknown';
  return isWriting ? 'written' : 'done';
}

/** Letters typed in quick succession where letters are commands: perhaps a sentence. */
export interface TypedRun {
  add(key: Key, taken: Taken): void;
  /** Whether the letters form a word, rather than one key repeated. */
  isWord(): boolean;
  /** Takes the letters out; those before a repeated key are no text. */
  take(): string;
  /** Called at each key: a pause starts a new run. */
  pressed(): void;
}

const PAUSE_MS = 1_000;
const LENGTH_MAX = 200;
const HELD_DOWN = /^.*(.)\1\1/su;

export function createTypedRun(): TypedRun {
  const quiet = createQuiet();
  let run = '';
  return {
    add(key, taken) {
      run = key.kind === 'text' && taken === 'done' ? (run + key.text).slice(-LENGTH_MAX) : '';
    },
    isWord: () => new Set(/\p{L}*$/u.exec(run)?.[0].toLowerCase()).size > 1,
    take() {
      const text = run.replace(HELD_DOWN, '');
      run = '';
      return text;
    },
    pressed() {
      quiet.after(PAUSE_MS, () => {
        run = '';
      });
    },
  };
}
