import type { FileHandle } from 'node:fs/promises';
import type { Output } from '../../../hub/protocol/node.js';
import type { HubLink } from '../../base/tool_parts.js';

/** Bytes of one read. */
const PIECE_BYTES = 256 * 1024;

/** Bytes that can be read from any offset. */
export interface ByteSource {
  /** The stated size; files of the kernel may state 0 and hold more. */
  sizeBytes: number;
  /** Reads at most so many bytes from an offset; none at the end. */
  read(offset: number, length: number): Promise<Buffer>;
}

export function fileSource(handle: FileHandle, sizeBytes: number): ByteSource {
  return {
    sizeBytes,
    async read(offset, length) {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
  };
}

export function storedSource(hub: HubLink, { sha256, size_bytes }: Output): ByteSource {
  return {
    sizeBytes: size_bytes,
    async read(offset, length) {
      if (offset >= size_bytes) return Buffer.alloc(0);
      const { data } = await hub.call('loom.blob_read', { sha256, offset, limit: length });
      return Buffer.from(data, 'base64');
    },
  };
}

/** The bytes of a range, in pieces; stops at the end of the source, and when cancelled. */
export async function* piecesFrom(
  source: ByteSource,
  { from, to, signal }: { from: number; to: number; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    signal.throwIfAborted();
    const piece = await source.read(at, Math.min(PIECE_BYTES, to - at));
    if (piece.length === 0) return;
    at += piece.length;
    yield piece;
  }
}
