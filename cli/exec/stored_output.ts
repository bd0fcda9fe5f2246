import type { Client } from '../../hub/client/client.js';
import type { Sha256 } from '../../hub/protocol/node.js';

/** Reads a stored output piece by piece, as base64. */
export async function* outputPieces(client: Client, sha256: Sha256): AsyncGenerator<{ offset: number; data: string }> {
  for (let offset = 0; ; ) {
    const { data, size_bytes: sizeBytes } = await client.call('loom.blob_read', { sha256, offset });
    yield { offset, data };
    offset += Buffer.byteLength(data, 'base64');
    if (data === '' || offset >= sizeBytes) return;
  }
}
