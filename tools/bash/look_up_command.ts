import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { Node, NodeId } from '../../hub/protocol/node.js';
import { findNode } from '../base/store_output.js';
import type { HubLink } from '../base/tool_parts.js';
import type { BranchState, BranchStates } from './branch_states.js';

interface CommandLookUp {
  stored: ToolAnswer | null;
  branch: BranchState;
  /** When a command that is to be appended begins, by the hub's clock. */
  begunAtMs: number | null;
}

/** Looks up the node stored under a command's id, and the state of its branch; refuses a place where nothing can be appended. */
export async function lookUpCommand(
  { hub, branchStates }: { hub: HubLink; branchStates: BranchStates },
  id: NodeId,
  { place, append, command, call_id }: ParsedOf<'bash.execute'>,
): Promise<CommandLookUp> {
  const unknown: BranchState = { cwd: null, commands: [] };
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
  if (place === null) return { stored: null, branch: unknown, begunAtMs: null };
  const { tree, node } = place;
  const [stored, check, branch] = await Promise.all([
    append ? findNode(hub, id) : null,
    // What was run already is answered wherever it stands.
    append ? hub.call('loom.node_check', { tree, node }).catch(asHubError) : null,
    (call_id === null ? branchStates.find(node) : null) ?? branchAt(hub, node, call_id === null),
  ]);
  if (stored !== null) return { stored: answerOf(stored, command), branch, begunAtMs: null };
  if (check instanceof HubError) throw check;
  return { stored: null, branch, begunAtMs: check?.begun_at_ms ?? null };
}

/** A person's commands begin where their own have led, a model's where its own have. */
async function branchAt(hub: HubLink, node: NodeId, isPersons: boolean): Promise<BranchState> {
  const { person_cwd, model_cwd, commands } = await hub.call('loom.context_get_place', { node });
  return { cwd: isPersons ? person_cwd : model_cwd, commands };
}

function asHubError(error: unknown): HubError {
  if (error instanceof HubError) return error;
  throw error;
}

function answerOf(node: Node, command: string): ToolAnswer {
  if (node.kind !== 'external' || Object(node.external.call.input).command !== command) throw otherCommand(node.id);
  return { blocks: node.blocks, external: node.external, node, branched: false };
}

/** The error for an id that another command or node has. */
export function otherCommand(id: string): HubError {
  return new HubError('conflict', `the id ${id} belongs to another command or node`, {
    hint: 'use a fresh random id for each new command',
  });
}
