import { HubError } from '../../hub/base/error.js';
import { FRAME_BYTES_MAX } from '../../hub/protocol/limits.js';
import { formatBytes } from '../render/text/ids_and_counts.js';

const NEWLINE = 0x0a;

/** Splits bytes into lines of UTF-8 text. A line that could not be sent on in one frame is refused. */
export async function* splitLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const line of splitBytes(pieces)) yield decodedLine(line);
}

/** Splits bytes into lines, each in the pieces that it came in. */
export async function* splitBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      yield [...held, piece.subarray(start, end)];
      held = [];
      heldBytes = 0;
      start = end + 1;
    }
    held.push(piece.subarray(start));
    heldBytes += piece.length - start;
    if (heldBytes > FRAME_BYTES_MAX) {
      throw new HubError('invalid_params', `a line has more than ${formatBytes(FRAME_BYTES_MAX)}`, {
        hint: 'is this a file that export wrote?',
      });
    }
  }
  if (heldBytes > 0) yield held;
}

/** The text of a line; an error when it is not UTF-8. */
export function decodedLine(pieces: readonly Uint8Array[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch (error) {
    throw new HubError('invalid_params', 'the file is not UTF-8', { cause: error });
  }
}
