import { type NamedKey, namedKey } from './named_keys.js';

/** An escape sequence and its length in UTF-16 units. */
export type Escape = { length: number } & (
  | { kind: 'nothing' }
  | { kind: 'named'; name: string; modifiers: Modifiers }
  | { kind: 'code'; key: CodedKey; modifiers: Modifiers }
  | { kind: 'alt'; sign: string }
);

/** A key by code points: its own, and those that some terminals add; null where absent. */
export interface CodedKey {
  code: number;
  /** The character with Shift. */
  shifted: number | null;
  /** The key at that position of a Latin layout. */
  latin: number | null;
  /** Whether Super, Hyper or Meta is held. */
  isForeign: boolean;
}

interface Modifiers {
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
}

// Longer than any key or terminal response.
const SEQUENCE_LENGTH_MAX = 256;
const STRING_LENGTH_MAX = 4_096;

const ESC = '\\x1b';
const CONTROL = new RegExp(`${ESC}(?:\\[(?<csi>[0-?]*[ -/]*)|O(?<ss3>[0-9;]*))`, 'y');
const STRING = new RegExp(`${ESC}[\\]PX^_]\\P{Cc}*`, 'uy');
const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false, shift: false };
const nothing = (length: number): Escape => ({ kind: 'nothing', length });

/** Reads the escape sequence at an offset; null when it is incomplete. */
export function readEscape(text: string, at: number): Escape | null {
  const next = text[at + 1];
  if (next === undefined) return null;
  if (next === '\x1b') return readDoubled(text, at);
  if (next === '[' || next === 'O') return readControl(text, at);
  if (']PX^_'.includes(next)) return readString(text, at);
  const sign = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
  return { kind: 'alt', sign, length: 1 + sign.length };
}

/** ESC ESC: Alt with an arrow in some terminals; otherwise the first ESC is a key. */
function readDoubled(text: string, at: number): Escape | null {
  const next = text[at + 2];
  if (next === undefined) return null;
  const alone: Escape = { kind: 'named', name: 'escape', modifiers: NO_MODIFIERS, length: 1 };
  if (next !== '[' && next !== 'O') return alone;
  const inner = readControl(text, at + 1);
  if (inner === null) return null;
  const length = inner.length + 1;
  if (inner.kind !== 'named') return { ...inner, length };
  return { ...inner, length, modifiers: { ...inner.modifiers, alt: true } };
}

function readControl(text: string, at: number): Escape | null {
  CONTROL.lastIndex = at;
  const match = CONTROL.exec(text);
  if (match === null) return nothing(1);
  const start = match[0].length;
  const final = text[at + start];
  // rxvt's form of Shift with a numbered key, which has no final letter.
  if (/^\d+\$$/.test(match.groups?.csi ?? '')) return named(namedKey(match[0]), '', start);
  if (final === undefined) return start > SEQUENCE_LENGTH_MAX ? nothing(start) : null;
  // A control character aborts the sequence and is handled by itself.
  if (final < '@' || final > '~') return nothing(start);
  const { csi, ss3 } = match.groups ?? {};
  if (csi === undefined) return ss3Escape(ss3 ?? '', final, start + 1);
  if (csi === '' && (final === 'M' || final === '[')) return readLegacy(text, { at, final });
  return csiEscape(csi, final, start + 1);
}

/** Mouse reports of three raw bytes, and function keys of the Linux console: neither is used. */
function readLegacy(text: string, { at, final }: { at: number; final: string }): Escape | null {
  const length = final === 'M' ? 6 : 4;
  return text.length - at < length ? null : nothing(length);
}

/** Terminal responses and titles, which may arrive at any time. */
function readString(text: string, at: number): Escape | null {
  STRING.lastIndex = at;
  const length = STRING.exec(text)?.[0].length ?? 2;
  const end = text[at + length];
  if (end === undefined) return length > STRING_LENGTH_MAX ? nothing(length) : null;
  if (end === '\x07') return nothing(length + 1);
  if (end !== '\x1b') return nothing(length);
  const last = text[at + length + 1];
  if (last === undefined) return null;
  return nothing(last === '\\' ? length + 2 : length);
}

const SHIFT_HELD = '2';
const ENTER: NamedKey = { name: 'enter', ctrl: false, shift: false };

function csiEscape(parameters: string, final: string, length: number): Escape {
  const [first = '', modifiers = '', third = ''] = parameters.split(';');
  if (final === 'u') return codeEscape(first, modifiers, length);
  if (final === '~' && first === '27') return codeEscape(third, modifiers, length);
  // rxvt's ending for Ctrl-Shift with a numbered key; readline knows the one for Ctrl.
  if (final === '@') return named(namedKey(`\x1b[${first}^`), SHIFT_HELD, length);
  if (final === '~' || final === '^') return named(namedKey(`\x1b[${first}${final}`), modifiers, length);
  if (!/[A-Za-z]/.test(final) || !isKeyReport(parameters)) return nothing(length);
  return named(namedKey(`\x1b[${final}`), modifiers, length);
}

/** `CSI 12;40R` reports the cursor position, `CSI 1;2R` a key: keys always begin with 1. */
function isKeyReport(parameters: string): boolean {
  return /^(1?$|1;)/.test(parameters);
}

function ss3Escape(modifiers: string, final: string, length: number): Escape {
  // Konsole's Shift-Enter. Keypad Enter sends it only in a mode that is never set here.
  if (final === 'M') return named(ENTER, modifiers || SHIFT_HELD, length);
  return named(namedKey(`\x1bO${final}`), modifiers, length);
}

/** A key with the modifiers of its sequence added to its own. */
function named(key: NamedKey | null, modifiers: string, length: number): Escape {
  const held = modifiersOf(modifiers);
  if (key === null || held === null) return nothing(length);
  const { name, ctrl, shift } = key;
  return { kind: 'named', name, modifiers: { ...held, ctrl: ctrl || held.ctrl, shift: shift || held.shift }, length };
}

function codeEscape(codes: string, modifiers: string, length: number): Escape {
  const [code, shifted, latin] = codes.split(':').map(codePoint);
  const held = modifiersOf(modifiers);
  if (code === undefined || code === null || held === null) return nothing(length);
  const isForeign = (bitsOf(modifiers) & FOREIGN) !== 0;
  const key = { code, shifted: shifted ?? null, latin: latin ?? null, isForeign };
  return { kind: 'code', key, modifiers: held, length };
}

function codePoint(digits: string): number | null {
  return /^\d{1,7}$/.test(digits) ? Number(digits) : null;
}

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const META = 32;
/** Super and Hyper. */
const FOREIGN = 8 + 16;
const RELEASED = '3';

/** The modifiers of a parameter; null for a key release. */
function modifiersOf(parameter: string): Modifiers | null {
  if (parameter.split(':')[1] === RELEASED) return null;
  const bits = bitsOf(parameter);
  return { ctrl: (bits & CTRL) !== 0, alt: (bits & (ALT | META)) !== 0, shift: (bits & SHIFT) !== 0 };
}

function bitsOf(parameter: string): number {
  return Math.max(0, (Number(parameter.split(':')[0]) || 1) - 1);
}
