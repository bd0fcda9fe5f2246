import { createFinder, type Finder, type NextFound, orderOf, type SearchPlace } from './finder.js';
import type { ViewedBlock } from './path_blocks.js';
import type { ViewerAction } from './viewer_keys.js';
import { composed, show, type ViewerState } from './viewer_state.js';
import { chosenAt, chosenBlock, folded, isFolded, type Rows, seenRows, shownAt, type Viewing } from './viewport.js';

/** Goes to the next place that has what is searched for, and then counts all of them. */
export async function search(
  desk: ViewerState,
  { query, by }: Extract<ViewerAction, { kind: 'search' }>,
  signal: AbortSignal,
): Promise<void> {
  desk.searches -= 1;
  if (desk.path === null || signal.aborted) return;
  const finder = finderFor(desk, query);
  if (finder === null) return;
  show(desk, { ...desk.view, word: 'searching…' });
  const found = await finder.next(startOf(desk.view, by, desk.rows()), by, signal);
  if (signal.aborted) return;
  if (found === null) {
    return show(desk, { ...desk.view, found: null, word: `Nothing here has ${JSON.stringify(query)} in it.` });
  }
  await reveal(desk, found);
  // Whoever goes on at once is not kept waiting for the number.
  if (desk.searches === 0) await count(desk, finder, found);
}

async function count(desk: ViewerState, finder: Finder, { block, index }: NextFound): Promise<void> {
  const { signal } = desk.counting;
  try {
    const tally = await finder.tally({ order: block.order, index }, signal);
    const { view } = desk;
    if (!signal.aborted && view.found !== null) show(desk, { ...view, found: { ...view.found, tally } });
  } catch (error) {
    // A key was pressed meanwhile.
    if (!signal.aborted) throw error;
  }
}

/** What was looked through counts as long as the path, the text and the width are the same. */
function finderFor(desk: ViewerState, query: string): Finder | null {
  const { path, finder, rows } = desk;
  if (path === null) return null;
  const { width } = rows();
  if (finder !== null && finder.path === path && finder.query === query && finder.width === width) return finder;
  // Of a call whose output was read on there is more than what is read again.
  const known = new Map(desk.view.blocks.map((block) => [block.key, block]));
  const timesIn = (block: ViewedBlock): number => desk.rows().hits(known.get(block.key) ?? block, query).length;
  desk.finder = createFinder({ path, query, width, count: timesIn });
  return desk.finder;
}

/** From where one is among the places, as long as that is in sight; else from what is seen of the chosen block. */
function startOf(view: Viewing, by: -1 | 1, rows: Rows): SearchPlace {
  const block = chosenBlock(view);
  if (block === null) return { order: 0, index: by < 0 ? 0 : -1 };
  const order = orderOf(block);
  const hits = rows.hits(block, view.query);
  const seen = seenRows(view, rows).filter((row) => row.block === view.chosen);
  const isCut = !isFolded(view, block);
  const gap = rows.gap(view, view.chosen);
  const first = isCut ? (seen[0]?.row ?? 0) - gap : 0;
  const last = isCut ? (seen.at(-1)?.row ?? 0) - gap : Number.MAX_SAFE_INTEGER;
  const { found } = view;
  const hit = found?.key === block.key ? hits[found.index] : undefined;
  if (found !== null && hit !== undefined && hit.row >= first && hit.row <= last) return { order, index: found.index };
  const index =
    by < 0 ? hits.filter(({ row }) => row <= last).length : hits.filter(({ row }) => row < first).length - 1;
  return { order, index };
}

/** Chooses the block, unfolds it, and scrolls to the place. */
async function reveal(desk: ViewerState, { block, index, isAround }: NextFound): Promise<void> {
  const { path } = desk;
  const isHere = desk.view.blocks.some(({ key }) => key === block.key);
  const before = isHere || path === null ? desk.view : composed(desk, await path.around(block.at));
  const rows = desk.rows();
  const at = before.blocks.findIndex(({ key }) => key === block.key);
  const chosen = chosenAt({ ...before, word: null }, at, rows);
  const here = chosenBlock(chosen);
  if (here === null) return;
  const unfolded = isFolded(chosen, here) ? folded(chosen, rows) : chosen;
  const row = rows.hits(here, desk.view.query)[index]?.row ?? 0;
  const gap = rows.gap(unfolded, at);
  const found = { key: block.key, index, isAround, tally: null };
  show(desk, { ...shownAt(unfolded, { block: at, row: row + gap }, rows), found });
}
