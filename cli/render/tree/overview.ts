import { runOf } from '../../../loom/tree.js';
import type { Look } from '../look/look.js';
import { inkOf, labelOf } from '../node/node_label.js';
import { formatKnownPrice } from '../reports/cost_table.js';
import { formatAge } from '../text/age.js';
import { cleanLine } from '../text/clean.js';
import { columns, widest } from '../text/columns.js';
import { cutAtWord } from '../text/cut.js';
import { differing } from '../text/differing_words.js';
import { count } from '../text/ids_and_counts.js';
import { marksTail, type Run, runsOf, type TreeDrawing, type TreeLine } from './draw_tree.js';

export interface Overview extends Omit<TreeDrawing, 'nested' | 'ids'> {
  /** What each answer cost, by its node; null for an unknown price. */
  prices: ReadonlyMap<string, number | null>;
}

/** With fewer columns a branch is told by its words and its age alone. */
const FACTS_COLUMNS_MIN = 70;
const AGE_COLUMNS_MIN = 40;
const WORDS_COLUMNS_MIN = 12;
const GAP_COLUMNS = 2;
const FILE_TOOLS: readonly string[] = ['write', 'edit'];

interface ShownBranch extends Run {
  /** The node whose words tell it from the others. */
  title: number;
  isPosition: boolean;
  marks: string;
  facts: string[];
}

/** One line for each branch between two forks: what was asked differently, its size, age, price and files. */
export function overviewLines(overview: Overview, look: Look): TreeLine[] {
  const drawing = { ...overview, nested: false, ids: false };
  const branches = [...runsOf(drawing, look)].map((run) => branchOf(run, overview, look));
  const tails = columns(
    branches.map(({ facts }) => facts),
    look,
  );
  const tailColumns = widest(tails, look.ruler) + GAP_COLUMNS;
  const here = ` ${look.glyphs.here}`;
  const rooms = branches.map(({ indent, marks, isPosition }) => {
    const taken = look.ruler.width(indent + marks) + (isPosition ? look.ruler.width(here) : 0);
    return Math.max(WORDS_COLUMNS_MIN, look.width - tailColumns - taken);
  });
  const words = wordsOf(branches, overview, { rooms, look });
  const used = branches.map(({ indent, marks, isPosition }, row) =>
    look.ruler.width(indent + (words[row] ?? '') + marks + (isPosition ? here : '')),
  );
  // Where nobody knows how wide it may be, it is as wide as its words.
  const left = Number.isFinite(look.width) ? look.width - tailColumns : Math.max(...used);
  return branches.map(({ indent, title, marks, isPosition }, row) => {
    const text = words[row] ?? '';
    const sign = isPosition ? here : '';
    const gap = ' '.repeat(Math.max(GAP_COLUMNS, left - (used[row] ?? 0) + GAP_COLUMNS));
    const ink = inkOf(overview.outline.nodes[title]?.role ?? 'root', look);
    const tail = tails[row] === '' ? '' : gap + look.style.quiet(tails[row] ?? '');
    return {
      text: look.style.quiet(indent) + ink(text) + look.style.quiet(marks) + look.style.here(sign) + tail,
      isPosition,
    };
  });
}

function branchOf(run: Run, overview: Overview, look: Look): ShownBranch {
  const { outline, position, marks, prices } = overview;
  const indexes = [...runOf(outline, run.start, run.end)];
  const nodes = indexes.flatMap((index) => outline.nodes[index] ?? []);
  const title = indexes.find((index) => outline.nodes[index]?.role === 'user') ?? run.start;
  const files = new Set(nodes.filter(({ tool }) => FILE_TOOLS.includes(tool ?? '')).map(({ preview }) => preview));
  const answers = nodes.map((node) => answerOf(node, outline));
  const price = priceWords(answers.flatMap((id) => prices.get(id) ?? (prices.has(id) ? [null] : [])));
  const age = formatAge(Math.max(...nodes.map(({ created_at_ms }) => created_at_ms)), look.nowMs);
  const all = [count(nodes.length, 'node'), age, price, files.size === 0 ? '' : count(files.size, 'file')];
  return {
    ...{ ...run, title },
    isPosition: nodes.some(({ id }) => id === position),
    marks: nodes.map(({ id }) => marksTail(marks.get(id) ?? [], look)).join(''),
    facts: look.width >= FACTS_COLUMNS_MIN ? all : [look.width >= AGE_COLUMNS_MIN ? age : ''],
  };
}

/** The sum of what is known. */
function priceWords(prices: readonly (number | null)[]): string {
  if (prices.length === 0) return '';
  const known = prices.filter((price) => price !== null);
  const microdollars = known.reduce((sum, one) => sum + one, 0);
  return formatKnownPrice({ microdollars, isWhole: known.length === prices.length });
}

/** The id that a request's answer has; of one that only calls tools the first call is listed. */
function answerOf({ id, step }: Overview['outline']['nodes'][number], { nodes, indexOf }: Overview['outline']): string {
  if (step?.index !== 1) return id;
  const above = indexOf(step.id);
  return above !== undefined && nodes[above]?.id === step.id ? id : step.id;
}

/** The words of each branch, those of one fork told apart. */
function wordsOf(
  branches: readonly ShownBranch[],
  { outline }: Overview,
  { rooms, look }: { rooms: readonly number[]; look: Look },
): string[] {
  const forks = new Map<string | null, number[]>();
  for (const [row, { start }] of branches.entries()) {
    const fork = outline.nodes[start]?.parent ?? null;
    forks.set(fork, [...(forks.get(fork) ?? []), row]);
  }
  const words: string[] = [];
  for (const rows of forks.values()) {
    const roomOf = (row: number): number => rooms[row] ?? 0;
    // The trunk has more room than those beside it: that alone does not tell them apart.
    const narrowest = Math.min(...rows.map(roomOf));
    const texts = rows.map((row) => titleWords(branches[row], outline, look));
    const apart = differing(texts, (text) => cutAtWord(text, narrowest, look), look);
    for (const [at, row] of rows.entries()) words[row] = cutAtWord(apart[at] ?? '', roomOf(row), look);
  }
  return words;
}

function titleWords(branch: ShownBranch | undefined, outline: Overview['outline'], look: Look): string {
  const node = outline.nodes[branch?.title ?? 0];
  if (node === undefined) return '';
  return node.role === 'user' ? cleanLine(node.preview) : labelOf(node, Number.POSITIVE_INFINITY, look);
}
