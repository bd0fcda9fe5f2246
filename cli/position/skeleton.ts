import type { Client } from '../../hub/client/client.js';
import type { SkeletonNode, Tree } from '../../hub/protocol/node.js';

const PAGE_NODES = 10_000;

/** All of a tree, parents before their children. */
export async function readSkeleton(client: Client, tree: Pick<Tree, 'id'>, archived: boolean): Promise<SkeletonNode[]> {
  const nodes: SkeletonNode[] = [];
  for await (const node of client.pages(
    'loom.tree_get_skeleton',
    { tree: tree.id, archived, limit: PAGE_NODES },
    'nodes',
  )) {
    nodes.push(node);
  }
  return nodes;
}
