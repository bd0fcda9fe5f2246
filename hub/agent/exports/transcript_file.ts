import { constants } from 'node:fs';
import { type FileHandle, link, lstat, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../base/errno.js';
import { HubError } from '../../base/error.js';
import type { TreeId } from '../../protocol/node.js';
import { TranscriptMetadata } from '../../protocol/transcript.js';
import { bytesAt, lastIndexOf, lineAt, nullIfMissing, withFile, writeEnd } from './text_file.js';

/**
 * The form of the file: a line with the metadata, a line per entry, and a last line that closes the lists. So it is one JSON
 * document, and entries are added by writing over its last line alone.
 */
const OPENING = ',"entries":[';
const CLOSING = '\n]}\n';
const SEPARATOR = ',\n';
/** A file up to here is written anew beside itself and then takes its place; a longer one is added to where it stands. */
const REWRITE_BYTES_MAX = 1024 * 1024;
/** How much of the end is searched for entries. */
const TAIL_BYTES = 1024 * 1024;
const HEAD_BYTES_MAX = 32 * 1024 * 1024;
const { O_RDONLY, O_RDWR, O_NOFOLLOW } = constants;

/** Refuses a file that entries of a tree must not be written to, by the name that it is known by; false when there is none yet. */
export async function refuseForeign(path: string, tree: TreeId, name: string): Promise<boolean> {
  await refuseFolder(dirname(path));
  const file = await lstat(path).catch(nullIfMissing);
  if (file === null) return false;
  if (!file.isFile()) {
    throw new HubError('invalid_params', `${name} is not an ordinary file: no transcript can be written there`, {
      hint: 'choose the name of a new file',
    });
  }
  const metadata = parseMetadata(
    await withFile(path, O_RDONLY | O_NOFOLLOW, (opened) => lineAt(opened, 0, HEAD_BYTES_MAX)),
  );
  if (metadata?.session_id === tree) return true;
  const what =
    metadata === null ? 'is there already and is no transcript' : `is the transcript of ${metadata.session_id}`;
  throw new HubError('conflict', `${name} ${what}`, { hint: 'choose the name of a new file' });
}

/** Refuses a folder that is not there. */
export async function refuseFolder(path: string): Promise<void> {
  const folder = await stat(path).catch(nullIfMissing);
  if (folder?.isDirectory() === true) return;
  throw new HubError('not_found', `there is no folder ${path} for a transcript`, { hint: `make it: mkdir -p ${path}` });
}

/** Makes a transcript of entries, given as lines. Never replaces a file. */
export async function createTranscript(
  path: string,
  metadata: TranscriptMetadata,
  lines: readonly string[],
): Promise<void> {
  const entries = lines.length === 0 ? '' : `\n${lines.join(SEPARATOR)}`;
  const text = `{"metadata":${JSON.stringify(metadata)}${OPENING}${entries}${CLOSING}`;
  const beside = await writeBeside(path, Buffer.from(text));
  try {
    await link(beside, path);
    await rm(beside);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') return await rename(beside, path); // this file system has no second names
    await rm(beside);
    throw error;
  }
}

/** The last entries of a transcript, as lines, newest last. */
export function lastLines(path: string): Promise<string[]> {
  return withFile(path, O_RDONLY | O_NOFOLLOW, async (file) => {
    const end = await endOfEntries(file);
    const parts = (await bytesAt(file, Math.max(0, end - TAIL_BYTES), end)).toString().split(SEPARATOR);
    // The first part is the metadata with the first entry, or the rest of a line.
    return parts.flatMap((part, index) => (index > 0 ? part : (part.split(`${OPENING}\n`)[1] ?? [])));
  });
}

/** A whole transcript; null when it is longer than the limit, or none any more. */
export function readTranscript(path: string, bytesMax: number): Promise<string | null> {
  return withFile(path, O_RDONLY | O_NOFOLLOW, async (file) => {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= bytesMax ? (await bytesAt(file, 0, stats.size)).toString() : null;
  });
}

/** Adds entries, given as lines. When it fails the file has what it had, and is one JSON document. */
export function addLines(path: string, lines: readonly string[]): Promise<void> {
  return withFile(path, O_RDWR | O_NOFOLLOW, async (file) => {
    const end = await endOfEntries(file);
    const isFirst = (await bytesAt(file, end - 1, end)).toString() === '[';
    const bytes = Buffer.from(`${isFirst ? '' : ','}\n${lines.join(SEPARATOR)}${CLOSING}`);
    // Whoever reads a longer file at this very moment may find it unfinished.
    if (end > REWRITE_BYTES_MAX) return writeEnd(file, end, { bytes, rest: CLOSING });
    await rename(await writeBeside(path, Buffer.concat([await bytesAt(file, 0, end), bytes])), path);
  });
}

/** Writes a file of its own that can take the place of the path; returns its name. */
async function writeBeside(path: string, bytes: Buffer): Promise<string> {
  const beside = join(dirname(path), `.${basename(path)}.tmp`);
  await rm(beside, { force: true }); // of a hub that was killed
  try {
    await writeFile(beside, bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return beside;
}

/** Where the last entry ends. An entry that a kill cut short in a long file is left out: it is added again. */
async function endOfEntries(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const closing = size - CLOSING.length;
  if (closing >= 0 && (await bytesAt(file, closing, size)).toString() === CLOSING) return closing;
  const end = await lastIndexOf(file, SEPARATOR, size);
  if (end >= 0) return end;
  throw new HubError('conflict', 'the transcript was changed by another program, and cannot be added to');
}

function parseMetadata(line: string | null): TranscriptMetadata | null {
  if (line === null || !line.startsWith('{"metadata":') || !line.endsWith(OPENING)) return null;
  try {
    const { metadata }: { metadata: unknown } = JSON.parse(`${line}]}`);
    return TranscriptMetadata.safeParse(metadata).data ?? null;
  } catch {
    return null; // not even JSON
  }
}
