import type { Look } from '../look/look.js';

/**
 * Texts of which several are shown alike, because they begin with the same words: those begin, after an ellipsis, with
 * the word in which they differ. `shown` tells what of a text is seen; texts that are the same stay as they are.
 */
export function differing(
  texts: readonly string[],
  visible: (text: string, index: number) => string,
  look: Look,
): string[] {
  const result = [...texts];
  const alike = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    const seen = visible(text, index);
    const indexes = alike.get(seen) ?? [];
    indexes.push(index);
    alike.set(seen, indexes);
  }
  for (const indexes of alike.values()) {
    const own = indexes.map((index) => texts[index] ?? '');
    const start = wordStart(own, look);
    if (start === 0) continue;
    const rest = own.map((text) => `${look.glyphs.ellipsis}${text.slice(start)}`);
    const apart = differing(rest, (text, at) => visible(text, indexes[at] ?? 0), look);
    for (const [at, index] of indexes.entries()) result[index] = apart[at] ?? '';
  }
  return result;
}

/** Where the first word begins that not all texts have; 0 where they are the same, or begin apart. */
function wordStart([first = '', ...others]: readonly string[], { ruler, glyphs }: Look): number {
  if (others.every((text) => text === first)) return 0;
  let common = 0;
  let start = 0;
  for (const piece of ruler.pieces(first)) {
    if (!others.every((text) => text.startsWith(piece, common))) break;
    common += piece.length;
    if (piece === ' ') start = common;
  }
  // Within a long first word they begin right where they differ. An ellipsis has to gain something.
  const gains = [start, common].filter((at) => at > glyphs.ellipsis.length);
  return gains[0] ?? 0;
}
