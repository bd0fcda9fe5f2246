import type { Look } from '../look/look.js';
import { labelOf } from '../node/node_label.js';
import type { Titled } from '../node/node_text.js';
import { formatAge } from '../text/age.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cut, cutAtWord } from '../text/cut.js';
import { differing } from '../text/differing_words.js';
import { count, shortId } from '../text/ids_and_counts.js';

/** One of the ways that a conversation went on from a fork. */
export interface Branch {
  /** Its first node. */
  id: string;
  current: boolean;
  /** The node whose words tell it from the others. */
  title: Titled;
  nodes: number;
  newestAtMs: number;
}

const WORDS_COLUMNS_MAX = 60;
const WORDS_COLUMNS_MIN = 4;
/** Where size and age would leave fewer to the words, only the id stands beside them. */
const WORDS_COLUMNS_GOOD = 20;
/** Blanks before each of id, size and age; fewer where all words have room then. */
const GAP_COLUMNS = 2;
const GAP_COLUMNS_MIN = 1;

/** Lists the branches of a fork, numbered; `all` is how many there are when these are only the first of them. */
export function renderBranches(branches: readonly Branch[], look: Look, all = branches.length): string {
  if (branches.length === 0) return 'Current node has no branches, and there is no fork above it.\n';
  const heads = branches.map(
    ({ current }, index) => `  ${index + 1}. ${current ? '[current] ' : ''}${look.glyphs.arrow} `,
  );
  const whole = branches.map(({ id, nodes, newestAtMs }) => {
    return [shortId(id), count(nodes, 'node'), formatAge(newestAtMs, look.nowMs)];
  });
  const roomBy = (tails: string[][], gap: number): number => {
    const tailColumns = widest(columns(tails, look, gap), look.ruler) + gap;
    return Math.min(WORDS_COLUMNS_MAX, look.width - tailColumns - widest(heads, look.ruler));
  };
  const fullWidth = widest(branchWords(branches, WORDS_COLUMNS_MAX, look), look.ruler);
  const isNarrow = roomBy(whole, GAP_COLUMNS_MIN) < Math.min(WORDS_COLUMNS_GOOD, fullWidth);
  const tails = isNarrow ? branches.map(({ id }) => [shortId(id)]) : whole;
  const roomBeside = (gap: number): number => roomBy(tails, gap);
  const isTight = fullWidth > roomBeside(GAP_COLUMNS) && fullWidth <= roomBeside(GAP_COLUMNS_MIN);
  const gap = isTight ? GAP_COLUMNS_MIN : GAP_COLUMNS;
  const words = branchWords(branches, Math.max(WORDS_COLUMNS_MIN, roomBeside(gap)), look);
  const lines = columns(
    tails.map((tail, index) => [`${heads[index] ?? ''}${words[index] ?? ''}`, ...tail]),
    look,
    gap,
  );
  return `Current node has ${count(all, 'branch')}:\n${lines.map((line) => `${cut(line, look.width, look)}\n`).join('')}`;
}

/** The words in which they differ: what a person said in quotes, anything else as it is drawn. */
function branchWords(branches: readonly Branch[], room: number, look: Look): string[] {
  const previewText = (preview: string, { title }: Branch): string => {
    if (title.role !== 'user') return labelOf({ ...title, preview }, room, look);
    return `"${cutAtWord(cleanLine(preview), room - 2, look)}"`;
  };
  const previews = branches.map(({ title }) => title.preview);
  const branchLabel = (preview: string, index: number): string => {
    const branch = branches[index];
    return branch === undefined ? preview : previewText(preview, branch);
  };
  return differing(previews, branchLabel, look).map(branchLabel);
}
