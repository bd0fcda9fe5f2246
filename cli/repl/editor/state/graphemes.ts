import { isToken } from './paste_tokens.js';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

// A boundary between two of these does not depend on other characters.
const isPlain = (code: number): boolean => code < 0x80;
const isLineEnd = (text: string, at: number): boolean => text[at] === '\n';

/** The start of the grapheme before an offset. */
export function signBefore(text: string, at: number): number {
  if (at <= 1) return 0;
  if (isLineEnd(text, at - 1) || (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at - 2)))) return at - 1;
  return segmentAt(text, at - 1).start;
}

/** The end of the grapheme at an offset. */
export function signAfter(text: string, at: number): number {
  if (at >= text.length - 1) return text.length;
  if (isLineEnd(text, at) || (isPlain(text.charCodeAt(at)) && isPlain(text.charCodeAt(at + 1)))) return at + 1;
  return segmentAt(text, at).end;
}

/** The offset itself, or the end of the grapheme that it is inside. */
export function boundaryAt(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at;
  if (isLineEnd(text, at - 1) || isLineEnd(text, at)) return at;
  const { start, end } = segmentAt(text, at);
  return start === at ? at : end;
}

/** Where the run of signs without blanks before a place begins. */
export function runBefore(text: string, at: number): number {
  const isBlank = (offset: number): boolean => /\s/.test(text[offset] ?? '');
  let place = at;
  while (place > 0 && isBlank(place - 1)) place--;
  while (place > 0 && !isBlank(place - 1)) place--;
  return boundaryAt(text, place);
}

/** The bounds of the line at an offset, without its line end. */
export function lineAt(text: string, at: number): { start: number; end: number } {
  const end = text.indexOf('\n', at);
  return { start: at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1, end: end < 0 ? text.length : end };
}

function segmentAt(text: string, at: number): { start: number; end: number } {
  const line = lineAt(text, at);
  const found = graphemes.segment(text.slice(line.start, line.end)).containing(at - line.start);
  const start = line.start + (found?.index ?? 0);
  return withoutTokens(text, { start, end: start + (found?.segment.length ?? 1) }, at);
}

/** Excludes tokens: a combining mark joins any character before it, but a token stays alone. */
function withoutTokens(
  text: string,
  { start, end }: { start: number; end: number },
  at: number,
): { start: number; end: number } {
  if (isToken(text, at)) return { start: at, end: at + 1 };
  let first = at;
  let last = at;
  while (first > start && !isToken(text, first - 1)) first--;
  while (last < end && !isToken(text, last)) last++;
  return { start: first, end: last };
}
