import { modelContext } from '../agent/request/model_context.js';
import { HubError } from '../base/error.js';
import { rpcMethod } from '../base/hint.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { HubCalls, HubResolve, Plugin } from '../base/plugin.js';
import { renderPath } from './render.js';
import { resolveNode } from './resolve_handle.js';

/** Resolves handles, and renders a path for a reader or for a model. */
export function createContext(hub: HubCalls & HubResolve, version: string): Plugin {
  return {
    name: 'context',
    version,
    methods: {
      'context.resolve': async ({ node: id, fresh, others, bytes_max }, context) => {
        const reach: InternalCaller = { hub, context };
        const { node } = await callHub(reach, 'loom.node_get', { node: id, tree: null });
        if (node.kind === 'external') return resolveNode(reach, node, { fresh, others, bytesMax: bytes_max });
        throw new HubError('invalid_params', `the node ${id} is text: there is no handle to resolve`, {
          hint: ['its blocks are all of it: ', rpcMethod('loom.node_get')],
        });
      },
      'context.render': ({ node, fresh, others, handle_bytes_max, total_bytes_max }, context) =>
        renderPath(
          { hub, context },
          { node, fresh, others, handleBytesMax: handle_bytes_max, totalBytesMax: total_bytes_max },
        ),
      'context.model': ({ node }, context) => modelContext({ hub, context }, node),
    },
  };
}
