import { withoutSequences } from '../../../render/text/clean.js';
import { keyOfCode } from './coded_keys.js';
import { type Escape, readEscape } from './escapes.js';
import type { Key, KeyPress } from './key.js';

/** Decodes terminal input into keys, however it is split into chunks. */
export interface KeyDecoder {
  take(text: string): Key[];
  /** Called at the time limit: a partial sequence is a key of its own. */
  flush(): Key[];
  /** Whether `flush` would return a key. */
  isWaiting(): boolean;
  /** Whether a paste has begun and not ended. */
  isPasting(): boolean;
}

/** The longest paste, so that memory is bounded. */
export const PASTE_LENGTH_MAX = 10 * 1024 * 1024;

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const INTERRUPT = '\x03';
const PRINTABLE = /\P{Cc}+/uy;
// The replacement character stands for invalid UTF-8, such as Alt as the eighth bit.
const NO_CHARACTER = /\ufffd/g;
// C1 controls with an equivalent two-byte escape; the others are ignored.
const SHORT_CONTROLS = new RegExp(`[${'\x80'}-${'\x9f'}]`, 'g');
const SEQUENCE_STARTS = '\x90\x98\x9b\x9c\x9d\x9e\x9f';

interface Paste {
  pieces: string[];
  length: number;
}

export function createKeyDecoder(): KeyDecoder {
  let pending = '';
  let paste: Paste | null = null;

  const endPaste = (keys: Key[]): void => {
    const text = cleanPaste(paste?.pieces.join('') ?? '');
    paste = null;
    if (text !== '') keys.push({ kind: 'paste', text });
  };

  const takePaste = (text: string, open: Paste, keys: Key[]): string => {
    const end = endOfPaste(text);
    if (end < 0) {
      const held = startOfEnd(text);
      keep(open, text.slice(0, text.length - held));
      pending = text.slice(text.length - held);
      return '';
    }
    keep(open, text.slice(0, end));
    endPaste(keys);
    return text.slice(end + PASTE_END.length);
  };

  const takeKeys = (text: string, keys: Key[]): string => {
    let at = 0;
    while (at < text.length) {
      const step = readKey(text, at);
      if (step === null) {
        pending = text.slice(at);
        return '';
      }
      if (text.startsWith(PASTE_START, at)) {
        paste = { pieces: [], length: 0 };
        return text.slice(at + PASTE_START.length);
      }
      if (step.key !== null) push(keys, step.key);
      at += step.length;
    }
    return '';
  };

  return {
    take(piece) {
      const keys: Key[] = [];
      // A lone Ctrl-C ends a paste whose terminal never closed it.
      if (piece === INTERRUPT && paste !== null) endPaste(keys);
      let rest = pending + piece.replace(SHORT_CONTROLS, longControl);
      pending = '';
      while (rest !== '') rest = paste === null ? takeKeys(rest, keys) : takePaste(rest, paste, keys);
      return keys;
    },
    flush() {
      if (!isKeyAlone(pending, paste)) return [];
      const [...signs] = pending;
      pending = '';
      if (signs[1] === '\x1b') return [press('escape'), press('escape')];
      return [signs[1] === undefined ? press('escape') : altOf(signs[1])];
    },
    isWaiting: () => isKeyAlone(pending, paste),
    isPasting: () => paste !== null,
  };
}

/** Whether the pending input is a key if nothing follows. Longer prefixes are sequences and stay pending. */
function isKeyAlone(pending: string, paste: Paste | null): boolean {
  return paste === null && (pending.length === 1 || pending.length === 2);
}

function keep(paste: Paste, text: string): void {
  const room = PASTE_LENGTH_MAX - paste.length;
  if (room <= 0 || text === '') return;
  const piece = text.slice(0, room);
  paste.pieces.push(piece);
  paste.length += piece.length;
}

/** The pasted text without terminal controls. What would be hidden is drawn visibly, so it may stay in the message. */
function cleanPaste(text: string): string {
  return withoutSequences(text).toWellFormed();
}

/** The end of a paste. An end marker that another one follows was itself pasted; text after it must not act as keys. */
function endOfPaste(text: string): number {
  const first = text.indexOf(PASTE_END);
  const next = text.indexOf(PASTE_START, first + 1);
  return first < 0 ? first : text.slice(0, next < 0 ? text.length : next).lastIndexOf(PASTE_END);
}

/** The length of a suffix that may begin the end marker of a paste. */
function startOfEnd(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  }
  return 0;
}

/** The key at an offset and its length; null when it is incomplete. */
function readKey(text: string, at: number): { key: Key | null; length: number } | null {
  PRINTABLE.lastIndex = at;
  const [printable] = PRINTABLE.exec(text) ?? [];
  if (printable !== undefined) return { key: textOf(printable), length: printable.length };
  if (text[at] !== '\x1b') return { key: controlKey(text.charCodeAt(at)), length: 1 };
  const sequence = readEscape(text, at);
  return sequence === null ? null : { key: keyOfEscape(sequence), length: sequence.length };
}

function textOf(printable: string): Key | null {
  const text = printable.replace(NO_CHARACTER, '');
  return text === '' ? null : { kind: 'text', text };
}

function keyOfEscape(sequence: Escape): Key | null {
  switch (sequence.kind) {
    case 'nothing':
      return null;
    case 'named':
      return { kind: 'key', name: sequence.name, ...sequence.modifiers };
    case 'code':
      return keyOfCode(sequence.key, sequence.modifiers);
    case 'alt':
      return altOf(sequence.sign);
  }
}

function altOf(sign: string): Key {
  const code = sign.charCodeAt(0);
  if (sign === '\r' || sign === '\n') return { ...press('enter'), alt: true };
  // The Linux console's Shift-Tab; window managers keep Alt-Tab.
  if (sign === '\t') return { ...press('tab'), shift: true };
  if (code < 32 || code === 127) return { ...controlKey(code), alt: true };
  const name = sign === ' ' ? 'space' : sign.toLowerCase();
  return { ...press(name), alt: true, shift: sign !== ' ' && name !== sign };
}

const CONTROL_NAMES: Record<number, string> = { 8: 'backspace', 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' };

function controlKey(code: number): KeyPress {
  const name = CONTROL_NAMES[code];
  if (name !== undefined) return press(name);
  const sign = code === 0 ? 'space' : String.fromCharCode(code + 64).toLowerCase();
  return { ...press(sign), ctrl: true };
}

function press(name: string): KeyPress {
  return { kind: 'key', name, ctrl: false, alt: false, shift: false };
}

/** Merges adjacent texts, so that a multi-code-point emoji is inserted at once. */
function push(keys: Key[], key: Key): void {
  const last = keys.at(-1);
  if (key.kind === 'text' && last?.kind === 'text') last.text += key.text;
  else keys.push(key);
}

function longControl(sign: string): string {
  return SEQUENCE_STARTS.includes(sign) ? `\x1b${String.fromCharCode(sign.charCodeAt(0) - 64)}` : '';
}
