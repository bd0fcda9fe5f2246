import { createFinder, type Finder, type NextFound, orderOf, type SearchPlace } from './finder.js';
import type { ViewedBlock } from './path_blocks.js';
import type { ViewerAction } from './viewer_keys.js';
import { composed, show, type ViewerState } from './viewer_state.js';
import { chosenAt, chosenBlock, folded, isFolded, type Rows, seenRows, shownAt, type Viewing } from './viewport.js';

/** Goes to the next match, then counts all of them. */
export async function search(
  viewer: ViewerState,
  { query, by }: Extract<ViewerAction, { kind: 'search' }>,
  signal: AbortSignal,
): Promise<void> {
  viewer.searches -= 1;
  if (viewer.path === null || signal.aborted) return;
  const finder = finderFor(viewer, query);
  if (finder === null) return;
  show(viewer, { ...viewer.view, word: 'searching…' });
  const found = await finder.next(startOf(viewer.view, by, viewer.rows()), by, signal);
  if (signal.aborted) return;
  if (found === null) {
    return show(viewer, { ...viewer.view, found: null, word: `Nothing here has ${JSON.stringify(query)} in it.` });
  }
  await reveal(viewer, found);
  // The next search does not wait for the count.
  if (viewer.searches === 0) await count(viewer, finder, found);
}

async function count(viewer: ViewerState, finder: Finder, { block, index }: NextFound): Promise<void> {
  const { signal } = viewer.counting;
  try {
    const tally = await finder.tally({ order: block.order, index }, signal);
    const { view } = viewer;
    if (!signal.aborted && view.found !== null) show(viewer, { ...view, found: { ...view.found, tally } });
  } catch (error) {
    // A key was pressed meanwhile.
    if (!signal.aborted) throw error;
  }
}

/** The cache is valid for one path, text and width. */
function finderFor(viewer: ViewerState, query: string): Finder | null {
  const { path, finder, rows } = viewer;
  if (path === null) return null;
  const { width } = rows();
  if (finder !== null && finder.path === path && finder.query === query && finder.width === width) return finder;
  // A call whose output was loaded further keeps it.
  const known = new Map(viewer.view.blocks.map((block) => [block.key, block]));
  const timesIn = (block: ViewedBlock): number => viewer.rows().hits(known.get(block.key) ?? block, query).length;
  viewer.finder = createFinder({ path, query, width, count: timesIn });
  return viewer.finder;
}

/** Continues from the current match while it is visible, else from the visible part of the selected block. */
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

/** Selects and unfolds the block and scrolls to the match. */
async function reveal(viewer: ViewerState, { block, index, isAround }: NextFound): Promise<void> {
  const { path } = viewer;
  const isHere = viewer.view.blocks.some(({ key }) => key === block.key);
  const before = isHere || path === null ? viewer.view : composed(viewer, await path.around(block.at));
  const rows = viewer.rows();
  const at = before.blocks.findIndex(({ key }) => key === block.key);
  const chosen = chosenAt({ ...before, word: null }, at, rows);
  const here = chosenBlock(chosen);
  if (here === null) return;
  const unfolded = isFolded(chosen, here) ? folded(chosen, rows) : chosen;
  const row = rows.hits(here, viewer.view.query)[index]?.row ?? 0;
  const gap = rows.gap(unfolded, at);
  const found = { key: block.key, index, isAround, tally: null };
  show(viewer, { ...shownAt(unfolded, { block: at, row: row + gap }, rows), found });
}
