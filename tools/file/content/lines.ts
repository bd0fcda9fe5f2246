import { HubError } from '../../../hub/base/error.js';
import { type ByteSource, piecesFrom } from './byte_source.js';
import { afterLineFeed, decode, type Encoding } from './encoding.js';

/** The most of one line that is shown, in UTF-16 units. */
const LINE_UNITS_MAX = 2_000;
/** About the most that is shown at once. */
const SHOWN_BYTES_MAX = 50_000;
/** The most that is read for it: lines that are shown cut are stored whole. */
const WINDOW_BYTES_MAX = 8 * 1024 * 1024;
/** Lines of a longer file are not counted. */
const COUNTED_BYTES_MAX = 64 * 1024 * 1024;
/** How far into a file a line is searched. */
const SEARCHED_BYTES_MAX = 4 * 1024 * 1024 * 1024;

export interface LineRange {
  /** The first line, counted from 1, and the number of lines. */
  offset: number;
  limit: number;
  encoding: Encoding;
  signal: AbortSignal;
}

/** Some lines of a file. */
export interface LineWindow {
  /** The lines as shown. */
  lines: string[];
  /** Their exact bytes. */
  bytes: Buffer;
  /** Whether the last line is too long for all its bytes to be here. */
  isBroken: boolean;
  /** The number of lines of the file; null when it is too long to count. */
  total: number | null;
}

/** Reads lines from a file of any size, holding no more than the window. */
export async function readLines(source: ByteSource, range: LineRange): Promise<LineWindow> {
  const from = range.encoding.markBytes;
  const state = initialProgress(range);
  let at = from;
  for await (const piece of piecesFrom(source, { from, to: Number.MAX_SAFE_INTEGER, signal: range.signal })) {
    at += piece.length;
    readPiece(state, piece, range);
    if (state.phase === 'searching' && at > SEARCHED_BYTES_MAX) throw tooFar(range.offset);
    if (state.phase === 'counting' && at > COUNTED_BYTES_MAX) return windowOf(state, false);
  }
  if (state.isOpen) endLine(state, range);
  return windowOf(state, true);
}

interface Progress {
  phase: 'searching' | 'collecting' | 'counting';
  /** Complete lines so far. */
  ended: number;
  /** Whether bytes have followed since the last line end. */
  isOpen: boolean;
  lines: string[];
  shownBytes: number;
  kept: Buffer[];
  keptBytes: number;
  /** The line that is being collected. */
  line: Buffer[];
  isBroken: boolean;
}

function initialProgress({ offset }: LineRange): Progress {
  const phase = offset === 1 ? 'collecting' : 'searching';
  const nothing = { lines: [], shownBytes: 0, kept: [], keptBytes: 0, line: [], isBroken: false };
  return { phase, ended: 0, isOpen: false, ...nothing };
}

function windowOf(state: Progress, isWhole: boolean): LineWindow {
  const { lines, kept, isBroken, ended } = state;
  return { lines, bytes: Buffer.concat(kept), isBroken, total: isWhole ? ended : null };
}

function readPiece(state: Progress, piece: Buffer, range: LineRange): void {
  for (let from = 0; from < piece.length; ) {
    const end = afterLineFeed(piece, from, range.encoding);
    const to = end === -1 ? piece.length : end;
    state.isOpen = end === -1;
    if (state.phase === 'collecting') collect(state, piece.subarray(from, to), range);
    if (end !== -1) endLine(state, range);
    from = to;
  }
}

function collect(state: Progress, bytes: Buffer, range: LineRange): void {
  const room = WINDOW_BYTES_MAX - state.keptBytes;
  state.line.push(Buffer.from(bytes.subarray(0, room)));
  state.keptBytes += Math.min(bytes.length, room);
  if (bytes.length <= room) return;
  // A line that does not fit is shown only when it is the first.
  if (state.lines.length === 0) {
    keepLine(state, range);
    state.isBroken = true;
  }
  state.phase = 'counting';
}

function endLine(state: Progress, range: LineRange): void {
  state.ended += 1;
  if (state.phase === 'collecting') {
    keepLine(state, range);
    if (state.lines.length >= range.limit) state.phase = 'counting';
  } else if (state.phase === 'searching' && state.ended === range.offset - 1) state.phase = 'collecting';
}

function keepLine(state: Progress, { encoding }: LineRange): void {
  const bytes = Buffer.concat(state.line);
  state.line = [];
  const shown = shownLine(bytes, encoding);
  const size = Buffer.byteLength(shown) + 1;
  if (state.lines.length > 0 && state.shownBytes + size > SHOWN_BYTES_MAX) {
    state.phase = 'counting';
    return;
  }
  state.lines.push(shown);
  state.kept.push(bytes);
  state.shownBytes += size;
}

/** A line as it is shown: without its end, and cut where it is very long. */
function shownLine(bytes: Buffer, encoding: Encoding): string {
  const text = decode(bytes.subarray(0, LINE_UNITS_MAX * 4), encoding).replace(/\r?\n$/, '');
  if (text.length <= LINE_UNITS_MAX) return text;
  const cut = text.slice(0, LINE_UNITS_MAX).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut} [… this line has ${bytes.length.toLocaleString('en')} bytes]`;
}

function tooFar(offset: number): HubError {
  return new HubError('limit', `line ${offset} begins more than ${SEARCHED_BYTES_MAX} bytes into the file`, {
    hint: 'look at it with a command, such as tail or dd',
  });
}
