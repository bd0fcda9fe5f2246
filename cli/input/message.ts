import { fstatSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { NODE_BYTES_MAX } from '../../hub/protocol/limits.js';
import { formatBytes } from '../render/text/ids_and_counts.js';

const STDIN = 0;

/** The text of a message: the argument, or standard input for `-`. */
export async function messageFrom(argument: string): Promise<string> {
  return checkedMessage(argument === '-' ? await readStdin() : argument);
}

/** Refuses an empty message, and one that is too large. */
export function checkedMessage(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > NODE_BYTES_MAX) throw tooLarge(formatBytes(bytes));
  if (text.trim() === '') {
    throw new HubError('invalid_params', 'the message is empty', {
      hint: 'write it in quotes, or pipe it in and write -',
    });
  }
  return text;
}

/** All of standard input as text. */
export async function readStdin(): Promise<string> {
  const stats = fstatSync(STDIN);
  if (stats.isFile() && stats.size > NODE_BYTES_MAX) throw tooLarge(formatBytes(stats.size));
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of process.stdin) {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > NODE_BYTES_MAX) throw tooLarge(`more than ${formatBytes(NODE_BYTES_MAX)}`);
  }
  return decodeMessage(Buffer.concat(pieces));
}

/** Reads UTF-8 with any line ends; what is not UTF-8 is refused instead of being changed. */
export function decodeMessage(bytes: Uint8Array): string {
  const broken = firstBrokenByte(bytes);
  if (broken !== null) {
    throw new HubError('invalid_params', `the message is not UTF-8: byte ${broken} does not belong to a character`, {
      hint: 'convert it first, such as: iconv -f latin1 -t utf-8',
    });
  }
  return new TextDecoder().decode(bytes).replace(/\r\n?/g, '\n').replace(/\n+$/, '');
}

/** The offset of the first byte that is not UTF-8; null when all is well. */
function firstBrokenByte(bytes: Uint8Array): number | null {
  if (isUtf8Start(bytes, false)) return null;
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (middle <= bytes.length && isUtf8Start(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  // When every start is good, the text ends inside a character.
  return Math.min(good, bytes.length - 1);
}

function isUtf8Start(bytes: Uint8Array, mayGoOn: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: mayGoOn });
    return true;
  } catch {
    return false; // the decoder's only way to say so
  }
}

function tooLarge(size: string): HubError {
  return new HubError('invalid_params', `the message has ${size}; a message may have ${formatBytes(NODE_BYTES_MAX)}`, {
    hint: 'keep large data in a file and name that file in the message',
  });
}
