import { createHash } from 'node:crypto';

const VERSION_TAG = 'cognition-node-1';

/** Every immutable column of a node, apart from its number and depth, which belong to one home. */
export interface HashedNode {
  id: string;
  tree: string;
  parent: string | null;
  role: string;
  created_at_ms: number;
  step: { id: string; index: number; size: number } | null;
  /** The SHA-256 of its settings, in hex. */
  settings: string | null;
  /** RFC 8785 JSON, as stored. */
  blocks: string;
  /** RFC 8785 JSON, as stored; null for a text node. */
  external: string | null;
}

/**
 * The hash of a node: SHA-256 over a version tag, the hash of its parent, and its RFC 8785 JSON. So it
 * covers the whole past of the node. The JSON is composed of parts that are RFC 8785 already, keys in order.
 */
export function nodeHash(parentHash: Buffer | null, node: HashedNode): Buffer {
  const step =
    node.step === null ? 'null' : `{"id":"${node.step.id}","index":${node.step.index},"size":${node.step.size}}`;
  return createHash('sha256')
    .update(
      `${VERSION_TAG}\n${parentHash === null ? '' : parentHash.toString('hex')}\n` +
        `{"blocks":${node.blocks},"created_at_ms":${node.created_at_ms},"external":${node.external},` +
        `"id":"${node.id}","kind":"${node.external === null ? 'text' : 'external'}",` +
        `"parent":${quotedOrNull(node.parent)},"role":"${node.role}","settings":${quotedOrNull(node.settings)},` +
        `"step":${step},"tree":"${node.tree}"}`,
    )
    .digest();
}

function quotedOrNull(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
