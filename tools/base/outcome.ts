import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { Block, External, NodeId, TreeId } from '../../hub/protocol/node.js';
import type { HubLink } from './parts.js';
import { type Pieces, storeOutput } from './store_output.js';

/** What all calls of tools state of themselves. */
export interface ToolCall {
  id: NodeId;
  place: { tree: TreeId; node: NodeId } | null;
  append: boolean;
  call_id: string | null;
}

/** What a call came to, before it is kept. */
export interface Outcome {
  /** The tool as a model knows it, and what it was asked. */
  tool: string;
  input: External['call']['input'];
  handle: External['handle'];
  /** What is stored whole: the bytes, and how many there were when only head and tail are kept; null for nothing. */
  output: { pieces: Pieces; totalBytes: number } | null;
  blocks: Block[];
  exit_code: number | null;
  signal: string | null;
  duration_ms: number;
  cwd: string | null;
}

/**
 * Stores what a call came to: its output first, then its node when it is to be appended. It is not cancelled with its
 * call: what has happened is told.
 */
export async function storeOutcome(hub: HubLink, asked: ToolCall, outcome: Outcome): Promise<ToolAnswer> {
  const stored = outcome.output === null ? null : await storeOutput(hub, asked.id, outcome.output.pieces);
  const output = stored === null ? null : { ...stored, total_bytes: outcome.output?.totalBytes ?? stored.size_bytes };
  const { tool, input, handle, exit_code, signal, duration_ms, cwd, blocks } = outcome;
  const external: External = {
    call: { tool, input, id: asked.call_id },
    ...{ handle, output, exit_code, signal, duration_ms, cwd },
  };
  if (!asked.append || asked.place === null) return { blocks, external, node: null, branched: false };
  const { tree, node: parent } = asked.place;
  const made = await hub.call('loom.node_create_external', { id: asked.id, tree, parent, blocks, external });
  return { blocks, external, node: made.node, branched: made.branched };
}
