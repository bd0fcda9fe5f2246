import { objectInLine } from '../../../hub/base/json/json_line.js';
import type { Message } from '../agent_cli.js';

/** The longest line that is read; more of it is dropped. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** How much is repeated of a line that nobody understands. */
const SHOWN_LENGTH_MAX = 400;
const LINE_FEED = 10;

export interface LineListener {
  /** An object of JSON. */
  message(message: Message): void;
  /** The beginning of a line that is none. */
  noise(text: string): void;
}

export interface LineReader {
  add(bytes: Uint8Array): void;
  /** Takes what is left as the last line. */
  end(): void;
}

/** Reads lines of JSON from bytes that come in pieces. */
export function readJsonLines(listener: LineListener): LineReader {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isTooLong = false;

  function hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (heldBytes + bytes.length > LINE_BYTES_MAX) isTooLong = true;
    // Enough of it to tell what it was.
    const kept = isTooLong ? bytes.subarray(0, Math.max(0, SHOWN_LENGTH_MAX - heldBytes)) : bytes;
    held.push(Buffer.from(kept));
    heldBytes += kept.length;
  }

  function finish(): void {
    const line = Buffer.concat(held);
    const message = isTooLong ? null : objectInLine<Message>(line);
    held = [];
    heldBytes = 0;
    isTooLong = false;
    if (message !== null) listener.message(message);
    else noise(line);
  }

  function noise(line: Buffer): void {
    const text = line.toString('utf8').trim();
    if (text !== '') listener.noise(text.slice(0, SHOWN_LENGTH_MAX));
  }

  return {
    add(bytes) {
      const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let start = 0;
      for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
        hold(piece.subarray(start, end));
        finish();
        start = end + 1;
      }
      hold(piece.subarray(start));
    },
    end: finish,
  };
}
