import type { LogHeader, LogNode } from '../protocol/event_log.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { Node, NodeId, Tree } from '../protocol/node.js';

type Usage = LogNode['token_usage'];
type Asked = ResultOf<'loom.request_list'>['requests'][number];

/** The first line of the log of a tree, whose numbers are those of a feed. */
export function logHeader({ id, created_at_ms, owner }: Tree, epoch: string): LogHeader {
  const created_at = new Date(created_at_ms).toISOString();
  return { kind: 'header', version: 1, tree: id, created_at, parent_session_id: owner?.tree ?? null, epoch };
}

/** The line of a node, with what the request used that made it. */
export function logNode(node: Node, token_usage: Usage): LogNode {
  const { seq, id, parent: parent_id, created_at_ms } = node;
  const timestamp = new Date(created_at_ms).toISOString();
  return { kind: 'node', seq, id, parent_id, timestamp, payload: payloadOf(node), token_usage };
}

function payloadOf(node: Node): LogNode['payload'] {
  const { blocks } = node;
  if (node.kind === 'external') {
    return { type: node.external.call.id === null ? 'command' : 'tool_result', ...node.external, blocks };
  }
  return node.role === 'root' ? { type: 'root' } : { type: node.role, blocks };
}

/** What the requests of a tree used, by the nodes that they became. */
export interface UsageBook {
  /** `isAwaited`: the request that may have made the node is not accounted for yet. */
  usageOf(node: Node): Promise<{ usage: Usage; isAwaited: boolean }>;
  /** Before it is asked of nodes that were made since. */
  renew(): void;
  /** So that nothing has to be read later of nodes that are there now. */
  readAll(): Promise<void>;
}

/** Reads the requests of a tree, newest first, as far as they are asked for; `read` begins with those of now. */
export function usageBook(read: () => AsyncIterable<Asked>): UsageBook {
  const known = new Map<NodeId, Asked>();
  const ended = new Set<string>();
  const running = new Map<string, NodeId>();
  let older: AsyncIterator<Asked> | null = null;
  let isNew = true;

  function take(request: Asked): void {
    const { id, node, parent, outcome, started_at_ms } = request;
    if (outcome === 'running') running.set(id, parent);
    else running.delete(id);
    if (outcome !== 'running') ended.add(id);
    // An answer may have taken several tries: the last one made the node.
    if (node !== null && (known.get(node)?.started_at_ms ?? 0) <= started_at_ms) known.set(node, request);
  }

  /** Goes on towards the oldest until a node is known; without one, to the end. */
  async function readOlder(wanted: NodeId | null): Promise<void> {
    older ??= read()[Symbol.asyncIterator]();
    while (wanted === null || !known.has(wanted)) {
      const { value, done } = await older.next();
      if (done === true) return;
      take(value);
    }
  }

  /** Reads those that were begun since, and again those that were running. */
  async function readNew(): Promise<void> {
    const open = new Set(running.keys());
    for await (const request of read()) {
      const isKnown = ended.has(request.id);
      take(request);
      open.delete(request.id);
      if (isKnown && open.size === 0) return;
    }
  }

  return {
    renew() {
      isNew = true;
    },
    async readAll() {
      isNew = false;
      await readOlder(null);
    },
    async usageOf({ id, role, parent }) {
      if (role !== 'assistant' && role !== 'summary') return { usage: null, isAwaited: false };
      if (isNew && older !== null) await readNew();
      isNew = false;
      await readOlder(id);
      const found = known.get(id);
      const isAwaited = found === undefined && [...running.values()].some((from) => from === parent);
      return { usage: found?.usage ?? null, isAwaited };
    },
  };
}
