import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { SkeletonNode, Tree } from '../../hub/protocol/node.js';
import { ranksOf } from '../web/page/core/node_table.js';

const PAGE_NODES = 10_000;

/** All of a tree, parents before their children, and siblings in their order. */
export async function readSkeleton(client: Client, tree: Pick<Tree, 'id'>, archived: boolean): Promise<SkeletonNode[]> {
  const nodes: SkeletonNode[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: ResultOf<'loom.tree_get_skeleton'> = await client.call('loom.tree_get_skeleton', {
      ...{ tree: tree.id, archived, limit: PAGE_NODES },
      ...(cursor === null ? {} : { cursor }),
    });
    for (const node of page.nodes) nodes.push(node);
    if (page.cursor === null) return inOrder(nodes, ranksOf(page.ranks));
    cursor = page.cursor;
  }
}

/** Nodes whose siblings take the places that their ranks say: what is below a node moves with it. */
function inOrder(nodes: SkeletonNode[], ranks: ReadonlyMap<number, number>): SkeletonNode[] {
  if (ranks.size === 0) return nodes;
  const below = new Map<string | null, SkeletonNode[]>();
  const known = new Set(nodes.map(({ id }) => id));
  for (const node of nodes) {
    const parent = node.parent !== null && known.has(node.parent) ? node.parent : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [node]);
    else siblings.push(node);
  }
  const rankOf = ({ seq }: SkeletonNode): number => ranks.get(seq) ?? seq;
  // The last one is taken first.
  const lastFirst = (parent: string | null): SkeletonNode[] =>
    (below.get(parent) ?? []).sort((one, other) => rankOf(other) - rankOf(one));
  const ordered: SkeletonNode[] = [];
  const left = lastFirst(null);
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    ordered.push(node);
    for (const child of lastFirst(node.id)) left.push(child);
  }
  return ordered;
}
