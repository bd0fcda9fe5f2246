import { HubError } from '../../../hub/base/error.js';
import { type ByteSource, piecesFrom } from './byte_source.js';
import { afterLineFeed, decode, type Encoding } from './encoding.js';

/** What a reader is shown of one line, in UTF-16 units. */
const LINE_UNITS_MAX = 2_000;
/** About what a reader is shown at once. */
const SHOWN_BYTES_MAX = 50_000;
/** What is read for it at most: lines that are cut when they are shown are kept whole. */
const WINDOW_BYTES_MAX = 8 * 1024 * 1024;
/** Lines of a longer file are not counted. */
const COUNTED_BYTES_MAX = 64 * 1024 * 1024;
/** How far into a file a line is looked for. */
const SEARCHED_BYTES_MAX = 4 * 1024 * 1024 * 1024;

export interface WantedLines {
  /** The first line, counted from 1, and how many. */
  offset: number;
  limit: number;
  encoding: Encoding;
  signal: AbortSignal;
}

/** Some lines of a file. */
export interface LineWindow {
  /** As they are shown. */
  lines: string[];
  /** Exactly their bytes. */
  bytes: Buffer;
  /** Whether the last one is so long that not even its bytes are all here. */
  isBroken: boolean;
  /** Lines of the whole; null when it is too long to count. */
  total: number | null;
}

/** Reads lines from a file of any size, holding no more of it than is shown. */
export async function readLines(source: ByteSource, wanted: WantedLines): Promise<LineWindow> {
  const from = wanted.encoding.markBytes;
  const state = begun(wanted);
  let at = from;
  for await (const piece of piecesFrom(source, { from, to: Number.MAX_SAFE_INTEGER, signal: wanted.signal })) {
    at += piece.length;
    take(state, piece, wanted);
    if (state.phase === 'searching' && at > SEARCHED_BYTES_MAX) throw tooFar(wanted.offset);
    if (state.phase === 'counting' && at > COUNTED_BYTES_MAX) return windowOf(state, false);
  }
  if (state.isOpen) endLine(state, wanted);
  return windowOf(state, true);
}

interface Progress {
  phase: 'searching' | 'collecting' | 'counting';
  /** Lines that have ended. */
  ended: number;
  /** Whether bytes have come since. */
  isOpen: boolean;
  lines: string[];
  shownBytes: number;
  kept: Buffer[];
  keptBytes: number;
  /** The line that is being collected. */
  line: Buffer[];
  isBroken: boolean;
}

function begun({ offset }: WantedLines): Progress {
  const phase = offset === 1 ? 'collecting' : 'searching';
  const nothing = { lines: [], shownBytes: 0, kept: [], keptBytes: 0, line: [], isBroken: false };
  return { phase, ended: 0, isOpen: false, ...nothing };
}

function windowOf(state: Progress, isWhole: boolean): LineWindow {
  const { lines, kept, isBroken, ended } = state;
  return { lines, bytes: Buffer.concat(kept), isBroken, total: isWhole ? ended : null };
}

function take(state: Progress, piece: Buffer, wanted: WantedLines): void {
  for (let from = 0; from < piece.length; ) {
    const end = afterLineFeed(piece, from, wanted.encoding);
    const to = end === -1 ? piece.length : end;
    state.isOpen = end === -1;
    if (state.phase === 'collecting') collect(state, piece.subarray(from, to), wanted);
    if (end !== -1) endLine(state, wanted);
    from = to;
  }
}

function collect(state: Progress, bytes: Buffer, wanted: WantedLines): void {
  const room = WINDOW_BYTES_MAX - state.keptBytes;
  state.line.push(Buffer.from(bytes.subarray(0, room)));
  state.keptBytes += Math.min(bytes.length, room);
  if (bytes.length <= room) return;
  // What does not fit is shown only where nothing else would be.
  if (state.lines.length === 0) {
    keepLine(state, wanted);
    state.isBroken = true;
  }
  state.phase = 'counting';
}

function endLine(state: Progress, wanted: WantedLines): void {
  state.ended += 1;
  if (state.phase === 'collecting') {
    keepLine(state, wanted);
    if (state.lines.length >= wanted.limit) state.phase = 'counting';
  } else if (state.phase === 'searching' && state.ended === wanted.offset - 1) state.phase = 'collecting';
}

function keepLine(state: Progress, { encoding }: WantedLines): void {
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
