import { HubError } from '../base/error.js';
import { shortened } from '../base/head_and_tail.js';
import { rpcMethod } from '../base/hint.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import { textOf } from '../base/node_blocks.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { NodeId, Tree, TreeName } from '../protocol/node.js';
import { busyTrees, sessionRow } from './list_sessions.js';
import { findSession, placeOfSession } from './project_sessions.js';

type Described = ResultOf<'history.session_describe'>;

/** The end of a path that is looked at for its messages. */
const NODES_MAX = 500;
const TEXT_BYTES_MAX = 2_000;

export async function describeSession(
  reach: InternalCaller,
  { project, session, messages }: ParsedOf<'history.session_describe'>,
): Promise<Described> {
  const tree = await requireSession(reach, project, session);
  const node = await placeOfSession(reach, tree.id);
  const [busy, cost, last] = await Promise.all([
    busyTrees(reach, tree.id),
    costOf(reach, tree),
    lastMessages(reach, node, messages),
  ]);
  const { requests, price_microdollars, unknown_price } = cost.total;
  return {
    ...sessionRow(tree, busy),
    ...{ node, models: cost.parts.map(({ key }) => key), requests, price_microdollars, unknown_price, last },
  };
}

async function requireSession(reach: InternalCaller, project: string, session: TreeName): Promise<Tree> {
  const tree = await findSession(reach, project, session);
  if (tree !== null) return tree;
  throw new HubError('not_found', `there is no session ${JSON.stringify(session)} in ${project}`, {
    hint: ['list them: ', rpcMethod('history.session_list')],
  });
}

function costOf(reach: InternalCaller, { id: tree }: Tree): Promise<ResultOf<'loom.cost_get'>> {
  return callHub(reach, 'loom.cost_get', {
    ...{ tree, owner: null, turn: null, node: null, since: null, from_ms: null, until_ms: null },
    ...{ by: 'model', utc_offset_minutes: 0 },
  });
}

/** What was said last on a path, calls left out. */
async function lastMessages(reach: InternalCaller, node: NodeId, most: number): Promise<Described['last']> {
  const { node: end } = await callHub(reach, 'loom.node_get', { node, tree: null });
  const from = Math.max(0, end.depth - NODES_MAX);
  const { nodes } = await callHub(reach, 'loom.context_get_path', {
    ...{ node, from_depth: from, cursor: null, limit: NODES_MAX + 1 },
  });
  const said = nodes.flatMap(({ id, role, blocks }) => {
    const text = role === 'tool' ? '' : textOf(blocks);
    return text === '' ? [] : [{ node: id, role, text: shortened(text, TEXT_BYTES_MAX).text }];
  });
  return said.slice(-most);
}
