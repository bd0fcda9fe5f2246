import { HubError } from '../../../hub/base/error.js';
import { NODE_BYTES_MAX } from '../../../hub/protocol/limits.js';
import { decodeMessage } from '../../input/message.js';
import { formatBytes } from '../../render/text/ids_and_counts.js';
import type { FrontAction } from './front.js';

const NEWLINE = 0x0a;
const ESC = '\\x1b';

/** The lines that come in, one by one as they are asked for. One that cannot be a message is refused, and the next is read. */
export async function* typedLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<FrontAction> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const take = (): FrontAction => {
    const line = heldBytes > NODE_BYTES_MAX ? tooLong() : lineFrom(Buffer.concat(held));
    held = [];
    heldBytes = 0;
    return line;
  };
  const hold = (bytes: Uint8Array): void => {
    heldBytes += bytes.length;
    // Of a line that is too long nothing is kept but that it is.
    if (heldBytes > NODE_BYTES_MAX) held = [];
    else held.push(bytes);
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      hold(piece.subarray(start, end));
      yield take();
      start = end + 1;
    }
    hold(piece.subarray(start));
  }
  if (heldBytes > 0) yield take();
}

// What a terminal that edits its lines itself puts into them for a key that it does not know, such as an arrow or Esc.
const KEYS = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*[@-~]|O[@-~])?|[^\\P{Cc}\\t]`, 'gu');

/** A line as it was meant, without the keys that left signs in it. */
export function withoutKeys(action: FrontAction): FrontAction {
  return action.kind === 'line' ? { ...action, text: action.text.replace(KEYS, '') } : action;
}

function lineFrom(bytes: Uint8Array): FrontAction {
  try {
    return { kind: 'line', text: decodeMessage(bytes), when: 'now' };
  } catch (error) {
    return { kind: 'refused', error };
  }
}

function tooLong(): FrontAction {
  const error = new HubError('invalid_params', `a line has more than ${formatBytes(NODE_BYTES_MAX)}`, {
    hint: 'keep large data in a file and name that file in the message',
  });
  return { kind: 'refused', error };
}
