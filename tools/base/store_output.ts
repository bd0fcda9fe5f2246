import { HubError } from '../../hub/base/error.js';
import type { Node, NodeId, Output } from '../../hub/protocol/node.js';
import type { HubLink } from './tool_parts.js';

/** Bytes of one call to the store. */
const PIECE_BYTES = 1024 * 1024;

export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Stores bytes under their SHA-256; they are on the disk when this resolves. Null for no bytes. */
export async function storeOutput(hub: HubLink, upload: string, pieces: Pieces): Promise<Output | null> {
  let offset = 0;
  for await (const piece of cutUp(pieces)) {
    await hub.call('loom.blob_write', { upload, offset, data: piece.toString('base64'), done: false });
    offset += piece.length;
  }
  if (offset === 0) return null;
  const { output } = await hub.call('loom.blob_write', { upload, offset, data: '', done: true });
  return output;
}

// Pieces may be lines of a few bytes: one call for each would take more time than all their bytes.
async function* cutUp(pieces: Pieces): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + PIECE_BYTES - heldBytes);
      held.push(part);
      heldBytes += part.length;
      at += part.length;
      if (heldBytes < PIECE_BYTES) continue;
      yield Buffer.concat(held);
      held = [];
      heldBytes = 0;
    }
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

/** A node by its id; null when there is none. */
export async function findNode(hub: HubLink, node: NodeId): Promise<Node | null> {
  try {
    return (await hub.call('loom.node_get', { node })).node;
  } catch (error) {
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  }
}
