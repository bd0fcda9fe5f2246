import { isDeepStrictEqual } from 'node:util';
import { HubError } from '../../hub/base/error.js';
import type { CallContext, Plugin } from '../../hub/base/plugin.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { type Node, NodeId } from '../../hub/protocol/node.js';
import { findNode } from '../base/store_output.js';
import type { HubLink } from '../base/tool_parts.js';

type RepeatableHandler = (params: object, context: CallContext) => Promise<unknown>;

interface PendingCall {
  params: object;
  answer: Promise<unknown>;
}

/**
 * Wraps a plugin so that a call that appends a node runs once per id: a retry after a lost answer returns the node that
 * exists, and one that comes while the first still runs waits for it.
 */
export function onceForEachId(hub: HubLink, plugin: Plugin): Plugin {
  const pending = new Map<string, PendingCall>();

  async function perform(id: NodeId, call: { params: object; context: CallContext; handler: RepeatableHandler }) {
    const node = await findNode(hub, id);
    if (node !== null) return answerAgain(node, plugin.name, call.params);
    return call.handler(call.params, call.context);
  }

  function wrap(handler: RepeatableHandler): RepeatableHandler {
    return async function once(params, context): Promise<unknown> {
      const id = appendedId(params);
      if (id === null) return handler(params, context);
      const first = pending.get(id);
      if (first !== undefined) return follow(first, { id, params, context }, once);
      const answer = perform(id, { params, context, handler }).finally(() => pending.delete(id));
      pending.set(id, { params, answer });
      return answer;
    };
  }

  const methods = Object.entries(plugin.methods).map(([name, handler]) => [name, wrap(handler as RepeatableHandler)]); // of this method
  return { ...plugin, methods: Object.fromEntries(methods) };
}

interface Retry {
  id: NodeId;
  params: object;
  context: CallContext;
}

/** Waits for the first call of an id, and runs it again when that was cancelled, as happens when its connection is lost. */
async function follow(first: PendingCall, { id, params, context }: Retry, again: RepeatableHandler): Promise<unknown> {
  if (!isDeepStrictEqual(first.params, params)) throw idTaken(id);
  try {
    return await first.answer;
  } catch (error) {
    if (isCancelled(error) && !context.signal.aborted) return again(params, context);
    throw error;
  }
}

function appendedId(params: object): NodeId | null {
  if (!('append' in params && params.append === true && 'id' in params)) return null;
  return NodeId.safeParse(params.id).data ?? null;
}

function answerAgain(node: Node, source: string, params: object): ToolAnswer {
  if (node.kind === 'external' && node.external.handle.source === source && isSame(node.external.call.input, params)) {
    return { blocks: node.blocks, external: node.external, node, branched: false };
  }
  throw idTaken(node.id);
}

function idTaken(id: NodeId): HubError {
  return new HubError('conflict', `the id ${id} belongs to another call or node`, {
    hint: 'use a fresh random id for each new call',
  });
}

function isCancelled(error: unknown): boolean {
  return error instanceof HubError ? error.kind === 'cancelled' : error instanceof Error && error.name === 'AbortError';
}

/** Whether all texts of a node's input are among the parameters of this call. */
function isSame(input: unknown, params: object): boolean {
  const values = new Set<unknown>(Object.values(params));
  return Object.values(Object(input)).every((value) => typeof value !== 'string' || values.has(value));
}
