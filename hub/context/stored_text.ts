import { excerptOf, excerptText, isBinary } from '../base/head_and_tail.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { External, Output } from '../protocol/node.js';

const PIECE_BYTES = 1024 * 1024;

/** The text of a stored output, or its head and tail with what is missing said between them. */
export interface StoredText {
  text: string;
  leftOutBytes: number;
  isBinary: boolean;
}

/** What of an external node tells where its output is, and where in it something is missing. */
type Kept = Pick<External, 'handle'> & { output: Output };

/** Reads as much of a stored output as is wanted, never all of one that is longer. */
export async function storedText(reach: InternalCaller, kept: Kept, bytesMax: number): Promise<StoredText> {
  const { output } = kept;
  const { size_bytes, total_bytes } = output;
  const isWhole = size_bytes === total_bytes;
  const fits = isWhole && size_bytes <= bytesMax;
  const tailBytes = Math.floor(bytesMax / 2);
  const headBytes = bytesMax - tailBytes;
  // Of an output that is not whole, what was stored of its end begins where its head ends.
  const gap = isWhole ? null : gapOf(kept);
  const head = await range(reach, output, { from: 0, to: fits ? size_bytes : Math.min(headBytes, gap ?? size_bytes) });
  if (isBinary(head)) {
    return { text: `[binary data, ${total_bytes} bytes]`, leftOutBytes: total_bytes, isBinary: true };
  }
  const from = Math.max(size_bytes - tailBytes, gap ?? 0);
  const tail = fits ? head : await range(reach, output, { from, to: size_bytes });
  const excerpt = excerptOf({ head, tail, totalBytes: total_bytes }, { headBytes, tailBytes });
  return { text: excerptText(excerpt), leftOutBytes: excerpt.leftOutBytes, isBinary: false };
}

/** The place in a stored output where the middle is missing; whoever does not say it keeps as much of both ends. */
function gapOf({ handle, output }: Kept): number {
  const { head_bytes } = Object(handle.metadata);
  const isPlace = Number.isInteger(head_bytes) && head_bytes >= 0 && head_bytes <= output.size_bytes;
  return isPlace ? head_bytes : Math.ceil(output.size_bytes / 2);
}

async function range(
  reach: InternalCaller,
  { sha256 }: Output,
  { from, to }: { from: number; to: number },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let offset = from; offset < to; offset += PIECE_BYTES) {
    const limit = Math.min(PIECE_BYTES, to - offset);
    const { data } = await callHub(reach, 'loom.blob_read', { sha256, offset, limit });
    pieces.push(Buffer.from(data, 'base64'));
  }
  return Buffer.concat(pieces);
}
