import type { Key } from '../editor/keys/key.js';
import type { Status } from '../front/front.js';

/** Answers permission questions by letters alone: Enter and Space are pressed too easily. */
export interface Permission {
  /** False for a key that is no answer. */
  take(key: Key): boolean;
  /** Starts the pause after a new question, in which keys are no answer. */
  wait(): void;
  /** Whether a letter would answer. */
  isReady(): boolean;
  stop(): void;
}

export interface PermissionParts {
  isWaiting(): boolean;
  /** The line that each key says; null for those of a permission. */
  answers(): Readonly<Record<string, string>> | null;
  /** What stands in the editor. */
  text(): string;
  say(line: string): void;
  /** Says a line that was meant by what stands in the editor. */
  sayInstead(line: string): void;
  /** The pause is over. */
  changed(): void;
}

/** Keys of a person who was typing when the question came are no answer. */
const QUIET_MS = 500;
/** Whether a question is answered by a key. */
export function asksByKey({ asks, choice }: Pick<Status, 'asks' | 'choice'>): boolean {
  return choice !== null || asks === 'approval' || asks === 'permission';
}

const ANSWERS: Readonly<Record<string, string>> = { y: '/answer 1', a: '/answer 2', n: '/answer 3' };

export function createPermission(parts: PermissionParts): Permission {
  const { isWaiting, answers, say, changed } = parts;
  const isEmpty = (): boolean => parts.text() === '';
  let isNew = false;
  let isQuiet = false;
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => {
    isQuiet = false;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isQuiet = true;
      // A key that was pressed before the choice was shown, with nothing after it, was meant for it.
      const meant = isNew && isWaiting() ? answers()?.[parts.text()] : undefined;
      isNew = false;
      if (meant === undefined) changed();
      else parts.sayInstead(meant);
    }, QUIET_MS);
  };
  const isReady = (): boolean => isQuiet && isWaiting() && isEmpty();
  return {
    wait() {
      isNew = true;
      pause();
    },
    isReady,
    take(key) {
      if (!isWaiting()) return false;
      // Whoever stays where they are does so at once.
      const staying = key.kind === 'key' && key.name === 'escape' && isEmpty() ? 'escape' : '';
      const name = key.kind === 'text' && isReady() ? key.text : staying;
      const answer = (answers() ?? ANSWERS)[name];
      pause();
      if (answer === undefined) return false;
      say(answer);
      return true;
    },
    stop: () => clearTimeout(timer),
  };
}
