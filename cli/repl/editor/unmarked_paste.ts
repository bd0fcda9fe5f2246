import type { Key } from './keys/key.js';
import { PASTE_LENGTH_MAX } from './keys/key_decoder.js';

/** Puts together the lines of a paste that a terminal sends as if they were typed: no Enter in it sends anything. */
export interface UnmarkedPastes {
  /** Takes the keys of one piece; false when they are no lines of a paste, and each is a key of its own. */
  take(keys: readonly Key[]): boolean;
  stop(): void;
}

// How soon the next piece of a paste comes. Nobody presses a key so soon after another, least of all Enter.
const NEXT_PIECE_MS = 30;

/** `listener` gets a paste when it has come whole. In a terminal that marks its pastes what is unmarked was typed, however fast. */
export function createUnmarkedPastes(listener: (key: Key) => void, isMarking: boolean): UnmarkedPastes {
  let pieces: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  let areMarked = isMarking;

  const forget = (): void => {
    clearTimeout(timer);
    pieces = [];
    length = 0;
  };
  const tell = (): void => {
    const text = pieces.join('').replace(/\r\n?/g, '\n');
    forget();
    if (text !== '') listener({ kind: 'paste', text });
  };
  return {
    take(keys) {
      areMarked ||= keys.some(({ kind }) => kind === 'paste');
      const lines = areMarked ? null : linesOf(keys);
      if (lines === null || (pieces.length === 0 && !isSeveral(lines))) {
        tell();
        return false;
      }
      if (length < PASTE_LENGTH_MAX) pieces.push(lines);
      length += lines.length;
      clearTimeout(timer);
      timer = setTimeout(tell, NEXT_PIECE_MS);
      return true;
    },
    stop: forget,
  };
}

/** Whether an Enter stands between two lines. One at the end sends what was typed. */
function isSeveral(lines: string): boolean {
  return lines.trim().includes('\r');
}

/** What the keys write, when every one of them writes something; else null. */
function linesOf(keys: readonly Key[]): string | null {
  const lines = keys.map(writtenBy);
  return lines.includes(undefined) ? null : lines.join('');
}

const WRITTEN_BY_KEYS: Record<string, string> = { enter: '\r', tab: '\t', 'ctrl+j': '\n' };

function writtenBy(key: Key): string | undefined {
  if (key.kind === 'text') return key.text;
  if (key.kind === 'paste' || key.alt || key.shift) return undefined;
  return WRITTEN_BY_KEYS[key.ctrl ? `ctrl+${key.name}` : key.name];
}
