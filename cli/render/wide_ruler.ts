import stringWidth from 'string-width';
import type { Ruler } from './ruler.js';
import { isSimple } from './ruler.js';

// More than any emoji needs. Longer clusters are heaps of combining marks, which would overflow into other lines.
const PIECE_LENGTH_MAX = 64;

const segmenter = new Intl.Segmenter();

/** For all of Unicode: wide characters, emoji of several code points, combining marks. */
export const wideRuler: Ruler = {
  width: (text) => (isSimple(text) ? text.length : stringWidth(text)),
  *pieces(text) {
    for (const { segment } of segmenter.segment(text)) yield segment.slice(0, PIECE_LENGTH_MAX);
  },
};
