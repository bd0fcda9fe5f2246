import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { Node, NodeId } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/parts.js';
import { nodeIfThere } from '../base/store_output.js';
import type { BranchPlace, Places } from './branch_places.js';

/** Looks up what is there already under the id of a command, and where its branch stands. */
export async function lookUp(
  { hub, places }: { hub: HubLink; places: Places },
  id: NodeId,
  { place, append, command, call_id }: ParsedOf<'bash.execute'>,
): Promise<{ stored: ToolAnswer | null; branch: BranchPlace }> {
  const nowhere: BranchPlace = { cwd: null, commands: [] };
  if (place === null && append) {
    throw new HubError('invalid_params', 'a command that is to be appended needs a place', {
      hint: 'give the tree and the node that it is run from',
    });
  }
  if (append && call_id !== null) {
    throw new HubError('invalid_params', "a model's call is appended with its step, not by itself", {
      hint: ['leave append out and make the step with ', rpcMethod('loom.step_create')],
    });
  }
  if (place === null) return { stored: null, branch: nowhere };
  const { tree, node } = place;
  const [stored, parent, branch] = await Promise.all([
    append ? nodeIfThere(hub, id) : null,
    append ? hub.call('loom.node_get', { node, tree }) : null,
    places.find(node) ?? hub.call('loom.context_get_place', { node }),
  ]);
  if (stored !== null) return { stored: answerOf(stored, command), branch };
  if (parent !== null && parent.step_end !== node) {
    throw new HubError('inside_step', `the node ${node} stands inside a step`, {
      hint: `its step ends at ${parent.step_end}: run it from there`,
    });
  }
  return { stored: null, branch };
}

function answerOf(node: Node, command: string): ToolAnswer {
  if (node.kind !== 'external' || Object(node.external.call.input).command !== command) throw otherCommand(node.id);
  return { blocks: node.blocks, external: node.external, node, branched: false };
}

/** What is told when an id is used for something else. */
export function otherCommand(id: string): HubError {
  return new HubError('conflict', `the id ${id} belongs to another command or node`, {
    hint: 'use a fresh random id for each new command',
  });
}
