import { searchPattern } from '../../render/text/text_search.js';

const LINES_MAX = 20;
const LENGTH_MAX = 4_000;
/** How much of a long line is shown before the words. */
const BEFORE_MAX = 200;

/** The first lines of a text, or the lines around the first match of some words. */
export function excerptOf(text: string, words: string): string[] {
  const at = words === '' ? 0 : Math.max(0, text.search(searchPattern(words)));
  const start = Math.max(lineBefore(text, at), wordFrom(text, at - BEFORE_MAX, at));
  return text
    .slice(start, start + LENGTH_MAX)
    .split('\n')
    .slice(0, LINES_MAX);
}

/** The start of the line before the one at an offset. */
function lineBefore(text: string, at: number): number {
  const line = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  return line < 2 ? 0 : text.lastIndexOf('\n', line - 2) + 1;
}

/** The start of the first word after an offset, which is never the middle of a character. */
function wordFrom(text: string, from: number, to: number): number {
  if (from <= 0) return 0;
  const blank = text.indexOf(' ', from);
  return blank !== -1 && blank < to ? blank + 1 : to;
}
