import { closeSync, openSync, readSync, renameSync, type Stats, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { Sha256 } from '../../../hub/protocol/node.js';
import { attempt } from '../../walk/pinned_folder.js';
import { type FolderTree, isSameEntry, type TreeEntry } from '../store/tree_format.js';
import { namePath } from './entry_path.js';
import { agedMs, type FolderState, isSame, type KnownFile, newFolderState, statOf } from './folder_state.js';
import { unchangedFiles } from './unchanged_tree.js';

/** What is known of one folder. */
export interface KnownFolder {
  /** What the folder held, when the disk says that nothing of it has changed; null when that is not so for each of these names. */
  unchanged(names: readonly string[], device: number): FolderTree | null;
  /** Null when a file must be read. */
  find(name: string, stats: Stats): TreeEntry | null;
  /** `readAtMs`: the time before the file was read. */
  keep(name: string, known: { entry: TreeEntry; stats: Stats; readAtMs: number }): void;
  /** The entry that a name had, where what was found comes to the same. */
  sameEntry(name: string, found: TreeEntry): TreeEntry;
  /** Notes what the disk says of the folder itself; null where that does not tell what counts of it. */
  keepSelf(self: FolderState['self']): void;
  /** Ends a look through it: forgets files that were not met. The tree that it had is stored already when it has the same entries. */
  end(entries: FolderTree, put: (entries: FolderTree) => Sha256): Sha256;
}

/** A folder with all that is below it. */
export interface UnchangedFolder {
  mode: number;
  sha256: Sha256;
  files: number;
}

/** What the files of a project held when they were read last, for as long as the disk says that they have not changed. */
export interface KnownFiles {
  folder(path: string, settledMs: number): KnownFolder;
  /** A folder of which nothing has changed, nor below; null for one to look at. `enter` makes the folder above the working directory. */
  unchanged(path: string, at: { device: number; rules: string; enter(): boolean }): UnchangedFolder | null;
  /** Forgets folders that were not met since the last time, and writes the rest down when much of it is new. */
  settle(): void;
  /** Writes down what is new. */
  save(): void;
  /** Forgets everything: what was stored meanwhile is not. */
  forget(): void;
}

interface KnownParts {
  unsaved: { count: number };
  /** How long ago a file must have changed to be known. */
  settledMs: number;
}

/** Fewer are written down at the end. */
const SAVED_AT = 5_000;
const PIECE_BYTES = 256 * 1024;
const Row = z.tuple([
  ...[z.string(), z.int(), z.int(), z.int(), z.number(), z.number()],
  ...[z.enum(['file', 'pieces', 'link']), z.int(), Sha256],
] as const);
const Line = z.tuple([z.string(), z.array(Row)]);

/** Opens what was written down. It is derived: what cannot be read of it is read from the project again. */
export function openKnownFiles(path: string, isStored: (sha256: Sha256) => boolean): KnownFiles {
  const folders = new Map(foldersIn(path, isStored));
  const unsaved = { count: 0 };

  function save(): void {
    if (unsaved.count === 0) return;
    unsaved.count = 0;
    // Not made durable: what is lost of it is read again.
    writeLines(`${path}.new`, folders);
    renameSync(`${path}.new`, path);
  }

  return {
    folder(name, settledMs) {
      const state = folders.get(name) ?? newFolderState(true);
      folders.set(name, state);
      state.isMet = true;
      return knownFolder(state, { unsaved, settledMs });
    },
    unchanged(path, { device, rules, enter }) {
      const { self, tree } = folders.get(path) ?? {};
      if (self == null || tree == null || !enter()) return null;
      const files = unchangedFiles({ folders, device }, path, rules);
      if (files === null) return null;
      return { mode: self.disk.mode & MODE_BITS, sha256: tree.sha256, files };
    },
    settle() {
      for (const [name, state] of folders) {
        if (!state.isMet) unsaved.count += Number(folders.delete(name));
        state.isMet = false;
        state.unchangedFiles = null;
      }
      if (unsaved.count >= SAVED_AT) save();
    },
    save,
    forget() {
      folders.clear();
      unsaved.count = 0;
    },
  };
}

function knownFolder(state: FolderState, { unsaved, settledMs }: KnownParts): KnownFolder {
  const { files } = state;
  const change = (): void => {
    unsaved.count += 1;
  };
  return {
    unchanged(names, device) {
      const { order, tree } = state;
      if (order === null || tree === null || order.length !== names.length) return null;
      let index = 0;
      for (const name of tree.entries.keys()) {
        const known = order[index];
        const stats = names[index] === name ? statOf(namePath(name)) : null;
        if (known === undefined || stats === null || stats.dev !== device || !isSame(known, stats)) return null;
        index += 1;
      }
      return tree.entries;
    },
    find(name, stats) {
      const known = files.get(name);
      return known !== undefined && isSame(known, stats) ? known.entry : null;
    },
    keep(name, { entry, stats, readAtMs }) {
      const isKept = agedMs(stats, readAtMs) > settledMs;
      const { ino, size, mode, mtimeMs, ctimeMs } = stats;
      // Of one shape with what is read back: comparing takes twice as long otherwise.
      if (isKept) files.set(name, { ino, size, mode, mtimeMs, ctimeMs, entry });
      if (isKept || files.delete(name)) change();
    },
    sameEntry(name, found) {
      const known = state.tree?.entries.get(name);
      const isSameOne = known !== undefined && known.sha256 === found.sha256 && isSameEntry(known, found);
      return isSameOne && known.mode === found.mode ? known : found;
    },
    keepSelf(self) {
      state.self = self;
    },
    end(entries, put) {
      if (state.tree?.entries === entries) return state.tree.sha256;
      const had = state.tree;
      const isSameTree = had !== null && hasSame(had.entries, entries);
      state.order = orderOf(isSameTree ? had.entries : entries, files);
      if (isSameTree) return had.sha256;
      for (const name of files.keys()) if (!entries.has(name) && files.delete(name)) change();
      const sha256 = put(entries);
      state.tree = { entries, sha256 };
      return sha256;
    },
  };
}

function orderOf(entries: FolderTree, files: ReadonlyMap<string, KnownFile>): FolderState['order'] {
  const order: KnownFile[] = [];
  for (const [name, entry] of entries) {
    const known = files.get(name);
    // A file that may change again without telling is looked at anew.
    if (known?.entry !== entry) return null;
    order.push(known);
  }
  return order;
}

/** Whether both have the very same entries: what has not changed is never made anew. */
function hasSame(before: FolderTree, now: FolderTree): boolean {
  if (before.size !== now.size) return false;
  for (const [name, entry] of now) if (before.get(name) !== entry) return false;
  return true;
}

/** In pieces, as it is read: whole it would be the largest thing in the process. */
function writeLines(path: string, folders: ReadonlyMap<string, FolderState>): void {
  const fd = openSync(path, 'w', 0o600);
  try {
    let piece = '';
    for (const [name, state] of folders) {
      piece += `${lineOf(name, state)}\n`;
      if (piece.length < PIECE_BYTES) continue;
      writeFileSync(fd, piece, 'latin1');
      piece = '';
    }
    writeFileSync(fd, piece, 'latin1');
  } finally {
    closeSync(fd);
  }
}

/** Names are byte strings, and so are lines. */
function* linesIn(path: string): Generator<string> {
  const fd = attempt(() => openSync(path, 'r'));
  if (fd === null) return;
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    let rest = '';
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      const lines = (rest + buffer.toString('latin1', 0, read)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    yield rest;
  } finally {
    closeSync(fd);
  }
}

function lineOf(name: string, { files }: FolderState): string {
  const rows = [...files].map(([own, { ino, size, mode, mtimeMs, ctimeMs, entry }]): z.infer<typeof Row> => {
    return [
      own,
      ino,
      size,
      mode,
      mtimeMs,
      ctimeMs,
      entry.kind === 'folder' ? 'file' : entry.kind,
      entry.size,
      entry.sha256,
    ];
  });
  return JSON.stringify([name, rows]);
}

function* foldersIn(path: string, isStored: (sha256: Sha256) => boolean): Generator<[string, FolderState]> {
  for (const line of linesIn(path)) {
    const parsed = parsedLine(line);
    if (parsed === null) return;
    const [name, rows] = parsed;
    const files = new Map<string, KnownFile>();
    for (const [own, ino, size, mode, mtimeMs, ctimeMs, kind, length, sha256] of rows) {
      const entry = { kind, mode: mode & MODE_BITS, size: length, sha256 };
      if (isStored(sha256)) files.set(own, { ino, size, mode, mtimeMs, ctimeMs, entry });
    }
    yield [name, { ...newFolderState(false), files }];
  }
}

/** What is recorded of a mode: not the bits that lend a user or a group. */
export const MODE_BITS = 0o777;

function parsedLine(line: string): z.infer<typeof Line> | null {
  try {
    return Line.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null; // the end of a file that was cut off
  }
}
