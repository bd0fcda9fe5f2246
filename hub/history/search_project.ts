import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { Tree, TreeId } from '../protocol/node.js';
import { sessionOf } from './project_sessions.js';

/** Pages of hits in other projects that are passed over in one call. */
const PAGES_MAX = 50;

type Found = ResultOf<'history.search'>;

/** Hits of other projects are left out; with a cursor there may be more. */
export async function searchProject(
  reach: InternalCaller,
  { project, query, cursor: first, limit }: ParsedOf<'history.search'>,
): Promise<Found> {
  const trees = new Map<TreeId, Tree>();
  const treeOf = async (id: TreeId): Promise<Tree> => {
    const tree = trees.get(id) ?? (await callHub(reach, 'loom.tree_get', { tree: id }));
    trees.set(id, tree);
    return tree;
  };
  const hits: Found['hits'] = [];
  let cursor = first;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const of = { query, regex: false, role: null, meta: null, tree: null, archived: false };
    const params = { ...of, cursor, limit: limit - hits.length };
    const found = await callHub(reach, 'loom.search', params);
    for (const { tree: id, node, role, created_at_ms, snippet } of found.hits) {
      const tree = await treeOf(id);
      if (tree.project === project)
        hits.push({ session: sessionOf(tree), tree: id, node, role, created_at_ms, snippet });
    }
    cursor = found.cursor;
    if (cursor === null || hits.length === limit) break;
  }
  return { hits, cursor };
}
