import { excerptOf, excerptText, isBinary } from '../base/head_and_tail.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { External, Output } from '../protocol/node.js';

const PIECE_BYTES = 1024 * 1024;

/** The text of a stored output, or its head and tail with a note of the missing bytes between them. */
export interface StoredText {
  text: string;
  leftOutBytes: number;
  isBinary: boolean;
}

/** The parts of an external node that locate its output and the gap in it. */
type StoredOutput = Pick<External, 'handle'> & { output: Output };

/** Reads a stored output up to `bytesMax`; of a longer one only its head and tail. */
export async function storedText(reach: InternalCaller, stored: StoredOutput, bytesMax: number): Promise<StoredText> {
  const { output } = stored;
  const { size_bytes, total_bytes } = output;
  const isWhole = size_bytes === total_bytes;
  const fits = isWhole && size_bytes <= bytesMax;
  const tailBytes = Math.floor(bytesMax / 2);
  const headBytes = bytesMax - tailBytes;
  // In an output that was not stored whole, the stored tail begins where the head ends.
  const gap = isWhole ? null : gapOf(stored);
  const head = await range(reach, output, { from: 0, to: fits ? size_bytes : Math.min(headBytes, gap ?? size_bytes) });
  if (isBinary(head)) {
    return { text: `[binary data, ${total_bytes} bytes]`, leftOutBytes: total_bytes, isBinary: true };
  }
  const from = Math.max(size_bytes - tailBytes, gap ?? 0);
  const tail = fits ? head : await range(reach, output, { from, to: size_bytes });
  const excerpt = excerptOf({ head, tail, totalBytes: total_bytes }, { headBytes, tailBytes });
  return { text: excerptText(excerpt), leftOutBytes: excerpt.leftOutBytes, isBinary: false };
}

/** The offset in a stored output where the middle is missing; by default the middle of the stored bytes. */
function gapOf({ handle, output }: StoredOutput): number {
  const { head_bytes } = Object(handle.metadata);
  const isOffset = Number.isInteger(head_bytes) && head_bytes >= 0 && head_bytes <= output.size_bytes;
  return isOffset ? head_bytes : Math.ceil(output.size_bytes / 2);
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
