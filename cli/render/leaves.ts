import type { Leaf } from '../../hub/protocol/node.js';
import { formatAge } from './age.js';
import { cleanLine } from './clean.js';
import { columns } from './columns.js';
import { cut } from './cut.js';
import type { Look } from './look.js';
import { count, shortId } from './words.js';

const WORDS_COLUMNS_MAX = 60;
const WORDS_COLUMNS_MIN = 6;

/** Lists the ends of branches: a sign at the position, short id, age, length, and the words that tell it from the others. */
export function renderLeaves(leaves: readonly Leaf[], position: string | null, look: Look): string {
  const rows = leaves.map((leaf) => [
    leaf.node.id === position ? look.glyphs.here : ' ',
    shortId(leaf.node.id),
    formatAge(leaf.node.created_at_ms, look.nowMs),
    count(leaf.length, 'node'),
    leafWords(leaf, look),
  ]);
  const shown =
    look.width < WORDS_COLUMNS_MAX ? rows.map(([sign = '', id = '', , , words = '']) => [sign, id, words]) : rows;
  return columns(shown, look)
    .map((line) => `${cut(line, look.width, look)}\n`)
    .join('');
}

function leafWords(leaf: Leaf, look: Look): string {
  const words = cleanLine(leaf.differs) || (leaf.node.role === 'root' ? '(root)' : cleanLine(leaf.node.preview));
  return cut(words, Math.max(WORDS_COLUMNS_MIN, Math.min(WORDS_COLUMNS_MAX, look.width)), look);
}
