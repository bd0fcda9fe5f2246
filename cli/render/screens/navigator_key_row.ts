import type { Look } from '../look/look.js';
import { cut, pad } from '../text/cut.js';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['up down j k', 'move'],
  ['PgUp PgDn', 'scroll; space too'],
  ['g G', 'first, last'],
  ['left h', 'fold a branch'],
  ['right l', 'unfold it'],
  ['z', 'fold all others'],
  ['f, Tab', 'list other kinds of nodes'],
  ['/', 'search all that was said'],
  ['Tab', 'show a hit in the tree'],
  ['n N', 'the next hit, the last'],
  ['Enter', 'go there'],
  ['e', 'take a message back'],
  ['m', 'set a mark'],
  ['d', 'what differs from here'],
  ['x', 'archive a branch, or undo'],
  ['.', 'back to where you stand'],
  ['p', 'preview on, off'],
  ['q Esc', 'leave'],
];
const KEYS_COLUMNS = 12;
const ENTRY_COLUMNS = 42;

/** The keys of the navigator and what they do, from a row on: in two columns, or in one in a narrow window. */
export function navigatorKeys(from: number, height: number, look: Look): string[] {
  const lines = look.width < 2 * ENTRY_COLUMNS - 10 ? KEYS.flatMap((entry) => narrow(entry, look)) : wide(look);
  const first = Math.max(0, Math.min(from, lines.length - height));
  return lines.slice(first, first + height).map((line) => cut(line, look.width, look));
}

function wide({ ruler }: Look): string[] {
  const entries = KEYS.map(([keys, does]) => pad(keys, KEYS_COLUMNS, ruler) + does);
  const half = Math.ceil(entries.length / 2);
  return entries.slice(0, half).map((entry, at) => pad(entry, ENTRY_COLUMNS, ruler) + (entries[half + at] ?? ''));
}

function narrow([keys, does]: (typeof KEYS)[number], { width, ruler }: Look): string[] {
  const line = pad(keys, KEYS_COLUMNS, ruler) + does;
  return ruler.width(line) <= width ? [line] : [keys, `  ${does}`];
}
