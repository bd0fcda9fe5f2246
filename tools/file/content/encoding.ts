/** The encoding of a file. */
export interface Encoding {
  name: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** The length of its byte order mark; 0 without one. */
  markBytes: number;
}

const PLAIN: Encoding = { name: 'utf-8', markBytes: 0 };
const LINE_FEED = 0x0a;

/** The encoding by the byte order mark of a file. */
export function encodingOf(start: Uint8Array): Encoding {
  const [one, two, three, four] = start;
  if (one === 0xef && two === 0xbb && three === 0xbf) return { name: 'utf-8', markBytes: 3 };
  if (one === 0xff && two === 0xfe && !(three === 0 && four === 0)) return { name: 'utf-16le', markBytes: 2 };
  if (one === 0xfe && two === 0xff) return { name: 'utf-16be', markBytes: 2 };
  return PLAIN;
}

export function decode(bytes: Uint8Array, { name }: Encoding): string {
  return new TextDecoder(name, { ignoreBOM: true }).decode(bytes);
}

/** The bytes of a text, without a byte order mark. */
export function encode(text: string, { name }: Encoding): Buffer {
  if (name === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return name === 'utf-16be' ? bytes.swap16() : bytes;
}

/** The byte order mark. */
export function markOf({ name, markBytes }: Encoding): Buffer {
  return markBytes === 0 ? Buffer.alloc(0) : encode('\uFEFF', { name, markBytes });
}

/** The offset after the next line feed at or after `from`; -1 when there is none. Characters begin at even offsets in UTF-16. */
export function afterLineFeed(bytes: Uint8Array, from: number, { name }: Encoding): number {
  if (name === 'utf-8') return bytes.indexOf(LINE_FEED, from) + 1 || -1;
  const offset = name === 'utf-16le' ? 0 : 1;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (at % 2 === offset && bytes[at + 1 - 2 * offset] === 0) return at + 2 - offset;
  }
  return -1;
}

export type LineEnds = 'lf' | 'crlf' | 'mixed' | 'none';

/** How the lines of some bytes end; the bytes begin with a whole character. */
export function lineEndsOf(bytes: Uint8Array, encoding: Encoding): LineEnds {
  const returned = encode('\r\n', encoding);
  let hasReturn = false;
  let hasNone = false;
  let at = afterLineFeed(bytes, 0, encoding);
  for (; at !== -1 && !(hasReturn && hasNone); at = afterLineFeed(bytes, at, encoding)) {
    const from = at - returned.length;
    if (returned.every((byte, index) => bytes[from + index] === byte)) hasReturn = true;
    else hasNone = true;
  }
  if (hasReturn) return hasNone ? 'mixed' : 'crlf';
  return hasNone ? 'lf' : 'none';
}

/** The text with the line ends of its file. */
export function withLineEnds(text: string, ends: LineEnds): string {
  if (ends === 'crlf') return text.replace(/\r?\n/g, '\r\n');
  return ends === 'lf' ? text.replace(/\r\n/g, '\n') : text;
}
