import { afterLineFeed, type Encoding, encode } from './encoding.js';

/** Bytes of a file of which every line ends with LF, and where each place of them stood before. */
export interface Flattened {
  bytes: Buffer;
  /** The first of the bytes that a place begins with; of CRLF that is the return. */
  placeOf(place: number): number;
}

/** A file with both line ends as its readers see it: nobody can tell one line end from the other there. */
export function flattened(bytes: Buffer, encoding: Encoding): Flattened {
  const returned = encode('\r\n', encoding);
  const width = returned.length / 2;
  const pieces: Buffer[] = [];
  /** The places, in what is made, of the line feeds that have lost their return. */
  const lost: number[] = [];
  let from = 0;
  for (let at = afterLineFeed(bytes, 0, encoding); at !== -1; at = afterLineFeed(bytes, at, encoding)) {
    const end = at - returned.length;
    if (end < from || returned.compare(bytes, end, at) !== 0) continue;
    lost.push(at - width - (lost.length + 1) * width);
    pieces.push(bytes.subarray(from, end));
    from = at - width;
  }
  pieces.push(bytes.subarray(from));
  return { bytes: Buffer.concat(pieces), placeOf: (place) => place + width * countBelow(lost, place) };
}

/** How many of these numbers, which grow, are smaller than a number. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
