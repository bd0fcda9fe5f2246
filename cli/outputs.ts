import type { Client } from '../hub/client.js';
import { HubError } from '../hub/error.js';
import type { Node, Sha256 } from '../hub/protocol/node.js';
import type { Context } from './context.js';
import { formatBytes, shortId } from './render/words.js';

// What is larger is not read on a screen: an export carries it whole.
const SHOWN_BYTES_MAX = 16 * 1024 * 1024;

/** The stored output of a node as text; null when there is none, or it is lost. */
export async function readOutput(context: Context, node: Node): Promise<string | null> {
  if (node.kind === 'text' || node.external.output === null) return null;
  const { sha256, size_bytes: sizeBytes } = node.external.output;
  if (sizeBytes > SHOWN_BYTES_MAX) {
    context.note(`The stored output of ${shortId(node.id)} has ${formatBytes(sizeBytes)}: only its excerpt is shown.`);
    return null;
  }
  try {
    const pieces: Buffer[] = [];
    for await (const piece of outputPieces(await context.client(), sha256))
      pieces.push(Buffer.from(piece.data, 'base64'));
    return new TextDecoder().decode(Buffer.concat(pieces));
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'not_found')) throw error;
    context.note(`The stored output of ${shortId(node.id)} is lost; what a model was shown of it follows.`);
    return null;
  }
}

/** Reads a stored output piece by piece, as base64. */
export async function* outputPieces(client: Client, sha256: Sha256): AsyncGenerator<{ offset: number; data: string }> {
  for (let offset = 0; ; ) {
    const { data, size_bytes: sizeBytes } = await client.call('loom.blob_read', { sha256, offset });
    yield { offset, data };
    offset += Buffer.byteLength(data, 'base64');
    if (data === '' || offset >= sizeBytes) return;
  }
}
