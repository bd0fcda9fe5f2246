import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../base/error.js';
import type { TreeId } from '../../protocol/node.js';
import { type TranscriptEntry, TranscriptMetadata } from '../../protocol/transcript.js';

/**
 * The form of the file: a line with the metadata, a line per entry, and a last line that closes the lists. So it is one JSON
 * document, and entries are added by writing over its last line alone.
 */
const OPENING = ',"entries":[';
const CLOSING = '\n]}\n';
/** A file up to here is written anew beside itself and then takes its place; a longer one is added to where it stands. */
const REWRITE_BYTES_MAX = 1024 * 1024;
/** How much of the end is looked at for entries that are there already. */
const TAIL_BYTES = 1024 * 1024;
const HEAD_BYTES_MAX = 32 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Refuses a file that entries of a tree must not be written to; false when there is none yet. */
export async function refuseForeign(path: string, tree: TreeId): Promise<boolean> {
  await refuseFolder(dirname(path));
  const found = await lstat(path).catch(unlessMissing);
  if (found === null) return false;
  if (!found.isFile()) {
    throw new HubError('invalid_params', `${path} is not an ordinary file: no transcript can be written there`, {
      hint: 'choose the name of a new file',
    });
  }
  const metadata = await metadataOf(path);
  if (metadata?.session_id === tree) return true;
  const what =
    metadata === null ? 'is there already and is no transcript' : `is the transcript of ${metadata.session_id}`;
  throw new HubError('conflict', `${path} ${what}`, { hint: 'choose the name of a new file' });
}

/** Refuses a folder that is not there. */
export async function refuseFolder(path: string): Promise<void> {
  const found = await stat(path).catch(unlessMissing);
  if (found?.isDirectory() === true) return;
  throw new HubError('not_found', `there is no folder ${path} for a transcript`, { hint: `make it: mkdir -p ${path}` });
}

/** Makes a transcript of entries, given as lines. Nothing that is there is written over. */
export async function createTranscript(
  path: string,
  { metadata, lines }: { metadata: TranscriptMetadata; lines: readonly string[] },
): Promise<void> {
  const entries = lines.length === 0 ? '' : `\n${lines.join(',\n')}`;
  const text = `{"metadata":${JSON.stringify(metadata)}${OPENING}${entries}${CLOSING}`;
  const beside = await writtenBeside(path, [Buffer.from(text)]);
  try {
    await link(beside, path);
    await rm(beside);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return await rename(beside, path); // this file system has no second names
    await rm(beside);
    throw error;
  }
}

/** The last entries that a transcript holds, as lines, newest last. */
export async function lastLines(path: string): Promise<string[]> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const end = await endOf(file);
    const start = Math.max(0, end - TAIL_BYTES);
    const text = (await bytesAt(file, start, end)).toString();
    // The first is the metadata, or the rest of a line.
    return text.split(',\n').flatMap((part, index) => (index > 0 ? part : (part.split(`${OPENING}\n`)[1] ?? [])));
  } finally {
    await file.close();
  }
}

export function entryLine(entry: TranscriptEntry): string {
  return JSON.stringify(entry);
}

/** Adds entries, given as lines. Whatever fails, what was there before is there still, and is one JSON document. */
export async function addLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const end = await endOf(file);
    const isFirst = (await bytesAt(file, end - 1, end)).toString() === '[';
    const added = Buffer.from(`${isFirst ? '' : ','}\n${lines.join(',\n')}${CLOSING}`);
    if (end <= REWRITE_BYTES_MAX) await rename(await writtenBeside(path, [await bytesAt(file, 0, end), added]), path);
    else await writtenAt(file, end, added);
  } finally {
    await file.close();
  }
}

/** Writes over the last line. A reader who looks at this very moment may find it unfinished. */
async function writtenAt(file: FileHandle, at: number, bytes: Buffer): Promise<void> {
  try {
    await writeAll(file, at, bytes);
    await file.truncate(at + bytes.length);
  } catch (error) {
    // A full disk: the closing line has its place, for it stood there.
    await writeAll(file, at, Buffer.from(CLOSING));
    await file.truncate(at + CLOSING.length);
    throw error;
  }
}

async function writeAll(file: FileHandle, at: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}

async function writtenBeside(path: string, parts: readonly Buffer[]): Promise<string> {
  const beside = join(dirname(path), `.${basename(path)}.tmp`);
  await rm(beside, { force: true }); // of a hub that was killed
  const file = await open(beside, 'wx', 0o600);
  try {
    await file.writeFile(Buffer.concat(parts));
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return beside;
}

/** Where the last entry ends. One that a kill cut short in a long file is left out: it is added again. */
async function endOf(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const closing = await bytesAt(file, Math.max(0, size - CLOSING.length), size);
  if (closing.toString() === CLOSING) return size - CLOSING.length;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - PIECE_BYTES);
    const at = (await bytesAt(file, start, Math.min(size, end + 1))).lastIndexOf(',\n');
    if (at >= 0) return start + at;
    end = start;
  }
  throw new HubError('conflict', 'the transcript was changed by another program, and cannot be added to');
}

async function metadataOf(path: string): Promise<TranscriptMetadata | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const pieces: Buffer[] = [];
    for (let at = 0; at < HEAD_BYTES_MAX; at += PIECE_BYTES) {
      const piece = await bytesAt(file, at, at + PIECE_BYTES);
      const end = piece.indexOf('\n');
      pieces.push(end < 0 ? piece : piece.subarray(0, end));
      if (end >= 0) return metadataIn(Buffer.concat(pieces).toString());
      if (piece.length < PIECE_BYTES) return null;
    }
    return null;
  } finally {
    await file.close();
  }
}

function metadataIn(line: string): TranscriptMetadata | null {
  if (!line.startsWith('{"metadata":') || !line.endsWith(OPENING)) return null;
  try {
    const { metadata }: { metadata: unknown } = JSON.parse(`${line}]}`);
    return TranscriptMetadata.safeParse(metadata).data ?? null;
  } catch {
    return null; // not even JSON
  }
}

async function bytesAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function unlessMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
  throw error;
}
