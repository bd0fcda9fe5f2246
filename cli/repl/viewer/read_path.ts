import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId, Sha256 } from '../../../hub/protocol/node.js';
import { createCleaner } from '../../render/text/clean.js';

/** Part of the nodes of a path, counted from the root. */
export interface Span {
  start: number;
  end: number;
}

/** The part of an output that is loaded and shown at once. */
const OUTPUT_BYTES_MAX = 256 * 1024;

/** Reads a range of the path to a node. */
export async function readPath(
  client: Client,
  tip: NodeId,
  { start, end, signal }: Span & { signal: AbortSignal },
): Promise<Node[]> {
  const nodes: Node[] = [];
  while (start + nodes.length < end) {
    const at = start + nodes.length;
    const params = { node: tip, cursor: String(at), limit: end - at };
    const page = await client.call('loom.context_get_path', params, { signal });
    if (page.nodes.length === 0) break;
    nodes.push(...page.nodes);
  }
  return nodes;
}

/** The beginning of a stored output, cleaned for printing. */
export async function readOutput(client: Client, sha256: Sha256): Promise<{ text: string; isWhole: boolean }> {
  const { data, size_bytes: size } = await client.call('loom.blob_read', { sha256, limit: OUTPUT_BYTES_MAX });
  const bytes = Buffer.from(data, 'base64');
  const cleaner = createCleaner();
  return { text: cleaner.take(bytes.toString()) + cleaner.end(), isWhole: bytes.length >= size };
}
