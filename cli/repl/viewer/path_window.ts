import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId, TreeId } from '../../../hub/protocol/node.js';
import { blocksOf, type ViewedBlock } from './path_blocks.js';
import { readPath, type Span } from './read_path.js';
import type { Viewing } from './viewport.js';

/** The nodes read at once; of a longer path the oldest loaded ones are dropped. */
const STEP_NODES = 200;
const KEPT_NODES_MAX = 2_000;

/** The loaded part of a path. */
export type Read = Pick<Viewing, 'blocks' | 'span'>;

/** Reads windows of the path to a node. */
export interface PathWindow {
  tree: TreeId;
  tip: NodeId;
  length: number;
  around(at: number): Promise<Read>;
  extend(read: Read, which: 'up' | 'down'): Promise<Read>;
  blocks(span: Span, signal: AbortSignal): Promise<ViewedBlock[]>;
  /** The nodes of this path after another path, up to a limit; null if that is no prefix of it. */
  since(before: PathWindow, end: number): Promise<ViewedBlock[] | null>;
}

/** The last nodes of the path to a node. */
export async function lastNodes(client: Client, tip: NodeId, signal: AbortSignal): Promise<Node[]> {
  const { node } = await client.call('loom.node_get', { node: tip }, { signal });
  const end = node.depth + 1;
  return readPath(client, tip, { start: Math.max(0, end - STEP_NODES), end, signal });
}

export async function openPath(client: Client, tip: NodeId, signal: AbortSignal): Promise<PathWindow> {
  const { node } = await client.call('loom.node_get', { node: tip }, { signal });
  const length = node.depth + 1;
  const blocks = async (span: Span, until: AbortSignal): Promise<ViewedBlock[]> =>
    (await readPath(client, tip, { ...span, signal: until })).flatMap(blocksOf);
  return {
    ...{ tree: node.tree, tip, length, blocks },
    async since(before, end) {
      const nodes = await readPath(client, tip, { start: before.length - 1, end, signal });
      return nodes[0]?.id === before.tip ? nodes.slice(1).flatMap(blocksOf) : null;
    },
    async around(at) {
      const end = Math.min(length, Math.max(at + STEP_NODES / 2, STEP_NODES));
      const start = Math.max(0, Math.min(at - STEP_NODES / 2, end - STEP_NODES));
      return { blocks: await blocks({ start, end }, signal), span: { start, end, length } };
    },
    async extend({ blocks: known, span }, which) {
      if (which === 'up') {
        const start = Math.max(0, span.start - STEP_NODES);
        const added = await blocks({ start, end: span.start }, signal);
        const end = Math.min(span.end, start + KEPT_NODES_MAX);
        return { blocks: [...added, ...known].filter(({ at }) => at < end), span: { start, end, length } };
      }
      const end = Math.min(length, span.end + STEP_NODES);
      const added = await blocks({ start: span.end, end }, signal);
      const start = Math.max(span.start, end - KEPT_NODES_MAX);
      return { blocks: [...known, ...added].filter(({ at }) => at >= start), span: { start, end, length } };
    },
  };
}
