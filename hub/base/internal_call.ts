import type { MethodName, ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { Node, NodeId } from '../protocol/node.js';
import { throwIfCancelled } from './abort.js';
import { type CallContext, type HubCalls, type HubResolve, RawJson } from './plugin.js';

const PAGE_NODES = 1_000;

/** The hub and the context of the call on whose behalf it is called. */
export interface InternalCaller {
  hub: HubCalls & HubResolve;
  context: CallContext;
}

/** What a part of the hub calls by itself with, on nobody's behalf. */
export function ownContext(signal: AbortSignal, emit: CallContext['emit'] = () => undefined): CallContext {
  return { signal, caller: { kind: 'internal' }, emit, hasRoom: () => true, drained: () => Promise.resolve() };
}

/** Calls another part of the hub, which may answer with JSON text. */
export async function callHub<M extends MethodName>(
  { hub, context }: InternalCaller,
  method: M,
  params: ParsedOf<M>,
): Promise<ResultOf<M>> {
  throwIfCancelled(context.signal, 'the call');
  const result = await hub.call(method, params, context);
  if (!(result instanceof RawJson)) return result;
  // Storage wrote it by this method's own schema.
  const parsed: ResultOf<M> = JSON.parse(result.text);
  return parsed;
}

/** Consecutive nodes of a path, and the cursor to read them again. */
export interface PathPage {
  nodes: Node[];
  cursor: string | null;
}

/** Reads a path page by page, the root first, or from the cursor of an earlier page. */
export async function* pathPages(
  reach: InternalCaller,
  node: NodeId,
  from: string | null = null,
): AsyncGenerator<PathPage> {
  let cursor: string | null = from;
  do {
    const page = await callHub(reach, 'loom.context_get_path', { node, cursor, limit: PAGE_NODES });
    yield { nodes: page.nodes, cursor };
    cursor = page.cursor;
  } while (cursor !== null);
}
