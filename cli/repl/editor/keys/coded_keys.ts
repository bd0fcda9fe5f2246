import type { CodedKey } from './escapes.js';
import type { Key, KeyPress } from './key.js';

type Held = Omit<KeyPress, 'kind' | 'name'>;

const NAMES: Record<number, string> = { 9: 'tab', 13: 'enter', 27: 'escape', 32: 'space', 127: 'backspace' };
// The control characters of keys that older terminals cannot tell apart.
const OLD_NAMES: Record<string, string> = {
  '[': 'escape',
  m: 'enter',
  i: 'tab',
  '?': 'backspace',
  '@': 'space',
  7: '_',
};
// The numeric keypad, in the numbering of the kitty keyboard protocol.
const PAD_SIGNS_START = 57_399;
const PAD_SIGNS = '0123456789./*-+';
const PAD_NAMES: Record<number, string> = {
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
};
const PAD_EQUALS = 57_415;
// The first code point of keys without a character.
const PRIVATE_START = 57_344;
const PRIVATE_END = 63_743;

/** A key by its code point in the kitty keyboard protocol; null for an unused one. */
export function keyOfCode(key: CodedKey, held: Held): Key | null {
  if (key.isForeign) return null;
  const isPlain = !held.ctrl && !held.alt;
  const name = PAD_NAMES[key.code] ?? NAMES[key.code];
  if (name !== undefined && !(name === 'space' && isPlain)) return { kind: 'key', name, ...held };
  const sign = padSign(key.code) ?? signOf(key.code);
  if (sign === null) return null;
  if (!isPlain) return chord(latinOf(key, sign), held);
  const shifted = key.shifted === null ? null : signOf(key.shifted);
  return { kind: 'text', text: held.shift ? (shifted ?? sign.toUpperCase()) : sign };
}

function padSign(code: number): string | null {
  if (code === PAD_EQUALS) return '=';
  return code < PAD_SIGNS_START ? null : (PAD_SIGNS[code - PAD_SIGNS_START] ?? null);
}

function signOf(code: number): string | null {
  if (code < 32 || code > 0x10ffff || (code >= 0x7f && code < 0xa0)) return null;
  if ((code >= 0xd800 && code < 0xe000) || (code >= PRIVATE_START && code <= PRIVATE_END)) return null;
  return String.fromCodePoint(code);
}

/** With Ctrl or Alt the position of a key counts, so that shortcuts work on other layouts. */
function latinOf({ latin }: CodedKey, sign: string): string {
  const other = sign > '~' && latin !== null ? signOf(latin) : null;
  return (other ?? sign).toLowerCase();
}

function chord(sign: string, held: Held): Key {
  const old = held.ctrl && !held.shift ? OLD_NAMES[sign] : undefined;
  if (old === undefined) return { kind: 'key', ...held, name: sign };
  return { kind: 'key', ...held, name: old, ctrl: old === '_' };
}
