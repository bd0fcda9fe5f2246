import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { HubError } from '../../base/error.js';
import { type LogHeader, LogLine } from '../../protocol/event_log.js';
import { FRAME_BYTES_MAX } from '../../protocol/limits.js';

const NEWLINE = 0x0a;
const PIECE_BYTES = 64 * 1024;
/** A node travels in one frame; its line has little more. */
const LINE_BYTES_MAX = FRAME_BYTES_MAX * 2;
const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;

/** How far the log of a tree goes. */
export interface LogEnd {
  header: LogHeader;
  /** The number of the last node that it holds; 0 for none. */
  seq: number;
  /** Where the last full line ends: what stands behind it was cut off by a crash. */
  sizeBytes: number;
}

/** Looks how far a log goes; null when there is none, or what is there is none. */
export async function logEnd(path: string): Promise<LogEnd | null> {
  const file = await openIfThere(path);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const sizeBytes = (await newlineBefore(file, size)) + 1;
    const first = await lineAt(file, 0, sizeBytes);
    const header = first === null ? null : parsedLine(first);
    if (header?.kind !== 'header') return null;
    const start = (await newlineBefore(file, sizeBytes - 1)) + 1;
    const lastText = start === 0 ? null : await lineAt(file, start, sizeBytes);
    if (lastText === null) return { header, seq: 0, sizeBytes };
    const last = parsedLine(lastText);
    return last?.kind === 'node' ? { header, seq: last.seq, sizeBytes } : null;
  } finally {
    await file.close();
  }
}

/** Begins a log anew. What was there and is no log of this tree is set aside. */
export async function beginLog(path: string, header: LogHeader): Promise<LogEnd> {
  await rename(path, `${path}.old`).catch(unlessMissing);
  const sizeBytes = await appendLines(path, { at: 0, lines: [header] });
  return { header, seq: 0, sizeBytes };
}

/** Writes lines where the last full one ends, and returns where they end; what fails leaves no part of a line. */
export async function appendLines(
  path: string,
  { at, lines }: { at: number; lines: readonly LogLine[] },
): Promise<number> {
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    if ((await file.stat()).size < at) throw new HubError('conflict', `${path} was changed by another program`);
    await file.truncate(at);
    await writeWhole(file, bytes, at);
    return at + bytes.length;
  } finally {
    await file.close();
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await file.truncate(at);
    throw error;
  }
}

/** Reads a log back, line by line. A last line without an end was cut off by a crash, and is left out. */
export async function* readLog(path: string): AsyncGenerator<LogLine> {
  const file = await open(path, constants.O_RDONLY | O_NOFOLLOW);
  let held: Buffer[] = [];
  let number = 0;
  try {
    for await (const piece of file.createReadStream({ autoClose: false, highWaterMark: PIECE_BYTES })) {
      let start = 0;
      for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
        number += 1;
        yield lineIn(Buffer.concat([...held, piece.subarray(start, end)]).toString(), `${path}:${number}`);
        held = [];
        start = end + 1;
      }
      held.push(piece.subarray(start));
      if (held.length * PIECE_BYTES > LINE_BYTES_MAX) throw noLine(`${path}:${number + 1}`);
    }
  } finally {
    await file.close();
  }
}

function lineIn(text: string, place: string): LogLine {
  const line = parsedLine(text);
  if (line === null) throw noLine(place);
  return line;
}

function noLine(place: string): HubError {
  return new HubError('invalid_params', `${place} is no line of a log`, {
    hint: 'the tree itself has all of it: cognition log <tree>',
  });
}

function parsedLine(text: string): LogLine | null {
  try {
    return LogLine.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // not even JSON
  }
}

/** Where the last line end before a place stands; -1 for none. */
async function newlineBefore(file: FileHandle, before: number): Promise<number> {
  for (let end = before; end > 0; ) {
    const start = Math.max(0, end - PIECE_BYTES);
    const at = (await bytesOf(file, start, end)).lastIndexOf(NEWLINE);
    if (at >= 0) return start + at;
    end = start;
  }
  return -1;
}

/** The line that begins at a place; null when there is none, or it has no end. */
async function lineAt(file: FileHandle, start: number, before: number): Promise<string | null> {
  const pieces: Buffer[] = [];
  for (let at = start; at < before && at - start < LINE_BYTES_MAX; at += PIECE_BYTES) {
    const piece = await bytesOf(file, at, Math.min(before, at + PIECE_BYTES));
    const end = piece.indexOf(NEWLINE);
    pieces.push(end < 0 ? piece : piece.subarray(0, end));
    if (end >= 0) return Buffer.concat(pieces).toString();
  }
  return null;
}

async function bytesOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  return open(path, constants.O_RDONLY | O_NOFOLLOW).catch(unlessMissing);
}

function unlessMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
