import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { Tree, TreeId } from '../protocol/node.js';
import { sessionOf } from './project_sessions.js';

type Listed = ResultOf<'history.session_list'>;

export async function listSessions(
  reach: InternalCaller,
  { project, cursor, limit }: ParsedOf<'history.session_list'>,
): Promise<Listed> {
  const [{ trees, cursor: next }, busy] = await Promise.all([
    callHub(reach, 'loom.tree_list', {
      project,
      archived: false,
      owner: null,
      forked_from: null,
      meta: null,
      cursor,
      limit,
    }),
    busyTrees(reach, null),
  ]);
  return { sessions: trees.map((tree) => sessionRow(tree, busy)), cursor: next };
}

/** The trees in which a turn runs or waits. */
export async function busyTrees(reach: InternalCaller, tree: TreeId | null): Promise<ReadonlySet<TreeId>> {
  const { turns } = await callHub(reach, 'agent.status', { tree });
  return new Set(turns.map((turn) => turn.tree));
}

export function sessionRow(tree: Tree, busy: ReadonlySet<TreeId>): Listed['sessions'][number] {
  return {
    ...{ session: sessionOf(tree), tree: tree.id, title: tree.title },
    ...{ messages: tree.message_count, branches: tree.branch_count, updated_at_ms: tree.updated_at_ms },
    is_busy: busy.has(tree.id),
  };
}
