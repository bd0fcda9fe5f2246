import { withLongerPreviews } from '../../position/longer_previews.js';
import { noteArchivedPosition } from '../../position/position.js';
import { formatNumber } from '../../render/text/ids_and_counts.js';
import { type Branch, renderBranches } from '../../render/tree/branches.js';
import { NONE } from '../../web/page/core/node_table.js';
import type { TreeShape } from '../navigator/tree_shape.js';
import type { Repl, ReplCommand } from '../repl.js';
import { childrenOf, newestBelow, pathUp, readOpenTreeShape, shownIndex } from '../tree/open_tree_shape.js';
import { hasFlag } from '../tree/split_words.js';

// A longer list is not readable.
const BRANCHES_MAX = 200;

export const branchesCommand: ReplCommand = {
  name: 'branches',
  usage: '[--all]',
  summary: 'list the branches here, or at the nearest fork above',
  completes: null,
  details: async () => [['--all', 'with archived branches']],
  async run(argument, repl) {
    const all = hasFlag(argument, '--all', branchesCommand);
    await repl.conversation().ensure();
    const shape = await readOpenTreeShape(repl, all);
    const { place } = repl.conversation();
    const here = await shownIndex(repl, shape, place.position());
    if (!here.isItself) noteArchivedPosition(repl.context, place.position());
    // Right after /fork the branches of the position are meant, not those of a fork point above.
    const isBare = here.isItself && place.isForked() && shape.childCount(here.index) === 0;
    const fork = isBare ? NONE : forkFor(shape, here.index);
    const sorted = fork === NONE ? [] : sortedBranches(shape, { fork, here: here.index });
    const branches = await readBranches(repl, shape, sorted.slice(0, BRANCHES_MAX));
    repl.listed = { kind: 'branches', nodes: branches.map(({ id }) => id) };
    const look = await repl.context.look(branches.map(({ title }) => title.preview));
    const text = isBare
      ? 'Current node has no branches: nothing has grown from here yet.\n'
      : renderBranches(branches, look, sorted.length);
    await repl.front.show({ kind: 'text', text });
    if (sorted.length <= branches.length) return;
    const which = `these are the newest ${formatNumber(branches.length)} of ${formatNumber(sorted.length)}`;
    await repl.front.show({
      kind: 'note',
      text: `(${which}; walk through all of them with Esc Esc, or find one with /search)`,
    });
  },
};

/** The node whose children are listed: the position if it has any, else the nearest fork point above. */
function forkFor(shape: TreeShape, index: number): number {
  if (shape.childCount(index) > 0) return index;
  let above = shape.parentOf(index);
  while (above !== NONE && shape.childCount(above) < 2) above = shape.parentOf(above);
  return above;
}

interface Placed {
  index: number;
  current: boolean;
  newest: number;
}

/** The current branch first, then the newest. */
function sortedBranches(shape: TreeShape, { fork, here }: { fork: number; here: number }): Placed[] {
  const path = pathUp(shape, here);
  const newest = newestBelow(shape);
  return childrenOf(shape, fork)
    .map((index) => ({ index, current: path.has(index), newest: newest[index] ?? index }))
    .sort((a, b) => Number(b.current) - Number(a.current) || b.newest - a.newest);
}

async function readBranches(
  { client, conversation }: Repl,
  shape: TreeShape,
  placed: readonly Placed[],
): Promise<Branch[]> {
  const { tree } = conversation().place;
  const { nodes } = await client.call('loom.tree_get_lines', {
    tree,
    seqs: placed.map(({ index }) => shape.seqOf(index)),
  });
  const titles = await withLongerPreviews(client, nodes);
  return titles.flatMap((title, number) => {
    const one = placed[number];
    if (one === undefined) return [];
    const { index, current, newest } = one;
    return [{ id: title.id, current, title, nodes: shape.sizeOf(index), newestAtMs: shape.atMs(newest) }];
  });
}

/** The size and the age of a branch, as its list tells them. */
export async function branchFrom(repl: Repl, seq: number): Promise<Branch | null> {
  const shape = await readOpenTreeShape(repl, true);
  const index = shape.indexOf(seq);
  if (index === NONE) return null;
  const newest = newestBelow(shape)[index] ?? index;
  const [branch] = await readBranches(repl, shape, [{ index, current: false, newest }]);
  return branch ?? null;
}
