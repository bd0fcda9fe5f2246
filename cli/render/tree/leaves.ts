import type { Leaf } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { formatAge } from '../text/age.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cut, cutAtWord } from '../text/cut.js';
import { differing } from '../text/differing_words.js';
import { count, shortId } from '../text/ids_and_counts.js';

const WORDS_COLUMNS_MAX = 60;
const WORDS_COLUMNS_MIN = 6;
/** Two blanks before the words. */
const GAP_COLUMNS = 2;

/** Lists the ends of branches: a sign at the position, short id, age, length, and the words that tell it from the others. */
export function renderLeaves(leaves: readonly Leaf[], position: string | null, look: Look): string {
  const facts = leaves.map((leaf) => [
    leaf.node.id === position ? look.glyphs.here : ' ',
    shortId(leaf.node.id),
    formatAge(leaf.node.created_at_ms, look.nowMs),
    count(leaf.length, 'node'),
  ]);
  const heads = look.width < WORDS_COLUMNS_MAX ? facts.map((index) => index.slice(0, 2)) : facts;
  const room = look.width - widest(columns(heads, look), look.ruler) - GAP_COLUMNS;
  const cutWords = (words: string): string =>
    cutAtWord(words, Math.max(WORDS_COLUMNS_MIN, Math.min(WORDS_COLUMNS_MAX, room)), look);
  const words = differing(leaves.map(leafWords), cutWords, look).map(cutWords);
  return columns(
    heads.map((head, index) => [...head, words[index] ?? '']),
    look,
  )
    .map((line) => `${cut(line, look.width, look)}\n`)
    .join('');
}

function leafWords({ node, differs }: Leaf): string {
  return cleanLine(differs) || (node.role === 'root' ? '(root)' : cleanLine(node.preview));
}
