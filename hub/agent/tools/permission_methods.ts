import { HubError } from '../../base/error.js';
import { rpcMethod } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Handlers, HubCalls, HubResolve } from '../../base/plugin.js';
import type { NodeId } from '../../protocol/node.js';
import { type KeptPermission, keptPermissions, permissionText } from './call_permissions.js';

/** The methods by which people see and take back what they have permitted. */
export function permissionMethods(hub: HubCalls & HubResolve) {
  return {
    'agent.permission_list': async ({ node }, context) => {
      const kept = await keptAt({ hub, context }, node);
      return { permissions: kept.map((one) => ({ id: one.id, text: permissionText(one) })) };
    },
    'agent.permission_withdraw': async ({ node, ids }, context) => {
      const reach = { hub, context };
      const kept = await keptAt(reach, node);
      const chosen = ids === null ? kept : ids.map((id) => requireKept(kept, id));
      for (const { turn, id } of chosen) await callHub(reach, 'loom.question_withdraw', { turn, question: id });
      return { withdrawn: chosen.map(permissionText) };
    },
  } satisfies Handlers;
}

async function keptAt(reach: InternalCaller, node: NodeId): Promise<KeptPermission[]> {
  const { tree } = (await callHub(reach, 'loom.node_get', { node, tree: null })).node;
  return keptPermissions(reach, tree, node);
}

function requireKept(kept: readonly KeptPermission[], id: NodeId): KeptPermission {
  const found = kept.find((one) => one.id === id);
  if (found !== undefined) return found;
  throw new HubError('not_found', `nothing of the id ${id} is permitted here`, {
    hint: ['list what is: ', rpcMethod('agent.permission_list')],
  });
}
