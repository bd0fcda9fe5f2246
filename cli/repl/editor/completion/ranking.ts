/** The rank of a match, lower is better; null when the query's characters do not occur in order. All in lower case. */
export function rankOf(query: string, { text, nameStart }: Ranked, atMost: number): number | null {
  const inName = text.indexOf(query, nameStart);
  if (inName === nameStart) return text.length - nameStart === query.length ? EXACT : NAME_START;
  if (inName > 0) return isWordStart(text, inName) ? NAME_WORD : NAME_PART;
  if (atMost < PATH_WORD) return NOT_BETTER;
  const inPath = text.indexOf(query);
  if (inPath >= 0) return isWordStart(text, inPath) ? PATH_WORD : PATH_PART;
  if (!occursInOrder(query, text)) return null;
  if (atMost < NAME_SIGNS) return NOT_BETTER;
  const gaps = gapsIn(query, text, nameStart);
  return gaps === null ? PATH_SIGNS + (gapsIn(query, text, 0) ?? GAPS_MAX) : NAME_SIGNS + gaps;
}

/** A path, and the offset of its file name. */
interface Ranked {
  text: string;
  nameStart: number;
}

/** The rank of a match that is no better than `atMost`; it is not computed further. */
export const NOT_BETTER = Number.POSITIVE_INFINITY;

const EXACT = 0;
const NAME_START = 1_000;
const NAME_WORD = 2_000;
const NAME_PART = 3_000;
const PATH_WORD = 4_000;
const PATH_PART = 5_000;
const NAME_SIGNS = 6_000;
const PATH_SIGNS = 8_000;
const GAPS_MAX = 1_999;

function occursInOrder(query: string, text: string): boolean {
  let found = 0;
  for (let at = 0; at < text.length && found < query.length; at++) {
    if (text.charCodeAt(at) === query.charCodeAt(found)) found++;
  }
  return found === query.length;
}

/** The size of the gaps between the query's characters; a gap before a word start counts as 1. */
function gapsIn(query: string, text: string, from: number): number | null {
  let at = from - 1;
  let gaps = 0;
  for (const sign of query) {
    const next = text.indexOf(sign, at + 1);
    if (next < 0) return null;
    if (next > at + 1) gaps += isWordStart(text, next) ? 1 : next - at;
    at = next + sign.length - 1;
  }
  return Math.min(gaps, GAPS_MAX);
}

const SEPARATORS = '/._- ';

function isWordStart(text: string, at: number): boolean {
  return at === 0 || SEPARATORS.includes(text.charAt(at - 1));
}

/** Normalises a text for comparison: case and the encoding of accents are ignored. */
export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
