import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isTooNested, objectInLine } from '../../../hub/base/json/json_line.js';

/** The longest line that is read, and the most that comes between two requests of ours: beyond that it floods. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const UNASKED_BYTES_MAX = 64 * 1024 * 1024;
const UNASKED_MESSAGES_MAX = 20_000;
/** The most that waits for a server that does not read. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** Lines of JSON over the standard input and output of a process; `flood` is called once when too much comes. */
export function lineTransport(child: ChildProcess, flood: (reason: string) => void): Transport {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let unasked = { bytes: 0, messages: 0 };
  let isFlooding = false;

  const transport: Transport = {
    async start() {
      child.stdout?.on('data', take);
      child.once('close', () => transport.onclose?.());
      // What has ended reads no more, which its end tells.
      child.stdin?.on('error', () => undefined);
    },
    async send(message) {
      if (isFlooding) return;
      // An answer of ours was asked for by the server, which may ask for ever.
      if ('method' in message) unasked = { bytes: 0, messages: 0 };
      child.stdin?.write(`${JSON.stringify(message)}\n`);
      if ((child.stdin?.writableLength ?? 0) > UNREAD_BYTES_MAX) tooMuch('it does not read');
    },
    async close() {
      child.stdin?.end();
    },
  };

  function take(bytes: Buffer): void {
    if (isFlooding) return;
    unasked.bytes += bytes.length;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      hold(bytes.subarray(start, end));
      finish();
      start = end + 1;
    }
    hold(bytes.subarray(start));
    if (heldBytes > LINE_BYTES_MAX) tooMuch('a line of it is too long');
    else if (unasked.bytes > UNASKED_BYTES_MAX || unasked.messages > UNASKED_MESSAGES_MAX) tooMuch('it says too much');
  }

  function tooMuch(reason: string): void {
    isFlooding = true;
    held = [];
    flood(reason);
  }

  function hold(bytes: Buffer): void {
    if (bytes.length > 0) held.push(bytes);
    heldBytes += bytes.length;
  }

  function finish(): void {
    const line = Buffer.concat(held);
    // What is no message is printed by mistake, as by many servers, and means nothing.
    const message = objectInLine<JSONRPCMessage>(line);
    held = [];
    heldBytes = 0;
    unasked.messages += 1;
    if (isFlooding) return;
    if (message !== null) transport.onmessage?.(message);
    else if (isTooNested(line)) tooMuch('a line of it is nested too deeply');
  }

  return transport;
}
