import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** The longest line that is read, and the most bytes between two answers of a server: beyond that it floods. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const UNASKED_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** Lines of JSON over the standard input and output of a process; `flood` is called once when too much comes. */
export function lineTransport(child: ChildProcess, flood: (reason: string) => void): Transport {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let unasked = 0;
  let isFlooding = false;

  const transport: Transport = {
    async start() {
      child.stdout?.on('data', take);
      child.once('close', () => transport.onclose?.());
      // What has ended reads no more, which its end tells.
      child.stdin?.on('error', () => undefined);
    },
    async send(message) {
      unasked = 0;
      child.stdin?.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      child.stdin?.end();
    },
  };

  function take(bytes: Buffer): void {
    if (isFlooding) return;
    unasked += bytes.length;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      hold(bytes.subarray(start, end));
      finish();
      start = end + 1;
    }
    hold(bytes.subarray(start));
    if (heldBytes > LINE_BYTES_MAX || unasked > UNASKED_BYTES_MAX) {
      isFlooding = true;
      held = [];
      flood(heldBytes > LINE_BYTES_MAX ? 'a line of it is too long' : 'it says too much');
    }
  }

  function hold(bytes: Buffer): void {
    if (bytes.length > 0) held.push(bytes);
    heldBytes += bytes.length;
  }

  function finish(): void {
    const message = messageIn(Buffer.concat(held).toString('utf8').trim());
    held = [];
    heldBytes = 0;
    if (message !== null) transport.onmessage?.(message);
  }

  return transport;
}

/** What is no message is printed by mistake, as by many servers, and means nothing. */
function messageIn(line: string): JSONRPCMessage | null {
  if (!line.startsWith('{')) return null;
  try {
    const parsed: JSONRPCMessage = JSON.parse(line);
    return parsed;
  } catch {
    return null; // a line that only looks like one
  }
}
