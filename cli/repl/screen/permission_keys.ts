import type { Key } from '../editor/keys/key.js';

/** Answers what a turn asks permission for, by letters alone: Enter and Space are pressed too easily. */
export interface Permission {
  /** False when a key does not answer. */
  take(key: Key): boolean;
  /** The question has just come: keys do not answer it for a moment. */
  wait(): void;
  /** Whether a letter would answer. */
  isReady(): boolean;
  stop(): void;
}

export interface PermissionParts {
  isWaiting(): boolean;
  /** Whether nothing is being written. */
  isEmpty(): boolean;
  say(line: string): void;
  /** Letters answer from now on. */
  changed(): void;
}

/** Who was typing when the question came has not answered it. */
const QUIET_MS = 500;
const ANSWERS: Readonly<Record<string, string>> = { y: '/answer 1', a: '/answer 2', n: '/answer 3' };

export function createPermission({ isWaiting, isEmpty, say, changed }: PermissionParts): Permission {
  let isQuiet = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    isQuiet = false;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isQuiet = true;
      changed();
    }, QUIET_MS);
  };
  const isReady = (): boolean => isQuiet && isWaiting() && isEmpty();
  return {
    wait,
    isReady,
    take(key) {
      if (!isWaiting()) return false;
      const answer = key.kind === 'text' && isReady() ? ANSWERS[key.text] : undefined;
      wait();
      if (answer === undefined) return false;
      say(answer);
      return true;
    },
    stop: () => clearTimeout(timer),
  };
}
