import { followTurns } from './follow_turns.js';
import { isCall, withOutput } from './path_blocks.js';
import { openPath, type PathWindow, type Read } from './path_window.js';
import { readOutput } from './read_path.js';
import { shownEnd } from './viewer_keys.js';
import {
  composed,
  doNext,
  goneAlong,
  isFollowing,
  onPath,
  show,
  type ViewerState,
  withComing,
} from './viewer_state.js';
import { chosenAt, chosenBlock, folded, isFolded, type Viewing } from './viewport.js';

const NEVER = new AbortController().signal;
/** After larger additions only the visible part is read. */
const ADDED_MAX = 1_000;
const NO_CALL = 'No tool was called here.';

/** Reads the changes of the path. */
export async function sync(viewer: ViewerState): Promise<void> {
  const { parts, path: before } = viewer;
  const tip = parts.position();
  // The status row may have changed all the same.
  if (tip === null) return parts.terminal.redrawScreen();
  if (tip === before?.tip) {
    follow(viewer, before);
    return changeBelow(viewer);
  }
  const path = await openPath(parts.client, tip, NEVER);
  const extended = await extendedRead(viewer, path, isFollowing(viewer));
  const read = extended ?? (await path.around(path.length));
  const wasFollowing = isFollowing(viewer);
  viewer.path = path;
  follow(viewer, path);
  const view = composed(viewer, read);
  if (before === null && parts.atLastCall) return showLastCall(viewer, view);
  show(viewer, goneAlong(view, wasFollowing || extended === null, viewer.rows()));
}

/** The loaded part extended by the nodes added since; null for another path or one far away. */
async function extendedRead(
  { path: before, view }: ViewerState,
  path: PathWindow,
  isAtEnd: boolean,
): Promise<Read | null> {
  if (before === null || path.length <= before.length) return null;
  const length = path.length;
  const isMuch = length - before.length > ADDED_MAX;
  const added = await path.since(before, isMuch ? before.length : length);
  if (added === null || (isMuch && isAtEnd)) return null;
  const blocks = onPath(view.blocks);
  if (isMuch || view.span.end < before.length) return { blocks, span: { ...view.span, length } };
  return { blocks: [...blocks, ...added], span: { ...view.span, end: length, length } };
}

async function showLastCall(viewer: ViewerState, view: Viewing): Promise<void> {
  const call = view.blocks.findLastIndex(isCall);
  const end = goneAlong(view, true, viewer.rows());
  if (call < 0) return show(viewer, { ...end, word: NO_CALL });
  const chosen = chosenAt({ ...end, word: null }, call, viewer.rows());
  const block = chosenBlock(chosen);
  show(viewer, block !== null && isFolded(chosen, block) ? folded(chosen, viewer.rows()) : chosen);
  await readMore(viewer);
}

/** Follows the turns of the open tree, anew after the stream has ended. */
function follow(viewer: ViewerState, { tree }: PathWindow): void {
  const { following, parts } = viewer;
  if (following !== null && following.tree === tree && !following.isOver()) return;
  following?.stop();
  viewer.following = followTurns({
    client: parts.client,
    tree,
    nowMs: Date.now,
    position: parts.position,
    tick: () => parts.terminal.redrawScreen(),
    changed(isOther) {
      if (isOther) changeBelow(viewer);
      // A viewer opened for the last call shows a running call, which arrives with the stream.
      if (isOther && viewer.view.word === NO_CALL) doNext(viewer, () => showLastCall(viewer, viewer.view));
      else parts.terminal.redrawScreen();
    },
  });
}

/** Shows the current uncommitted blocks below the path. */
function changeBelow(viewer: ViewerState): void {
  const wasFollowing = isFollowing(viewer);
  show(viewer, goneAlong(withComing(viewer), wasFollowing, viewer.rows()));
}

export async function goToEnd(viewer: ViewerState, which: 'first' | 'last'): Promise<void> {
  if (viewer.path === null) return;
  const read = await viewer.path.around(which === 'first' ? 0 : viewer.path.length);
  show(viewer, shownEnd(composed(viewer, read), which, viewer.rows()));
}

/** Loads more nodes before the person scrolls to the end of the loaded ones. */
export function growIfNear(viewer: ViewerState): void {
  const { view, path } = viewer;
  const near = viewer.rows().height * 2;
  const which = nearEdge(view, near);
  if (which === null || path === null) return;
  doNext(viewer, async () => {
    if (nearEdge(viewer.view, near) !== which || viewer.path === null) return;
    const { blocks, span } = viewer.view;
    const read = await viewer.path.extend({ blocks: onPath(blocks), span }, which);
    show(viewer, composed(viewer, read));
  });
}

function nearEdge({ top, blocks, span }: Viewing, near: number): 'up' | 'down' | null {
  if (top.block < near && span.start > 0) return 'up';
  return blocks.length - top.block < near * 2 && span.end < span.length ? 'down' : null;
}

/** Loads the rest of a truncated output when it is unfolded. */
export async function readMore(viewer: ViewerState): Promise<void> {
  const block = chosenBlock(viewer.view);
  if (block === null || block.more === null || isFolded(viewer.view, block)) return;
  const { text, isWhole } = await readOutput(viewer.parts.client, block.more.sha256);
  const blocks = viewer.view.blocks.map((one) => (one.key === block.key ? withOutput(one, text, isWhole) : one));
  // The stored output may have matches that the excerpt lacks.
  viewer.finder = null;
  show(viewer, { ...viewer.view, blocks });
}
