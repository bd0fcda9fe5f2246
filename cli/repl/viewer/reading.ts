import { withOutput } from './blocks.js';
import { doNext, show, type ViewerDesk } from './desk.js';
import { shownEnd, type ViewerWish } from './keys.js';
import { readOutput } from './path.js';
import { nextMatch } from './search.js';
import {
  atEnd,
  chosenAt,
  chosenBlock,
  folded,
  isAtEnd,
  isFolded,
  type Rows,
  type Viewing,
  withBlocks,
} from './view.js';
import { openPath } from './window.js';

/** Reads what has changed of the path. */
export async function sync(desk: ViewerDesk): Promise<void> {
  const { parts, path: before } = desk;
  const tip = parts.position();
  // The row at the bottom may tell something else all the same.
  if (tip === null || tip === before?.tip) return parts.terminal.redrawScreen();
  const never = new AbortController().signal;
  const path = await openPath(parts.client, tip, never);
  const isFollowing = isAtEnd(desk.view, desk.rows());
  desk.path = path;
  if (before !== null && path.length > before.length && desk.view.span.end === before.length) {
    const [last, ...added] = await path.blocks({ start: before.length - 1, end: path.length }, never);
    const known = desk.view.blocks.at(-1);
    if (last?.key === known?.key && added.length < ADDED_MAX) {
      const span = { ...desk.view.span, end: path.length, length: path.length };
      const grown = withBlocks(desk.view, [...desk.view.blocks, ...added], span);
      return show(desk, isFollowing ? atEnd(grown, desk.rows()) : grown);
    }
  }
  const { blocks, span } = await path.around(path.length);
  const view = atEnd(withBlocks(desk.view, blocks, span), desk.rows());
  if (before !== null || !parts.atLastCall) return show(desk, view);
  const call = blocks.findLastIndex(({ shown }) => shown.kind === 'call');
  if (call < 0) return show(desk, { ...view, word: 'No tool was called here.' });
  show(desk, folded(chosenAt(view, call, desk.rows()), desk.rows()));
  await readMore(desk);
}

const ADDED_MAX = 1_000;

export async function goToEnd(desk: ViewerDesk, which: 'first' | 'last'): Promise<void> {
  if (desk.path === null) return;
  const { blocks, span } = await desk.path.around(which === 'first' ? 0 : desk.path.length);
  show(desk, shownEnd(withBlocks(desk.view, blocks, span), which, desk.rows()));
}

/** Reads on before somebody comes to the end of what was read. */
export function growIfNear(desk: ViewerDesk): void {
  const { view, path } = desk;
  const near = desk.rows().height * 2;
  const which = nearEdge(view, near);
  if (which === null || path === null) return;
  doNext(desk, async () => {
    if (nearEdge(desk.view, near) !== which || desk.path === null) return;
    const { blocks, span } = await desk.path.grown(desk.view, which);
    show(desk, withBlocks(desk.view, blocks, span));
  });
}

function nearEdge({ top, blocks, span }: Viewing, near: number): 'up' | 'down' | null {
  if (top.block < near && span.start > 0) return 'up';
  return blocks.length - top.block < near * 2 && span.end < span.length ? 'down' : null;
}

/** Of an output that is longer than what a model was shown, the rest comes when it is unfolded. */
export async function readMore(desk: ViewerDesk): Promise<void> {
  const block = chosenBlock(desk.view);
  if (block === null || block.more === null || isFolded(desk.view, block)) return;
  const { text, isWhole } = await readOutput(desk.parts.client, block.more.sha256);
  const blocks = desk.view.blocks.map((one) => (one.key === block.key ? withOutput(one, text, isWhole) : one));
  show(desk, { ...desk.view, blocks });
}

export async function search(
  desk: ViewerDesk,
  { query, by }: Extract<ViewerWish, { kind: 'search' }>,
  signal: AbortSignal,
): Promise<void> {
  const { path } = desk;
  if (path === null || signal.aborted) return;
  show(desk, { ...desk.view, word: 'searching…' });
  const found = await nextMatch(desk.view, { query, by, path, signal });
  if (signal.aborted) return;
  if (found === null) {
    const word = `Nothing further ${by < 0 ? 'up' : 'down'} has ${JSON.stringify(query)} in it.`;
    return show(desk, { ...desk.view, word });
  }
  const isHere = desk.view.blocks.some(({ key }) => key === found.key);
  const read = isHere ? desk.view : await path.around(found.at);
  const view = withBlocks({ ...desk.view, word: null }, read.blocks, read.span);
  show(desk, revealed(view, { key: found.key, query }, desk.rows()));
}

/** Chooses a block, unfolds it when what was looked for would not be seen, and scrolls to that. */
function revealed(before: Viewing, { key, query }: { key: string; query: string }, rows: Rows): Viewing {
  const at = before.blocks.findIndex((block) => block.key === key);
  const rowOf = (view: Viewing): number =>
    rows.of(view, at).findIndex((row) => row.toLowerCase().includes(query.toLowerCase()));
  const chosen = chosenAt(before, at, rows);
  const block = chosenBlock(chosen);
  const view = block !== null && isFolded(chosen, block) && rowOf(chosen) < 0 ? folded(chosen, rows) : chosen;
  const row = rowOf(view);
  return row < rows.height ? view : { ...view, top: { block: at, row: row - 1 } };
}
