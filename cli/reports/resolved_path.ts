import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Node, NodeId } from '../../hub/protocol/node.js';
import { inOrder } from './ordered_concurrency.js';

/** How many handles are resolved at the same time. */
const RESOLVED_AT_ONCE = 4;
/** The bytes that an excerpt on the screen is made from. */
const EXCERPT_BYTES = 16_384;
/** As much of one handle as fits a frame. */
const WHOLE_BYTES = 8_388_608;

export type ResolvedHandle = ResultOf<'context.resolve'>;

/** A node of a path with the content of its handle; null for a text node. */
export interface ResolvedNode {
  node: Node;
  resolved: ResolvedHandle | null;
}

/** The nodes from the root to a node. */
export function pathOf(client: Client, node: NodeId): AsyncIterable<Node> {
  return client.pages('loom.context_get_path', { node }, 'nodes');
}

/** What is resolved of handles: in full or an excerpt, pinned or fresh, and what others have named as well. */
export interface ResolveChoice {
  full: boolean;
  fresh: boolean;
  others: boolean;
}

/** The same with every handle resolved. */
export function resolvedPath(
  client: Client,
  node: NodeId,
  { full, ...looks }: ResolveChoice,
): AsyncIterable<ResolvedNode> {
  const params = { ...looks, bytes_max: full ? WHOLE_BYTES : EXCERPT_BYTES };
  return inOrder(pathOf(client, node), RESOLVED_AT_ONCE, async (one) => {
    if (one.kind === 'text') return { node: one, resolved: null };
    return { node: one, resolved: await client.call('context.resolve', { node: one.id, ...params }) };
  });
}
