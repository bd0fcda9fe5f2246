import type { NavigatorOptions } from './navigator.js';
import { type Navigation, openNavigation } from './navigator_state.js';
import type { Growing } from './read_shape.js';
import { createTreeShape, NONE } from './tree_shape.js';

/** Trees up to this size are read before anything is shown: that takes a moment. */
const READ_FIRST_NODES_MAX = 4_000;
/** The rows around the position that are read first, and as many as the screen has: there is something to move in. */
const NEAR_ROWS_MIN = 100;
const NEAR_ROWS_MAX = 1_000;

/** What is seen first: a small tree whole, of a large one the rows around the position. */
export async function beginAt(
  { client, tree, position, terminal }: NavigatorOptions,
  growing: Growing,
): Promise<Navigation> {
  const rows = Math.min(Math.max(NEAR_ROWS_MIN, terminal.size().rows), NEAR_ROWS_MAX);
  const near = await client.call('loom.tree_get_near', { tree: tree.id, node: position(), rows });
  if (near.node_count <= READ_FIRST_NODES_MAX) {
    const { grown } = growing;
    await growing.grow();
    const at = Math.max(0, grown.indexOf(near.node));
    return openNavigation({ grown, early: null, position: near.hidden ? NONE : at, sought: at });
  }
  const grown = createTreeShape();
  grown.add(near);
  const at = grown.indexOf(near.node);
  const { above, below, begins, ends, node_count: nodeCount } = near;
  const early = { anchor: at, above, below, begins, ends, nodeCount };
  return openNavigation({ grown, early, position: near.hidden ? NONE : at, sought: at });
}
