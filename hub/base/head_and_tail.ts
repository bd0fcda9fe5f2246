/** An excerpt of a text: its head and tail, and the number of bytes missing between them. */
export interface HeadAndTail {
  head: string;
  leftOutBytes: number;
  tail: string;
}

export interface ExcerptSize {
  headBytes: number;
  tailBytes: number;
}

/**
 * Cuts a text of bytes down to size, at ends of lines where one is near and never inside a character. `head` and
 * `tail` are what there is of the whole: they may overlap, or be the same bytes.
 */
export function excerptOf(
  whole: { head: Uint8Array; tail: Uint8Array; totalBytes: number },
  { headBytes, tailBytes }: ExcerptSize,
): HeadAndTail {
  const { head, tail, totalBytes } = whole;
  if (totalBytes <= headBytes + tailBytes && head.length === totalBytes) {
    return { head: decode(head), leftOutBytes: 0, tail: '' };
  }
  const headEnd = endOfHead(head.subarray(0, headBytes));
  const tailStart = startOfTail(tail.subarray(Math.max(0, tail.length - tailBytes)));
  const kept = tail.subarray(Math.max(0, tail.length - tailBytes) + tailStart);
  return {
    head: decode(head.subarray(0, headEnd)),
    leftOutBytes: totalBytes - headEnd - kept.length,
    tail: decode(kept),
  };
}

/** An excerpt as one text, with a line that says how much is missing. */
export function excerptText({ head, leftOutBytes, tail }: HeadAndTail): string {
  if (leftOutBytes === 0) return head + tail;
  const lineBreak = head === '' || head.endsWith('\n') ? '' : '\n';
  return `${head}${lineBreak}[… ${leftOutBytes} bytes left out …]\n${tail}`;
}

/** A text cut to at most `bytesMax` bytes, half of them from its beginning and half from its end. */
export function shortened(text: string, bytesMax: number): { text: string; leftOutBytes: number } {
  const bytes = new TextEncoder().encode(text);
  const tailBytes = Math.floor(bytesMax / 2);
  const whole = { head: bytes, tail: bytes, totalBytes: bytes.length };
  const excerpt = excerptOf(whole, { headBytes: bytesMax - tailBytes, tailBytes });
  return { text: excerptText(excerpt), leftOutBytes: excerpt.leftOutBytes };
}

/** Whether bytes are not text: one of them is zero, or many do not decode to characters. */
export function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 8_192);
  if (start.includes(0)) return true;
  const text = decode(start);
  let broken = 0;
  for (const character of text) if (character === '\uFFFD') broken += 1;
  return broken > text.length / 10 + 4;
}

const LINE_FEED = 10;

// A cut in the last fifth at the end of a line reads better than one in the middle of it.
function endOfHead(bytes: Uint8Array): number {
  const line = bytes.lastIndexOf(LINE_FEED) + 1;
  if (line >= bytes.length * 0.8) return line;
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && !isWhole(bytes, end)) end -= 1;
  return end;
}

/** Whether the last character before this offset is complete. */
function isWhole(bytes: Uint8Array, end: number): boolean {
  let start = end - 1;
  while (start > 0 && end - start < 4 && isContinuation(bytes[start])) start -= 1;
  return end - start >= lengthOf(bytes[start] ?? 0);
}

function startOfTail(bytes: Uint8Array): number {
  const line = bytes.indexOf(LINE_FEED) + 1;
  if (line > 0 && line <= bytes.length * 0.2) return line;
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The length in bytes of a character, by its first byte. */
function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
