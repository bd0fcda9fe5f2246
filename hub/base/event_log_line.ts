import type { LogHeader, LogNode } from '../protocol/event_log.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { Node, NodeId, Tree } from '../protocol/node.js';

type Usage = LogNode['token_usage'];
type Request = ResultOf<'loom.request_list'>['requests'][number];

/** The first line of the log of a tree; the epoch names the feed that the lines' numbers belong to. */
export function logHeader({ id, created_at_ms, owner }: Tree, epoch: string): LogHeader {
  const created_at = new Date(created_at_ms).toISOString();
  return { kind: 'header', version: 1, tree: id, created_at, parent_session_id: owner?.tree ?? null, epoch };
}

/** The line of a node, with the usage of the request that made it. */
export function logNode(node: Node, token_usage: Usage): LogNode {
  const { seq, id, parent: parent_id, created_at_ms } = node;
  const timestamp = new Date(created_at_ms).toISOString();
  const by = node.by === undefined ? {} : { by: node.by };
  return { kind: 'node', seq, id, parent_id, timestamp, ...by, payload: payloadOf(node), token_usage };
}

function payloadOf(node: Node): LogNode['payload'] {
  const { blocks } = node;
  if (node.kind === 'external') {
    return { type: node.external.call.id === null ? 'command' : 'tool_result', ...node.external, blocks };
  }
  return node.role === 'root' ? { type: 'root' } : { type: node.role, blocks };
}

/** The usage of a tree's requests, by the nodes that they made. */
export interface UsageBook {
  /** `isAwaited`: the usage of the request that may have made the node is not recorded yet. */
  usageOf(node: Node): Promise<{ usage: Usage; isAwaited: boolean }>;
  /** To be called before asking about newer nodes. */
  renew(): void;
  /** Reads all requests, so that the existing nodes need no reading later. */
  readAll(): Promise<void>;
}

/** Reads the requests of a tree, newest first, no further than needed; each `read` begins with the newest. */
export function usageBook(read: () => AsyncIterable<Request>): UsageBook {
  const byNode = new Map<NodeId, Request>();
  const ended = new Set<string>();
  const running = new Map<string, NodeId>();
  let older: AsyncIterator<Request> | null = null;
  let isNew = true;

  function take(request: Request): void {
    const { id, node, parent, outcome, started_at_ms } = request;
    if (outcome === 'running') running.set(id, parent);
    else running.delete(id);
    if (outcome !== 'running') ended.add(id);
    // An answer may have taken several tries: the last one made the node.
    if (node !== null && (byNode.get(node)?.started_at_ms ?? 0) <= started_at_ms) byNode.set(node, request);
  }

  /** Reads on towards the oldest until the request of a node is found; without a node, to the end. */
  async function readOlder(until: NodeId | null): Promise<void> {
    older ??= read()[Symbol.asyncIterator]();
    while (until === null || !byNode.has(until)) {
      const { value, done } = await older.next();
      if (done === true) return;
      take(value);
    }
  }

  /** Reads the newer requests, and again those that were running. */
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
      const request = byNode.get(id);
      const isAwaited = request === undefined && [...running.values()].some((start) => start === parent);
      return { usage: request?.usage ?? null, isAwaited };
    },
  };
}
