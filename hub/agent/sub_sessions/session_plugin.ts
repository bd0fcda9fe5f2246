import { HubError } from '../../base/error.js';
import { shortened } from '../../base/head_and_tail.js';
import { callHub, type InternalCaller, pathPages } from '../../base/internal_call.js';
import { textOf } from '../../base/node_blocks.js';
import type { HubCalls, HubResolve, Plugin, Resolved, Resolving } from '../../base/plugin.js';
import { type Handle, NodeId, TreeId } from '../../protocol/node.js';
import { SESSION_SOURCE } from './session_result.js';

/** How many of the newest turns of a sub-session are looked at for an answer. */
const TURNS_LOOKED_AT = 20;

/** Resolves the handles of sub-sessions: a fresh look finds the newest answer in their trees. */
export function createSessionPlugin(hub: HubCalls & HubResolve): Plugin {
  return {
    name: SESSION_SOURCE.source,
    version: SESSION_SOURCE.source_version,
    methods: {},
    resolve: (wanted, context) => resolveSession({ hub, context }, wanted),
  };
}

async function resolveSession(reach: InternalCaller, { handle, bytes_max }: Resolving): Promise<Resolved> {
  const { tree, tip } = tipOf(handle);
  const answer = await newestAnswer(reach, tree, tip);
  const { text, leftOutBytes } = shortened(answer.text, bytes_max);
  return {
    ...{ text, total_bytes: Buffer.byteLength(answer.text), left_out_bytes: leftOutBytes },
    changed: answer.node === tip ? null : 'the sub-session has gone on since: this is its newest answer',
  };
}

interface SessionTip {
  tree: TreeId;
  /** Where it had come to when its node was made. */
  tip: NodeId;
}

function tipOf({ identifier, metadata }: Handle): SessionTip {
  const tree = TreeId.safeParse(identifier);
  const tip = NodeId.safeParse(Reflect.get(Object(metadata), 'tip'));
  if (tree.success && tip.success) return { tree: tree.data, tip: tip.data };
  throw new HubError('resolve_failed', `the handle of the sub-session ${JSON.stringify(identifier)} is damaged`);
}

interface SessionAnswer {
  node: NodeId;
  text: string;
}

/** The last thing that was said in the newest turns that said anything; else what the node was made of. */
async function newestAnswer(reach: InternalCaller, tree: TreeId, tip: NodeId): Promise<SessionAnswer> {
  const { turns } = await callHub(reach, 'loom.turn_list', { tree, cursor: null, limit: TURNS_LOOKED_AT }).catch(
    rethrowAsGone,
  );
  for (const turn of turns) {
    if (turn.tip === turn.node) continue;
    const answer = await answerAt(reach, turn.tip);
    if (answer !== null) return answer;
  }
  return (await answerAt(reach, tip).catch(rethrowAsGone)) ?? { node: tip, text: '' };
}

async function answerAt(reach: InternalCaller, tip: NodeId): Promise<SessionAnswer | null> {
  let found: string | null = null;
  for await (const { nodes } of pathPages(reach, tip)) {
    for (const { role, blocks } of nodes) if (role === 'assistant') found = textOf(blocks);
  }
  return found === null ? null : { node: tip, text: found };
}

function rethrowAsGone(error: unknown): never {
  if (!(error instanceof HubError) || error.kind !== 'not_found') throw error;
  throw new HubError('resolve_failed', 'the sub-session is no longer here', { cause: error });
}
