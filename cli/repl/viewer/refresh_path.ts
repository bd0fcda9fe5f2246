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
/** Where more has been added at once, only what is looked at is read of it. */
const ADDED_MAX = 1_000;
const NO_CALL = 'No tool was called here.';

/** Reads what has changed of the path. */
export async function sync(desk: ViewerState): Promise<void> {
  const { parts, path: before } = desk;
  const tip = parts.position();
  // The row at the bottom may tell something else all the same.
  if (tip === null) return parts.terminal.redrawScreen();
  if (tip === before?.tip) {
    follow(desk, before);
    return changeBelow(desk);
  }
  const path = await openPath(parts.client, tip, NEVER);
  const grown = await grownRead(desk, path, isFollowing(desk));
  const read = grown ?? (await path.around(path.length));
  const wasFollowing = isFollowing(desk);
  desk.path = path;
  follow(desk, path);
  const view = composed(desk, read);
  if (before === null && parts.atLastCall) return showLastCall(desk, view);
  show(desk, goneAlong(view, wasFollowing || grown === null, desk.rows()));
}

/** What was read with what has been added to the path since; null when that is another path, or far away. */
async function grownRead(
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

async function showLastCall(desk: ViewerState, view: Viewing): Promise<void> {
  const call = view.blocks.findLastIndex(isCall);
  const end = goneAlong(view, true, desk.rows());
  if (call < 0) return show(desk, { ...end, word: NO_CALL });
  const chosen = chosenAt({ ...end, word: null }, call, desk.rows());
  const block = chosenBlock(chosen);
  show(desk, block !== null && isFolded(chosen, block) ? folded(chosen, desk.rows()) : chosen);
  await readMore(desk);
}

/** Listens to the turns of the tree that one stands in; again, where listening was cut off. */
function follow(desk: ViewerState, { tree }: PathWindow): void {
  const { following, parts } = desk;
  if (following !== null && following.tree === tree && !following.isOver()) return;
  following?.stop();
  desk.following = followTurns({
    client: parts.client,
    tree,
    nowMs: Date.now,
    position: parts.position,
    tick: () => parts.terminal.redrawScreen(),
    told(isOther) {
      if (isOther) changeBelow(desk);
      // Who opened it for the last call is shown the one that runs: that is told a moment later.
      if (isOther && desk.view.word === NO_CALL) doNext(desk, () => showLastCall(desk, desk.view));
      else parts.terminal.redrawScreen();
    },
  });
}

/** Other blocks are coming below the path than before. */
function changeBelow(desk: ViewerState): void {
  const wasFollowing = isFollowing(desk);
  show(desk, goneAlong(withComing(desk), wasFollowing, desk.rows()));
}

export async function goToEnd(desk: ViewerState, which: 'first' | 'last'): Promise<void> {
  if (desk.path === null) return;
  const read = await desk.path.around(which === 'first' ? 0 : desk.path.length);
  show(desk, shownEnd(composed(desk, read), which, desk.rows()));
}

/** Reads on before somebody comes to the end of what was read. */
export function growIfNear(desk: ViewerState): void {
  const { view, path } = desk;
  const near = desk.rows().height * 2;
  const which = nearEdge(view, near);
  if (which === null || path === null) return;
  doNext(desk, async () => {
    if (nearEdge(desk.view, near) !== which || desk.path === null) return;
    const { blocks, span } = desk.view;
    const read = await desk.path.grown({ blocks: onPath(blocks), span }, which);
    show(desk, composed(desk, read));
  });
}

function nearEdge({ top, blocks, span }: Viewing, near: number): 'up' | 'down' | null {
  if (top.block < near && span.start > 0) return 'up';
  return blocks.length - top.block < near * 2 && span.end < span.length ? 'down' : null;
}

/** Of an output that is longer than what a model was shown, the rest comes when it is unfolded. */
export async function readMore(desk: ViewerState): Promise<void> {
  const block = chosenBlock(desk.view);
  if (block === null || block.more === null || isFolded(desk.view, block)) return;
  const { text, isWhole } = await readOutput(desk.parts.client, block.more.sha256);
  const blocks = desk.view.blocks.map((one) => (one.key === block.key ? withOutput(one, text, isWhole) : one));
  // What is stored may have what is searched for where the excerpt has not.
  desk.finder = null;
  show(desk, { ...desk.view, blocks });
}
