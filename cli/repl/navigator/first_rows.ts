import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { NONE } from '../../web/page/core/node_table.js';
import { type Navigation, openNavigation } from './navigator_state.js';
import type { ShapeReader } from './shape_reader.js';
import { createTreeShape } from './tree_shape.js';

/** Trees up to this size are read before anything is shown: that takes a moment. */
const READ_FIRST_NODES_MAX = 4_000;
/** The rows around the position that are read first, and as many as the screen has: there is something to move in. */
const NEAR_ROWS_MIN = 100;
const NEAR_ROWS_MAX = 1_000;

interface FirstRowsParts {
  client: Client;
  tree: TreeId;
  position: NodeId;
  screenRows: number;
  reader: ShapeReader;
}

/** What is seen first: a small tree whole, of a large one the rows around the position. */
export async function readFirstRows(parts: FirstRowsParts): Promise<Navigation> {
  const { client, tree, position, screenRows, reader } = parts;
  const rows = Math.min(Math.max(NEAR_ROWS_MIN, screenRows), NEAR_ROWS_MAX);
  const near = await client.call('loom.tree_get_near', { tree, node: position, rows });
  if (near.node_count <= READ_FIRST_NODES_MAX) {
    await reader.readOn();
    const index = Math.max(0, reader.shape.indexOf(near.node));
    return openNavigation({
      shape: reader.shape,
      partial: null,
      position: near.hidden ? NONE : index,
      preferred: index,
    });
  }
  const shape = createTreeShape();
  shape.add(near);
  const index = shape.indexOf(near.node);
  const { above, below, begins, ends, node_count: nodeCount } = near;
  const partial = { anchor: index, above, below, begins, ends, nodeCount };
  return openNavigation({ shape, partial, position: near.hidden ? NONE : index, preferred: index });
}
