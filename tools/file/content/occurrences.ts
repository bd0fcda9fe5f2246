import { afterLineFeed, type Encoding } from './encoding.js';

/** The most occurrences that are searched. */
export const OCCURRENCES_MAX = 1_000;

/**
 * The offsets of some bytes in others, overlapping ones as well. Each byte is looked at a bounded number of times, whatever is in
 * it (Knuth, Morris and Pratt): the search of the platform takes minutes for texts that are made to be slow.
 */
export function findOccurrences(bytes: Uint8Array, wanted: Uint8Array, { name, markBytes }: Encoding): number[] {
  const offsets: number[] = [];
  if (wanted.length === 0 || wanted.length > bytes.length) return offsets;
  const width = name === 'utf-8' ? 1 : 2;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = markBytes; at < bytes.length && offsets.length < OCCURRENCES_MAX; at += 1) {
    matched = extendMatch(bytes[at], { wanted, borders, matched });
    if (matched < wanted.length) continue;
    const offset = at + 1 - wanted.length;
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
  wanted: Uint8Array;
  borders: Int32Array;
  /** How many wanted bytes match before this one. */
  matched: number;
}

function extendMatch(byte: number | undefined, { wanted, borders, matched }: MatchState): number {
  let length = matched;
  while (length > 0 && byte !== wanted[length]) length = borders[length - 1] ?? 0;
  return byte === wanted[length] ? length + 1 : length;
}

/** For each prefix: the length of its longest proper prefix that is also its suffix. */
function bordersOf(wanted: Uint8Array): Int32Array {
  const borders = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    matched = extendMatch(wanted[at], { wanted, borders, matched });
    borders[at] = matched;
  }
  return borders;
}
