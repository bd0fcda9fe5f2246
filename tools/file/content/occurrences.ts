import { afterLineFeed, type Encoding } from './encoding.js';

/** The most occurrences that are searched. */
export const OCCURRENCES_MAX = 1_000;

/**
 * The offsets of some bytes in others, overlapping ones as well. Each byte is looked at a bounded number of times, whatever is in
 * it (Knuth, Morris and Pratt): the search of the platform takes minutes for texts that are made to be slow.
 */
export function findOccurrences(bytes: Uint8Array, pattern: Uint8Array, { name, markBytes }: Encoding): number[] {
  const offsets: number[] = [];
  if (pattern.length === 0 || pattern.length > bytes.length) return offsets;
  const width = name === 'utf-8' ? 1 : 2;
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let at = markBytes; at < bytes.length && offsets.length < OCCURRENCES_MAX; at += 1) {
    matched = extendMatch(bytes[at], { pattern, borders, matched });
    if (matched < pattern.length) continue;
    const offset = at + 1 - pattern.length;
    if (offset % width === 0) offsets.push(offset);
    matched = borders[matched - 1] ?? 0;
  }
  return offsets;
}

/** The lines, counted from 1, of ascending offsets. */
export function linesAt(bytes: Uint8Array, offsets: readonly number[], encoding: Encoding): number[] {
  let line = 1;
  let next = afterLineFeed(bytes, 0, encoding);
  return offsets.map((offset) => {
    for (; next !== -1 && next <= offset; next = afterLineFeed(bytes, next, encoding)) line += 1;
    return line;
  });
}

interface MatchState {
  pattern: Uint8Array;
  borders: Int32Array;
  /** How many bytes of the pattern match before this one. */
  matched: number;
}

function extendMatch(byte: number | undefined, { pattern, borders, matched }: MatchState): number {
  let length = matched;
  while (length > 0 && byte !== pattern[length]) length = borders[length - 1] ?? 0;
  return byte === pattern[length] ? length + 1 : length;
}

/** For each prefix: the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: Uint8Array): Int32Array {
  const borders = new Int32Array(pattern.length);
  let matched = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    matched = extendMatch(pattern[at], { pattern, borders, matched });
    borders[at] = matched;
  }
  return borders;
}
