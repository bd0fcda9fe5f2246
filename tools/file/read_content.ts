import { HubError } from '../../hub/base/error.js';
import { isBinary } from '../../hub/base/head_and_tail.js';
import { extendHint, hintText } from '../../hub/base/hint.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { Block, Sha256 } from '../../hub/protocol/node.js';
import { type ImageFacts, imageFacts, imageProblem, SHRUNK_BYTES_MAX, type ShrinkImage } from '../base/image.js';
import { sha256Of } from '../base/sha256.js';
import type { Pieces } from '../base/store_output.js';
import { type ByteSource, piecesFrom } from './content/byte_source.js';
import { type Encoding, encodingOf, lineEndsOf } from './content/encoding.js';
import { type LineWindow, readLines } from './content/lines.js';
import { shownPath } from './path/file_errors.js';

/** The kind of content is decided from so many bytes. */
const START_BYTES = 256 * 1024;
/** Larger content is streamed in pieces and never held whole. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;

/** The part of a file or stored output to read. */
export interface ContentRequest {
  /** Its name in messages. */
  name: string;
  offset: number;
  /** Null for all lines. */
  limit: number | null;
  /** The most bytes to store; of more, the head and the tail. */
  keptBytesMax: number;
  shrinkImage: ShrinkImage;
  signal: AbortSignal;
}

export interface ReadResult {
  blocks: Block[];
  /** The bytes to store, to be consumed while the source is open. */
  stored: StoredBytes | null;
  facts: Facts;
}

export interface StoredBytes {
  pieces: Pieces;
  totalBytes: number;
  /** Null when only head and tail are stored, or when it is not held in memory. */
  sha256: Sha256 | null;
}

type Facts = Record<string, string | number | null>;

/** Reads an image or lines of text; other content is only named. */
export async function readContent(source: ByteSource, request: ContentRequest): Promise<ReadResult> {
  const start = await source.read(0, START_BYTES);
  const image = imageFacts(start);
  if (image !== null) return readImage(source, image, request);
  const encoding = encodingOf(start);
  if (encoding.name === 'utf-8' && isBinary(start)) return readBinary(source, request);
  return readText(source, encoding, request);
}

async function readImage(source: ByteSource, image: ImageFacts, request: ContentRequest): Promise<ReadResult> {
  const { name, signal, keptBytesMax } = request;
  const whole = await read(source, { to: SHRUNK_BYTES_MAX + 1, signal });
  const sizeBytes = Math.max(source.sizeBytes, whole.length);
  const problem = imageProblem(image, sizeBytes);
  const { bytes, shown } = problem === null ? { bytes: whole, shown: image } : await shrunk(whole, problem, request);
  if (bytes.length > keptBytesMax) {
    throw notShown(name, 'outputs of its size are not stored whole: see output.megabytes_max', 'make it smaller first');
  }
  const { media_type, width, height } = shown;
  const sha256 = sha256Of([bytes]);
  const smaller = problem === null ? '' : `; shown smaller, ${width}×${height}`;
  const pixels = `${image.width}×${image.height} pixels`;
  const text = `[${image.media_type}, ${pixels}, ${sizeOf(sizeBytes)}: ${shownPath(name)}${smaller}]`;
  return {
    blocks: [
      { type: 'text', text },
      { type: 'image', sha256, media_type, width, height },
    ],
    stored: { pieces: [bytes], totalBytes: bytes.length, sha256 },
    facts: { content: 'image', media_type, width, height, sha256 },
  };
}

/** An image that is too large, as models take it. */
async function shrunk(whole: Buffer, problem: string, { name, signal, shrinkImage }: ContentRequest) {
  if (whole.length > SHRUNK_BYTES_MAX) throw notShown(name, problem, 'make it smaller first');
  const bytes = await shrinkImage(whole, signal).catch((error: unknown) => {
    if (!(error instanceof HubError) || error.kind === 'cancelled') throw error;
    throw notShown(name, `${problem}; ${error.message}`, extendHint('make it smaller first', hintAfter(error.hint)));
  });
  const shown = imageFacts(bytes);
  if (shown === null || imageProblem(shown, bytes.length) !== null) {
    throw notShown(name, problem, 'make it smaller first');
  }
  return { bytes, shown };
}

function hintAfter(hint: HubError['hint']): string {
  return hint === null ? '' : `, or ${hintText(hint)}`;
}

function notShown(name: string, reason: string, hint: Hint): HubError {
  return new HubError('limit', `the image ${shownPath(name)} cannot be shown: ${reason}`, { hint });
}

async function readBinary(source: ByteSource, request: ContentRequest): Promise<ReadResult> {
  const kept = request.limit === null ? await readWhole(source, request) : null;
  const sizeBytes = Math.max(source.sizeBytes, kept?.totalBytes ?? 0);
  const text = `[${shownPath(request.name)} is binary, ${sizeOf(sizeBytes)}: not shown]`;
  return {
    blocks: [{ type: 'text', text }],
    stored: kept,
    facts: { content: 'binary', sha256: kept?.sha256 ?? null },
  };
}

async function readText(source: ByteSource, encoding: Encoding, request: ContentRequest): Promise<ReadResult> {
  const { offset, signal } = request;
  const whole = request.limit === null ? await readWhole(source, request) : null;
  const limit = request.limit ?? Number.MAX_SAFE_INTEGER;
  const window = await readLines(source, { offset, limit, encoding, signal });
  if (window.lines.length === 0 && offset > 1) throw pastTheEnd(request, window);
  const isAll = offset === 1 && window.total === window.lines.length && !window.isBroken;
  const bytes = isAll && encoding.markBytes > 0 ? await readAll(source, signal) : window.bytes;
  const kept = whole ?? (bytes.length === 0 ? null : headAndTail(bytes, request.keptBytesMax));
  return {
    blocks: [{ type: 'text', text: shownText(window, request) }],
    stored: kept,
    facts: {
      content: 'text',
      encoding: encoding.name,
      byte_order_mark: encoding.markBytes > 0 ? 'yes' : 'no',
      line_ends: lineEndsOf(window.bytes, encoding),
      first_line: offset,
      last_line: offset + window.lines.length - 1,
      lines: window.total,
      sha256: isAll || whole !== null ? (kept ?? headAndTail(bytes, request.keptBytesMax)).sha256 : null,
    },
  };
}

function shownText(window: LineWindow, { offset, name }: ContentRequest): string {
  const { lines, total, isBroken } = window;
  if (lines.length === 0) return `[${shownPath(name)} is empty]`;
  const text = lines.join('\n');
  const last = offset + lines.length - 1;
  if (isBroken) return `${text}\n[line ${last} is longer than what is read at once; look at it with a command]`;
  if (total === last && offset === 1) return lines.length === 1 && text === '' ? '[one empty line]' : text;
  if (total === last) return `${text}\n[lines ${offset} to ${last}: the end]`;
  const all = total === null ? 'of many' : `of ${total}`;
  return `${text}\n[lines ${offset} to ${last} ${all}; read on with offset=${last + 1}]`;
}

function pastTheEnd({ name, offset }: ContentRequest, { total }: LineWindow): HubError {
  const has = total === 1 ? 'has 1 line' : `has ${total ?? 'fewer'} lines`;
  return new HubError('invalid_params', `line ${offset} is past the end: ${shownPath(name)} ${has}`, {
    hint: total === 0 || total === null ? 'read it without an offset' : `an offset from 1 to ${total} shows something`,
  });
}

/** All of it, or its head and tail when it is longer than what is stored. */
async function readWhole(source: ByteSource, request: ContentRequest): Promise<StoredBytes> {
  const held = await read(source, { to: HELD_BYTES_MAX + 1, signal: request.signal });
  if (held.length <= HELD_BYTES_MAX) return headAndTail(held, request.keptBytesMax);
  if (source.sizeBytes >= held.length) {
    return { pieces: laterPieces(source, request), totalBytes: source.sizeBytes, sha256: null };
  }
  throw new HubError(
    'limit',
    `${shownPath(request.name)} holds more than the ${sizeOf(source.sizeBytes)} that it states`,
    {
      hint: 'read a part of it, or print it with a command',
    },
  );
}

async function* laterPieces(
  source: ByteSource,
  { keptBytesMax, signal, name }: ContentRequest,
): AsyncGenerator<Buffer> {
  const size = source.sizeBytes;
  const half = Math.floor(keptBytesMax / 2);
  const ranges =
    size <= keptBytesMax
      ? [[0, size]]
      : [
          [0, half],
          [size - half, size],
        ];
  for (const [from = 0, to = 0] of ranges) {
    let at = from;
    for await (const piece of piecesFrom(source, { from, to, signal })) {
      at += piece.length;
      yield piece;
    }
    if (at === to) continue;
    throw new HubError('conflict', `${shownPath(name)} became shorter while it was read`, {
      hint: 'try again',
      retryable: true,
    });
  }
}

async function readAll(source: ByteSource, signal: AbortSignal): Promise<Buffer> {
  return read(source, { to: Number.MAX_SAFE_INTEGER, signal });
}

async function read(source: ByteSource, range: { from?: number; to: number; signal: AbortSignal }): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of piecesFrom(source, { from: 0, ...range })) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The bytes, or their head and tail when there are more than this. */
export function headAndTail(bytes: Buffer, keptBytesMax: number): StoredBytes {
  const totalBytes = bytes.length;
  if (totalBytes <= keptBytesMax) return { pieces: [bytes], totalBytes, sha256: sha256Of([bytes]) };
  const half = Math.floor(keptBytesMax / 2);
  return { pieces: [bytes.subarray(0, half), bytes.subarray(totalBytes - half)], totalBytes, sha256: null };
}

export function sizeOf(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`;
}
