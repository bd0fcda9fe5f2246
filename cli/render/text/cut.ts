import type { Ruler } from '../look/ruler.js';

/** Shortens one line to so many columns, ending it with `end` when anything was taken away. */
export function cut(text: string, columns: number, look: { ruler: Ruler; glyphs: { ellipsis: string } }): string {
  const { ruler } = look;
  if (columns <= 0) return '';
  // No piece is wider than two columns per UTF-16 unit, so a short text needs no measuring.
  if (text.length * 2 <= columns || ruler.width(text) <= columns) return text;
  const end = look.glyphs.ellipsis.slice(0, columns);
  const room = columns - end.length;
  let start = '';
  let used = 0;
  for (const piece of ruler.pieces(text)) {
    used += ruler.width(piece);
    if (used > room) break;
    start += piece;
  }
  return start.trimEnd() + end;
}

/** A cut goes back to the end of a word over at most this share of the columns. */
const WORD_SHARE_MAX = 0.2;

/** The same, but it ends behind a whole word where the last one would be cut in the middle and is not too long. */
export function cutAtWord(text: string, columns: number, look: Parameters<typeof cut>[2]): string {
  const cutText = cut(text, columns, look);
  if (cutText === text) return text;
  const end = look.glyphs.ellipsis.slice(0, columns);
  const start = cutText.slice(0, cutText.length - end.length);
  const blank = start.lastIndexOf(' ');
  const isWhole = text[start.length] === ' ';
  const isNear = blank > 0 && look.ruler.width(start.slice(blank)) <= columns * WORD_SHARE_MAX;
  return isWhole || !isNear ? cutText : start.slice(0, blank).trimEnd() + end;
}

/** Adds blanks up to so many columns. */
export function pad(text: string, columns: number, ruler: Ruler): string {
  return text + ' '.repeat(Math.max(0, columns - ruler.width(text)));
}
