import { afterLineFeed, type Encoding } from './encoding.js';

/** So many places of one text are looked for. */
export const PLACES_MAX = 1_000;

/**
 * Where bytes stand in others, also where they overlap. Each byte is looked at a bounded number of times, whatever is in
 * it (Knuth, Morris and Pratt): the search of the platform takes minutes for texts that are made to be slow.
 */
export function placesOf(bytes: Uint8Array, wanted: Uint8Array, { name, markBytes }: Encoding): number[] {
  const places: number[] = [];
  if (wanted.length === 0 || wanted.length > bytes.length) return places;
  const width = name === 'utf-8' ? 1 : 2;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = markBytes; at < bytes.length && places.length < PLACES_MAX; at += 1) {
    matched = matchedWith(bytes[at], { wanted, borders, matched });
    if (matched < wanted.length) continue;
    const place = at + 1 - wanted.length;
    if (place % width === 0) places.push(place);
    matched = borders[matched - 1] ?? 0;
  }
  return places;
}

/** The lines, counted from 1, in which places stand; these are given in their order. */
export function linesAt(bytes: Uint8Array, places: readonly number[], encoding: Encoding): number[] {
  let line = 1;
  let next = afterLineFeed(bytes, 0, encoding);
  return places.map((place) => {
    for (; next !== -1 && next <= place; next = afterLineFeed(bytes, next, encoding)) line += 1;
    return line;
  });
}

interface Matching {
  wanted: Uint8Array;
  borders: Int32Array;
  /** How many bytes of what is wanted stand before this one. */
  matched: number;
}

function matchedWith(byte: number | undefined, { wanted, borders, matched }: Matching): number {
  let length = matched;
  while (length > 0 && byte !== wanted[length]) length = borders[length - 1] ?? 0;
  return byte === wanted[length] ? length + 1 : length;
}

/** For each beginning of what is wanted: how much of it is also its end. */
function bordersOf(wanted: Uint8Array): Int32Array {
  const borders = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    matched = matchedWith(wanted[at], { wanted, borders, matched });
    borders[at] = matched;
  }
  return borders;
}
