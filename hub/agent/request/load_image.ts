import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { LoadImage } from '../model/provider.js';

const PIECE_BYTES = 1024 * 1024;
/** More than any provider accepts for one image. */
const IMAGE_BYTES_MAX = 64 * 1024 * 1024;

/** Makes what reads stored images, piece by piece. */
export function imageLoader(reach: InternalCaller): LoadImage {
  return async ({ sha256 }) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    try {
      for (;;) {
        const { data, size_bytes } = await callHub(reach, 'loom.blob_read', {
          sha256,
          offset: bytes,
          limit: PIECE_BYTES,
        });
        const piece = Buffer.from(data, 'base64');
        pieces.push(piece);
        bytes += piece.length;
        if (bytes >= Math.min(size_bytes, IMAGE_BYTES_MAX) || piece.length === 0) return Buffer.concat(pieces);
      }
    } catch (error) {
      if (error instanceof HubError && error.kind === 'not_found') return null;
      throw error;
    }
  };
}
