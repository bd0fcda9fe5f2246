import { isSimple, type Ruler } from '../look/ruler.js';

// The characters of East Asia that are two columns wide and never join with their neighbours, and printable ASCII.
const UNJOINED = /^[\x20-\x7e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\u3001-\u3003]*$/;
const ASCII_LAST = 0x7e;

/** The columns that a text takes at most: some terminals draw the parts of a joined emoji one after the other. */
export function cautiousWidth(text: string, ruler: Ruler): number {
  if (isSimple(text)) return text.length;
  let columns = 0;
  for (const { columns: wide } of measuredPieces(text, ruler)) columns += wide;
  return columns;
}

/** The pieces that are never cut apart, with the columns that each takes at most. */
export function* measuredPieces(text: string, ruler: Ruler): Generator<{ piece: string; columns: number }> {
  // Finding out what belongs together takes twenty times as long as this.
  if (UNJOINED.test(text)) {
    for (const piece of text) yield { piece, columns: piece.charCodeAt(0) > ASCII_LAST ? 2 : 1 };
    return;
  }
  for (const piece of ruler.pieces(text)) yield { piece, columns: widthOfPiece(piece, ruler) };
}

// Measuring a piece takes far longer than looking it up.
const CACHED_WIDTHS_MAX = 5_000;
const cachedWidths = new WeakMap<Ruler, Map<string, number>>();

function widthOfPiece(piece: string, ruler: Ruler): number {
  const widths = cachedWidths.get(ruler) ?? new Map<string, number>();
  cachedWidths.set(ruler, widths);
  const cached = widths.get(piece);
  if (cached !== undefined) return cached;
  const columns = measure(piece, ruler);
  if (widths.size >= CACHED_WIDTHS_MAX) widths.clear();
  widths.set(piece, columns);
  return columns;
}

function measure(piece: string, ruler: Ruler): number {
  const whole = ruler.width(piece);
  if (piece.length === 1) return whole;
  let apart = 0;
  for (const point of piece) apart += ruler.width(point);
  return Math.max(whole, apart);
}
