import { randomUUID } from 'node:crypto';
import { endOfString } from '../base/json/json_bounds.js';

/** A larger message is parsed in steps, and what it is parsed into takes several times its bytes. */
export const LARGE_BYTES = 1024 * 1024;
/** A longer string is parsed apart from what stands around it. */
const LONG_BYTES = 16 * 1024;
/** How much of a long string is parsed at once. */
const PIECE_BYTES = 256 * 1024;
/** The longest escape: `\u` and four digits. */
const ESCAPE_BYTES_MAX = 6;
const CHARACTER_BYTES_MAX = 4;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

interface Range {
  start: number;
  end: number;
}

/**
 * Parses JSON as `JSON.parse` does, its long strings piece by piece. Between two pieces `pause` lets others be served; where it
 * says that nobody waits any more, the result is null.
 */
export async function parseInSteps(text: Buffer, pause: () => Promise<boolean>): Promise<unknown> {
  // Nobody can have put it into the text.
  const mark = randomUUID();
  const strings = new Map<unknown, string>();
  const rest: Buffer[] = [];
  let restStart = 0;
  for (const { start, end } of longStrings(text)) {
    // Added up, not joined: the engine then makes one text of the pieces only when somebody reads it.
    let whole = '';
    for (const piece of piecesOf(text, { start, end })) {
      whole += JSON.parse(`"${piece.toString('utf8')}"`);
      if (!(await pause())) return null;
    }
    const name = `${mark}${strings.size}`;
    strings.set(name, whole);
    rest.push(text.subarray(restStart, start), Buffer.from(name));
    restStart = end;
  }
  const short = Buffer.concat([...rest, text.subarray(restStart)]).toString('utf8');
  return strings.size === 0 ? JSON.parse(short) : JSON.parse(short, (_, value) => strings.get(value) ?? value);
}

/** The contents of long strings that are values. */
function* longStrings(text: Buffer): Generator<Range> {
  const quote = '"'.charCodeAt(0);
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    const end = endOfString(text, at);
    if (end - at > LONG_BYTES && !isKey(text, end)) yield { start: at + 1, end };
    at = end;
  }
}

function isKey(text: Buffer, end: number): boolean {
  let at = end + 1;
  while (text[at] === 0x20 || text[at] === 0x09 || text[at] === 0x0a || text[at] === 0x0d) at += 1;
  return text[at] === COLON;
}

function* piecesOf(text: Buffer, { start, end }: Range): Generator<Buffer> {
  for (let at = start; at < end; ) {
    const next = end - at <= PIECE_BYTES ? end : boundaryBefore(text, { start: at, end: at + PIECE_BYTES });
    yield text.subarray(at, next);
    at = next;
  }
}

/** The last place in a string where neither a character nor an escape is cut in two; its start is such a place. */
function boundaryBefore(text: Buffer, { start, end }: Range): number {
  let at = end;
  while (((text[at] ?? 0) & 0xc0) === 0x80 && at > end - CHARACTER_BYTES_MAX) at -= 1;
  const last = text.subarray(at - ESCAPE_BYTES_MAX, at).lastIndexOf(BACKSLASH);
  if (last < 0) return at;
  const slash = at - ESCAPE_BYTES_MAX + last;
  let run = slash;
  while (run > start && text[run - 1] === BACKSLASH) run -= 1;
  // Two are a backslash that is escaped; one that is left over begins an escape.
  return (slash - run) % 2 === 1 ? at : slash;
}
