import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { type Block, type External, NodeId, type TreeId, type TurnId } from '../../hub/protocol/node.js';
import { type Pieces, storeOutput } from './store_output.js';
import type { HubLink, ToolParts } from './tool_parts.js';

/** The parameters that all calls of tools share. */
export interface ToolCall {
  id: NodeId;
  place: { tree: TreeId; node: NodeId } | null;
  append: boolean;
  call_id: string | null;
  /** When it began, by the hub's clock; null for a call that is not appended. */
  begun_at_ms: number | null;
  /** The turn that goes on from its node; absent for none. */
  turn?: TurnId | null;
}

type CallParams = Omit<ToolCall, 'id' | 'begun_at_ms'> & { id?: NodeId | undefined };

/** Begins a call. One that is to be appended is refused where nothing can be, before it has done anything. */
export async function beginCall(
  { hub, newId }: Pick<ToolParts, 'hub' | 'newId'>,
  params: CallParams,
): Promise<ToolCall> {
  const { id = NodeId.parse(newId()), place, append, call_id } = params;
  const check = append && place !== null ? await hub.call('loom.node_check', place) : null;
  return { id, place, append, call_id, begun_at_ms: check?.begun_at_ms ?? null };
}

/** The result of a call, before it is stored. */
export interface Outcome {
  /** The tool as a model knows it, and its input. */
  tool: string;
  input: External['call']['input'];
  handle: External['handle'];
  /** The bytes to store, and their number before any cut; null for nothing. */
  output: { pieces: Pieces; totalBytes: number } | null;
  blocks: Block[];
  exit_code: number | null;
  signal: string | null;
  duration_ms: number;
  cwd: string | null;
}

/**
 * Stores the result of a call: its output first, then its node if it is to be appended. It is not cancelled with its
 * call: what has happened is recorded.
 */
export async function storeOutcome(hub: HubLink, call: ToolCall, outcome: Outcome): Promise<ToolAnswer> {
  const stored = outcome.output === null ? null : await storeOutput(hub, call.id, outcome.output.pieces);
  const output = stored === null ? null : { ...stored, total_bytes: outcome.output?.totalBytes ?? stored.size_bytes };
  const { tool, input, handle, exit_code, signal, duration_ms, cwd, blocks } = outcome;
  const external: External = {
    call: { tool, input, id: call.call_id },
    ...{ handle, output, exit_code, signal, duration_ms, cwd },
  };
  if (!call.append || call.place === null) return { blocks, external, node: null, branched: false };
  const { tree, node: parent } = call.place;
  const created = await hub.call('loom.node_create_external', {
    ...{ id: call.id, tree, parent, blocks, external },
    begun_at_ms: call.begun_at_ms,
    turn: call.turn ?? null,
  });
  return { blocks, external, node: created.node, branched: created.branched };
}
