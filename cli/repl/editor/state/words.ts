import { boundaryAt } from './graphemes.js';
import { isToken } from './paste_tokens.js';

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const IN_WORD = /[\p{L}\p{N}\p{M}_]/u;
const ASCII_ONLY = /^\p{ASCII}*$/u;
// Longer runs without a blank are not words; reading them whole would take too long for one key.
const RUN_LENGTH_MAX = 4_096;

/** The start of the word before an offset, separators skipped. A token is a word. */
export function wordBefore(text: string, at: number): number {
  let end = at;
  while (end > 0 && !isInWord(signEndingAt(text, end)) && !isToken(text, end - 1))
    end -= signEndingAt(text, end).length;
  if (end > 0 && isToken(text, end - 1)) return end - 1;
  let start = end;
  while (start > 0 && end - start < RUN_LENGTH_MAX && isInWord(signEndingAt(text, start))) {
    start -= signEndingAt(text, start).length;
  }
  return boundaryAt(text, end - lastWordLength(text.slice(start, end)));
}

/** The end of the word after an offset. */
export function wordAfter(text: string, at: number): number {
  let start = at;
  while (start < text.length && !isInWord(signAt(text, start)) && !isToken(text, start))
    start += signAt(text, start).length;
  if (isToken(text, start)) return start + 1;
  let end = start;
  while (end < text.length && end - start < RUN_LENGTH_MAX && isInWord(signAt(text, end))) {
    end += signAt(text, end).length;
  }
  return boundaryAt(text, start + firstWordLength(text.slice(start, end)));
}

/** The length of the last word of a run: scripts without blanks have several words in one. */
function lastWordLength(run: string): number {
  if (ASCII_ONLY.test(run)) return run.length;
  return words.segment(run).containing(run.length - 1)?.segment.length ?? run.length;
}

function firstWordLength(run: string): number {
  if (ASCII_ONLY.test(run)) return run.length;
  return words.segment(run).containing(0)?.segment.length ?? run.length;
}

function isInWord(sign: string): boolean {
  return IN_WORD.test(sign);
}

function signAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function signEndingAt(text: string, end: number): string {
  const pair = text.codePointAt(end - 2) ?? 0;
  return pair > 0xffff ? text.slice(end - 2, end) : text.slice(end - 1, end);
}
