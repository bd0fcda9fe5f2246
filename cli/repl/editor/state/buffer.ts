import { boundaryAt } from './graphemes.js';
import { expanded, hasLongLine, isLarge, partsOf, TOKENS_MAX, tokenOf } from './paste_tokens.js';

/** A message as it is stored: text, and large pastes, each of which the editor shows as one token. */
export type Content = readonly (string | { paste: string })[];

/** The text being edited, with a token for each large paste. */
export interface Buffer {
  text: string;
  /** Always on a grapheme boundary. */
  cursor: number;
  pastes: readonly string[];
}

export const EMPTY_BUFFER: Buffer = { text: '', cursor: 0, pastes: [] };

/** An undoable change of the text. */
export interface Edit {
  at: number;
  removed: string;
  inserted: string;
  cursorBefore: number;
}

/** Replaces a range, and puts the cursor behind the inserted text. */
export function replace(
  buffer: Buffer,
  { start, end }: { start: number; end: number },
  inserted: string,
): { buffer: Buffer; edit: Edit } {
  const text = buffer.text.slice(0, start) + inserted + buffer.text.slice(end);
  const edit = { at: start, removed: buffer.text.slice(start, end), inserted, cursorBefore: buffer.cursor };
  return { buffer: { ...buffer, text, cursor: boundaryAt(text, start + inserted.length) }, edit };
}

export function undone(buffer: Buffer, { at, removed, inserted, cursorBefore }: Edit): Buffer {
  const text = buffer.text.slice(0, at) + removed + buffer.text.slice(at + inserted.length);
  return { ...buffer, text, cursor: boundaryAt(text, cursorBefore) };
}

export function redone(buffer: Buffer, { at, removed, inserted }: Edit): Buffer {
  const text = buffer.text.slice(0, at) + inserted + buffer.text.slice(at + removed.length);
  return { ...buffer, text, cursor: boundaryAt(text, at + inserted.length) };
}

/** What to insert for a paste, and the pastes with it when it becomes a token. */
export function pasted(buffer: Buffer, paste: string): { inserted: string; pastes: readonly string[] } {
  const index = buffer.pastes.length;
  if (!isLarge(paste) || index >= TOKENS_MAX) return { inserted: insertable(paste), pastes: buffer.pastes };
  return { inserted: tokenOf(index), pastes: [...buffer.pastes, insertable(paste)] };
}

// Lone surrogates are removed: one would be read as a token.
const ODD_LINE_ENDS = /\r\n?|[\u2028\u2029]/g;

/** A text that can be inserted: with `\n` line ends, and no lone surrogates. */
export function insertable(text: string): string {
  return text.toWellFormed().replace(ODD_LINE_ENDS, '\n');
}

/** The text with its pastes expanded. */
export function wholeText({ text, pastes }: Buffer): string {
  return expanded(text, pastes);
}

export function contentOf({ text, pastes }: Buffer): Content {
  return partsOf(text, pastes);
}

export function textOfContent(content: Content): string {
  return content.map((part) => (typeof part === 'string' ? part : part.paste)).join('');
}

/** A buffer that holds a message, the cursor at its end. */
export function bufferOf(content: Content): Buffer {
  const { inserted, pastes } = tokensOf(content, []);
  return { text: inserted, cursor: inserted.length, pastes };
}

/** What to insert for a message, its pastes added to those that are there. */
export function tokensOf(content: Content, pastes: readonly string[]): { inserted: string; pastes: readonly string[] } {
  const all = [...pastes];
  const inserted = content.map((part) => {
    const text = insertable(typeof part === 'string' ? part : part.paste);
    if (all.length >= TOKENS_MAX || (typeof part === 'string' && !hasLongLine(text))) return text;
    all.push(text);
    return tokenOf(all.length - 1);
  });
  return { inserted: inserted.join(''), pastes: all };
}
