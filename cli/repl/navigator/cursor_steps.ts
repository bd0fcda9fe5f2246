import type { Key, KeyPress } from '../editor/keys/key.js';

const ALL = Number.POSITIVE_INFINITY;

/** How many rows down a key moves; null for a key that does something else. */
export function stepsOf(key: Key, height: number): number | null {
  if (key.kind === 'paste') return null;
  return key.kind === 'text' ? ofLetter(key.text, height) : ofKey(key, height);
}

function ofLetter(letter: string, height: number): number | null {
  switch (letter) {
    case 'j':
      return 1;
    case 'k':
      return -1;
    case 'g':
      return -ALL;
    case 'G':
      return ALL;
    case ' ':
      return height - 1;
    default:
      return null;
  }
}

function ofKey({ name, ctrl }: KeyPress, height: number): number | null {
  switch (name) {
    case 'up':
      return -1;
    case 'down':
      return 1;
    case 'home':
      return -ALL;
    case 'end':
      return ALL;
    case 'pageup':
      return 1 - height;
    case 'pagedown':
      return height - 1;
    case 'b':
      return ctrl ? 1 - height : null;
    case 'f':
      return ctrl ? height - 1 : null;
    default:
      return null;
  }
}
