import type { Look } from '../../render/look/look.js';
import { renderRunningCall } from '../../render/node/tool_call.js';
import { renderBlock, type ShownBlock, searchedText } from '../../render/screens/viewer_block.js';
import { hitsIn, loosened, type RowMark, searchPattern, type TextHit } from '../../render/text/text_search.js';
import type { TextRow } from '../../render/text/wrap_words.js';
import { createGrowingRows, type GrowingRows } from './growing_rows.js';
import type { OpenBlock, ViewedBlock } from './path_blocks.js';
import { isFolded, type Rows, type Viewing } from './viewport.js';

interface KnownRows {
  width: number;
  rows: readonly TextRow[];
  /** The rows below a blank one. */
  apart: readonly TextRow[];
}

interface KnownHits {
  query: string;
  hits: readonly TextHit[];
}

interface Known {
  folded: WeakMap<object, KnownRows>;
  unfolded: WeakMap<object, KnownRows>;
  hits: WeakMap<readonly TextRow[], KnownHits>;
  growing: WeakMap<ViewedBlock, GrowingRows>;
  pattern: { query: string; regex: RegExp; loose: string };
  nowMs(): number;
}

const PRINTED_ROWS_MAX = 8;
const GAP: TextRow = { text: '', indent: 0, joint: '' };

/** Wraps blocks into rows and finds matches in them; both are cached. */
export function createRows(nowMs: () => number): (look: Look, height: number) => Rows {
  const known: Known = {
    ...{ folded: new WeakMap(), unfolded: new WeakMap(), hits: new WeakMap(), growing: new WeakMap(), nowMs },
    pattern: { query: '', regex: searchPattern(''), loose: '' },
  };
  return (look, height) => ({
    height,
    width: look.width,
    of: (view, at) => rowsOf(known, { view, at, look }),
    marks: (view, at) => marksOf(known, { view, at, look }),
    gap: (view, at) => (hasGap(view, at) ? 1 : 0),
    hits(block, query) {
      if (block.shown.kind === 'open') return [];
      const { loose } = patternOf(known, query);
      if (loose !== '' && !loosened(searchedText(block.shown, look)).includes(loose)) return [];
      return knownHits(known, cutOf(known, block.shown, { isFolded: false, look }).rows, query);
    },
  });
}

interface Place {
  view: Viewing;
  at: number;
  look: Look;
}

function rowsOf(known: Known, { view, at, look }: Place): readonly TextRow[] {
  const block = view.blocks[at];
  if (block === undefined) return [GAP];
  const { shown } = block;
  const isApart = hasGap(view, at);
  const isClosed = isFolded(view, block);
  if (shown.kind === 'open') {
    const rows = openRows(known, { block, open: shown.block, sinceMs: shown.sinceMs }, { isFolded: isClosed, look });
    return isApart ? [GAP, ...rows] : rows;
  }
  const { rows, apart } = cutOf(known, shown, { isFolded: isClosed, look });
  return isApart ? apart : rows;
}

/** The rows of a growing block are not cached as a whole. */
function openRows(
  known: Known,
  { block, open, sinceMs }: { block: ViewedBlock; open: OpenBlock['block']; sinceMs: number },
  { isFolded: isClosed, look }: { isFolded: boolean; look: Look },
): readonly TextRow[] {
  if (open.kind === 'call') {
    const call = { ...open, elapsedMs: known.nowMs() - sinceMs };
    const rows = renderRunningCall(call, isClosed ? 0 : PRINTED_ROWS_MAX, look);
    return rows.map((text) => ({ text, indent: 0, joint: '\n' }));
  }
  const growing = known.growing.get(block) ?? createGrowingRows();
  known.growing.set(block, growing);
  return growing(open, isClosed, look);
}

function cutOf(known: Known, shown: ShownBlock, how: { isFolded: boolean; look: Look }): KnownRows {
  const { isFolded: isClosed, look } = how;
  const all = isClosed ? known.folded : known.unfolded;
  const before = all.get(shown);
  if (before?.width === look.width) return before;
  const rows = renderBlock(shown, isClosed, look);
  const cut = { width: look.width, rows, apart: [GAP, ...rows] };
  all.set(shown, cut);
  return cut;
}

function patternOf(known: Known, query: string): Known['pattern'] {
  if (known.pattern.query !== query) {
    known.pattern = { query, regex: searchPattern(query), loose: loosened(query) };
  }
  return known.pattern;
}

/** The highlights of a block, by row. */
function marksOf(known: Known, { view, at, look }: Place): ReadonlyMap<number, RowMark[]> {
  const marks = new Map<number, RowMark[]>();
  if (view.query === '') return marks;
  const rows = rowsOf(known, { view, at, look });
  const current = view.found?.key === view.blocks[at]?.key ? (view.found?.index ?? -1) : -1;
  for (const [index, { parts }] of knownHits(known, rows, view.query).entries()) {
    for (const { row, start, end } of parts) {
      const mark = { start, end, isCurrent: index === current };
      const others = marks.get(row);
      if (others === undefined) marks.set(row, [mark]);
      else others.push(mark);
    }
  }
  return marks;
}

function knownHits(known: Known, rows: readonly TextRow[], query: string): readonly TextHit[] {
  const before = known.hits.get(rows);
  if (before?.query === query) return before.hits;
  const hits = hitsIn(rows, patternOf(known, query).regex);
  known.hits.set(rows, { query, hits });
  return hits;
}

/** Blocks are separated by a blank row, except one-row blocks. */
function hasGap({ blocks, flipped }: Viewing, at: number): boolean {
  const [above, here] = [blocks[at - 1], blocks[at]];
  if (above === undefined || here === undefined) return false;
  const isLow = (block: ViewedBlock): boolean => block.startsFolded && !flipped.has(block.key);
  return !(isLow(above) && isLow(here));
}
