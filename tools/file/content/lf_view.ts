import { afterLineFeed, type Encoding, encode } from './encoding.js';

/** A file's bytes with LF line ends, and the offset that each of them had before. */
export interface LfView {
  bytes: Buffer;
  /** Maps an offset back; a line feed of CRLF maps to its carriage return. */
  originalOffset(offset: number): number;
}

/** A file with mixed line ends as its readers see it, where CRLF and LF look the same. */
export function lfViewOf(bytes: Buffer, encoding: Encoding): LfView {
  const returned = encode('\r\n', encoding);
  const width = returned.length / 2;
  const pieces: Buffer[] = [];
  /** The offsets, in the view, of the line feeds that lost their carriage return. */
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
  return { bytes: Buffer.concat(pieces), originalOffset: (offset) => offset + width * countSmaller(lost, offset) };
}

/** How many of these ascending numbers are smaller than the limit. */
function countSmaller(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
