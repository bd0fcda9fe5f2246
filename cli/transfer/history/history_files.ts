import { constants, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { attempt, type PinnedEntry, pin, pinIn, unpin } from '../../../tools/walk/pinned_folder.js';

/** A file below a folder in which another program keeps its sessions. */
export interface HistoryFile {
  root: string;
  /** The names that lead to it from there. */
  names: readonly string[];
  sizeBytes: number;
  mtimeMs: number;
}

const DEPTH_MAX = 8;
const FILES_MAX = 500_000;
const CHUNK_BYTES = 256 * 1024;
/** More of one file is not read. */
const FILE_BYTES_MAX = 4 * 1024 * 1024 * 1024;

/** The regular files below a folder, in the order of their names. No link in it is followed: models may have written it. */
export function* filesBelow(root: string): Generator<HistoryFile> {
  const top = pin(root);
  if (top === null) return;
  try {
    if (top.stats.isFile()) yield fileOf(root, [], top);
    let left = FILES_MAX;
    for (const file of filesIn(top, root, [])) {
      yield file;
      left -= 1;
      if (left === 0) return;
    }
  } finally {
    unpin(top);
  }
}

function* filesIn(folder: PinnedEntry, root: string, above: readonly string[]): Generator<HistoryFile> {
  if (!folder.stats.isDirectory() || above.length >= DEPTH_MAX) return;
  for (const name of (attempt(() => readdirSync(folder.at)) ?? []).sort()) {
    const entry = pinIn(folder, name);
    if (entry === null) continue;
    try {
      const names = [...above, name];
      if (entry.stats.isFile()) yield fileOf(root, names, entry);
      else yield* filesIn(entry, root, names);
    } finally {
      unpin(entry);
    }
  }
}

function fileOf(root: string, names: readonly string[], { stats }: PinnedEntry): HistoryFile {
  return { root, names, sizeBytes: stats.size, mtimeMs: Math.trunc(stats.mtimeMs) };
}

/** The path of a file, for people. */
export function pathOf({ root, names }: Pick<HistoryFile, 'root' | 'names'>): string {
  return [root, ...names].join('/');
}

/** The beginning of a file as text; empty when it is not there any more. */
export async function headOf(file: Pick<HistoryFile, 'root' | 'names'>, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunksOf(file, bytesMax)) pieces.push(chunk);
  return Buffer.concat(pieces).toString('utf8');
}

/** The content of a file; nothing when it is not there any more. */
export async function* chunksOf(
  file: Pick<HistoryFile, 'root' | 'names'>,
  bytesMax = FILE_BYTES_MAX,
): AsyncGenerator<Uint8Array> {
  const entry = pinBelow(file);
  if (entry === null) return;
  const handle = await open(entry.at, constants.O_RDONLY | constants.O_NONBLOCK).finally(() => unpin(entry));
  try {
    for (let left = bytesMax; left > 0; ) {
      // Each chunk is a buffer of its own: parts of it are held while the next is read.
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left)), 0);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      left -= bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/** Pins a regular file name by name; null when it is another thing by now. */
function pinBelow({ root, names }: Pick<HistoryFile, 'root' | 'names'>): PinnedEntry | null {
  let entry = pin(root);
  for (const name of names) {
    if (entry === null) return null;
    const next = pinIn(entry, name);
    unpin(entry);
    entry = next;
  }
  if (entry?.stats.isFile() === true) return entry;
  if (entry !== null) unpin(entry);
  return null;
}
