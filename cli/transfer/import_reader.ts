import { HubError } from '../../hub/base/error.js';
import { decodedLine, splitBytes } from '../files/split_lines.js';
import { isSha256, isTreeId } from '../position/ids.js';
import { formatBytes } from '../render/text/ids_and_counts.js';
import { LAST_RECORD, type PortableRecord } from './export_records.js';
import { type ReadLine, type Skipped, soundRecords } from './sound_records.js';
import { isTranscript, type ReadTranscript, transcriptFrom } from './transcript_reader.js';

// One JSON document is parsed as a whole; JSONL has no such limit.
const DOCUMENT_BYTES_MAX = 256 * 1024 * 1024;
const MOMENTS = ['before', 'after', 'left', 'copied'];
const KINDS = ['settings', 'mark', 'archived', 'output'];

/** The content of an import: the records of an export, or a transcript. */
type Importable =
  | { kind: 'export'; records: AsyncIterable<PortableRecord> | Iterable<PortableRecord>; skipped: Skipped }
  | { kind: 'transcript'; transcript: ReadTranscript };

/** Reads an export, JSONL or one JSON document, or a transcript. */
export async function readImport(pieces: AsyncIterable<Uint8Array>): Promise<Importable> {
  const { isLines, all } = await peek(pieces);
  const skipped: Skipped = { count: 0, first: [] };
  if (isLines) return { kind: 'export', records: soundRecords(readLines(splitBytes(all)), skipped), skipped };
  const document = parsed(await wholeText(all), 'the file');
  if (isTranscript(document)) return { kind: 'transcript', transcript: transcriptFrom(document) };
  return { kind: 'export', records: documentRecords(document), skipped };
}

async function* readLines(lines: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<ReadLine> {
  let number = 0;
  let isWhole = false;
  for await (const bytes of lines) {
    number += 1;
    const value = valueIn(bytes);
    if (value === null) continue;
    if ('reason' in value) {
      isWhole = false;
      yield { line: number, ...value };
      continue;
    }
    isWhole = isObject(value.json) && Reflect.get(value.json, 'kind') === LAST_RECORD.kind;
    if (isRecord(value.json)) yield { line: number, record: value.json };
    else if (!isWhole) yield { line: number, reason: 'it is not a record of a conversation' };
  }
  // Refused before the last tree is finished, which therefore does not appear.
  if (!isWhole) throw notAnExport('it is cut off: its last line is missing');
}

/** What a line holds; null for an empty one. */
function valueIn(bytes: readonly Uint8Array[]): { json: unknown } | { reason: string } | null {
  try {
    const text = decodedLine(bytes);
    return text.trim() === '' ? null : { json: JSON.parse(text) };
  } catch (error) {
    return { reason: error instanceof HubError ? 'it is not UTF-8' : 'it is not JSON' };
  }
}

/** Looks at the beginning: a line of JSONL is a record, which begins with its kind. */
async function peek(pieces: AsyncIterable<Uint8Array>): Promise<{ isLines: boolean; all: AsyncIterable<Uint8Array> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new HubError('invalid_params', 'there is nothing to import: the input is empty');
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { isLines: /^\s*\{\s*"kind"/.test(new TextDecoder().decode(first.value.subarray(0, 200))), all: all() };
}

async function wholeText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes > DOCUMENT_BYTES_MAX) {
      throw new HubError('invalid_params', `a JSON document to import may have ${formatBytes(DOCUMENT_BYTES_MAX)}`, {
        hint: 'export it with --format jsonl, which has no such limit',
      });
    }
  }
  // Some editors put a byte order mark before the text.
  return Buffer.concat(held)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

function* documentRecords(document: unknown): Generator<PortableRecord> {
  const format: unknown = isObject(document) ? Reflect.get(document, 'format') : undefined;
  if (!isObject(document) || format !== 'cognition-tree')
    throw notAnExport('it is not a conversation that export wrote');
  const version: unknown = Reflect.get(document, 'version');
  if (version !== 1) throw notAnExport(`it is of version ${String(version)}, and only version 1 is known`);
  const records: unknown = Reflect.get(document, 'records');
  if (!Array.isArray(records)) throw notAnExport('it has no records');
  for (const [index, record] of records.entries()) yield recordFrom(record, `record ${index + 1}`);
}

function parsed(text: string, location: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notAnExport(`${location} is not JSON`, error);
  }
}

function recordFrom(value: unknown, location: string): PortableRecord {
  if (isRecord(value)) return value;
  throw notAnExport(`${location} is not a record of a conversation`);
}

/** Tells the kinds apart; the hub checks the rest of every record that it is sent. */
function isRecord(value: unknown): value is PortableRecord {
  if (!isObject(value) || !('kind' in value)) return false;
  if (value.kind === 'tree') return 'tree' in value && isObject(value.tree) && isTreeId(Reflect.get(value.tree, 'id'));
  if (value.kind === 'node') return 'node' in value && isObject(value.node) && 'step' in value.node;
  if (value.kind === 'pack_data') return isPackData(value);
  if (value.kind === 'files') return isNotedFiles(value);
  if (value.kind !== 'output_data') return typeof value.kind === 'string' && KINDS.includes(value.kind);
  const { sha256, offset, data } = { sha256: null, offset: null, data: null, ...value };
  return isSha256(sha256) && typeof offset === 'number' && typeof data === 'string';
}

function isPackData(value: object): boolean {
  const { pack, offset, data } = { pack: null, offset: null, data: null, ...value };
  return isSha256(pack) && isCount(offset) && typeof data === 'string';
}

function isNotedFiles(value: object): boolean {
  const { node, root, moment, at_ms: atMs } = { node: null, root: null, moment: null, at_ms: null, ...value };
  return typeof node === 'string' && isSha256(root) && MOMENTS.some((one) => one === moment) && isCount(atMs);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function notAnExport(reason: string, cause?: unknown): HubError {
  return new HubError('invalid_params', `this cannot be imported: ${reason}`, {
    hint: 'it takes what export writes with --format json or jsonl, and transcripts',
    cause,
  });
}
