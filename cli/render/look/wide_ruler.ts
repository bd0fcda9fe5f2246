import stringWidth from 'string-width';
import type { Ruler } from './ruler.js';
import { isSimple } from './ruler.js';

// More than any emoji needs. Longer clusters are stacks of combining marks, which would overflow into other lines.
const PIECE_LENGTH_MAX = 64;
// Each step of the segmenter takes time in proportion to the length of its string, so that long ones are walked in parts.
const PART_LENGTH = 256;

const segmenter = new Intl.Segmenter();

/** For all of Unicode: wide characters, emoji of several code points, combining marks. */
export const wideRuler: Ruler = {
  width(text) {
    if (isSimple(text)) return text.length;
    let columns = 0;
    for (const part of partsOf(text)) columns += isSimple(part) ? part.length : stringWidth(part);
    return columns;
  },
  *pieces(text) {
    for (const part of partsOf(text)) {
      for (const { segment } of segmenter.segment(part)) yield segment.slice(0, PIECE_LENGTH_MAX);
    }
  },
};

/** The text in parts that end where a piece does. */
function* partsOf(text: string): Generator<string> {
  let start = 0;
  let length = PART_LENGTH;
  while (text.length - start > length) {
    const part = text.slice(start, start + length);
    const last = segmenter.segment(part).containing(part.length - 1)?.index ?? 0;
    // The last piece may go on behind the part; if it fills the part, a longer part is taken.
    if (last === 0) {
      length *= 2;
      continue;
    }
    yield part.slice(0, last);
    start += last;
    length = PART_LENGTH;
  }
  yield text.slice(start);
}
