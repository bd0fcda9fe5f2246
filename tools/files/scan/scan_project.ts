import { accessSync, constants, fstatSync } from 'node:fs';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { createFolderCache } from '../../walk/folder_cache.js';
import { GENERATED_FOLDERS } from '../../walk/generated_folders.js';
import { attempt, type PinnedEntry } from '../../walk/pinned_folder.js';
import { DEPTH_MAX, ENTRIES_MAX, type WalkedFolder, walkFolder } from '../../walk/walk_folder.js';
import type { BlobStore } from '../store/blob_store.js';
import type { LeftOut, Snapshots } from '../store/snapshot.js';
import type { FolderTree, TreeEntry } from '../store/tree_format.js';
import { namePath } from './entry_path.js';
import { inFolder } from './in_folder.js';
import { type KnownFiles, type KnownFolder, MODE_BITS } from './known_files.js';
import { entryReader } from './scan_entry.js';
import { type ScanLimits, tooMuch } from './scan_limits.js';

export interface ScanParts {
  store: BlobStore;
  snapshots: Snapshots;
  known: KnownFiles;
  clock(): number;
}

/** Where a project lies: below the top of its repository, which is pinned. */
export interface ScannedProject {
  top: PinnedEntry;
  start: readonly string[];
  ownIgnoreFile: Buffer | null;
}

export interface Scan {
  root: Sha256;
  files: number;
  leftOut: readonly LeftOut[];
}

/** Staging folders of restores, and what configures cognition for the project: models cannot write it. */
const KEPT_APART = /^\.cognition(-restore-[0-9a-f]{16})?$/;

interface OpenFolder {
  names: readonly string[];
  mode: number;
  /** Those of an unchanged folder are what is known of it, and not to be written. */
  entries: FolderTree;
  own: Map<string, TreeEntry> | null;
  known: KnownFolder;
}

/** Looks through a project, storing what is new. What has not changed since the last time is neither listed nor read. */
export function createScanner(parts: ScanParts): (project: ScannedProject, limits: ScanLimits) => Scan {
  const listed = createFolderCache(parts.clock);
  return (project, limits) => {
    const scan = startScan(parts, limits);
    const { start, ownIgnoreFile } = project;
    // It was pinned earlier, and what is known of its names holds for what it was then.
    const top = { ...project.top, stats: fstatSync(project.top.fd) };
    const options = { start, ownIgnoreFile, skipped: GENERATED_FOLDERS, known: listed };
    const cwd = attempt(() => process.cwd()) ?? '/';
    try {
      for (const folder of walkFolder(top, options)) if (folder !== null) scan.take(folder);
      return scan.end();
    } catch (error) {
      parts.store.discard();
      parts.known.forget();
      throw error;
    } finally {
      process.chdir(cwd);
    }
  };
}

function startScan(parts: ScanParts, limits: ScanLimits) {
  const { store, snapshots, known } = parts;
  const leftOut: LeftOut[] = [];
  const open: OpenFolder[] = [];
  const entriesOf = folderReader(entryReader(parts, limits), leftOut);
  const counts = { files: 0, listed: 0 };
  let device: number | null = null;

  /** Ends the folders that the walk has left. */
  function closeTo(depth: number): void {
    while (open.length > depth) {
      const folder = open.pop();
      const name = folder?.names.at(-1);
      if (folder === undefined || name === undefined) return;
      const { entries, mode } = folder;
      const sha256 = folder.known.end(entries, snapshots.putTree);
      const above = open.at(-1);
      if (above === undefined) return;
      const entry = above.known.folderEntry(name, { kind: 'folder', mode, size: 0, sha256 });
      above.own ??= new Map(above.entries);
      above.entries = above.own.set(name, entry);
    }
  }

  function take(folder: WalkedFolder): void {
    const { names, entry, files, links, others, ignored } = folder;
    closeTo(names.length);
    // Where the folder above is left out, so is this one.
    if (open.length !== names.length || KEPT_APART.test(names[0] ?? '')) return;
    device ??= entry.stats.dev;
    const path = names.join('/');
    const knownFolder = known.folder(path);
    const found = problemOf(folder, device) ?? entriesOf(folder, { device, known: knownFolder });
    if (typeof found === 'string') leftOut.push({ path, why: found });
    if (typeof found === 'string' && names.length > 0) return;
    const entries: FolderTree = typeof found === 'string' ? new Map() : found;
    open.push({ names, mode: entry.stats.mode & MODE_BITS, entries, own: null, known: knownFolder });
    counts.files += entries.size;
    counts.listed += files.length + links.length + others.length + ignored.length;
    refuseExcess({ ...counts, ...store.unflushed() }, limits);
  }

  return {
    take,
    end(): Scan {
      closeTo(1);
      const tree = open[0]?.known.end(open[0].entries, snapshots.putTree) ?? snapshots.putTree(new Map());
      const root = snapshots.put({ tree, left_out: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)) });
      store.flush();
      // Not before: it may only name what is durable.
      known.settle();
      return { root, files: counts.files, leftOut };
    },
  };
}

interface FolderPlace {
  device: number;
  known: KnownFolder;
}

/** Reads what is in a folder; says why where it cannot. */
function folderReader({ readEntry, refuseLate }: ReturnType<typeof entryReader>, leftOut: LeftOut[]) {
  return ({ names, entry, ...listed }: WalkedFolder, place: FolderPlace): FolderTree | LeftOut['why'] => {
    const readAll = (all: readonly string[]): FolderTree => {
      const entries = new Map<string, TreeEntry>();
      for (const name of all) {
        const found = readEntry(name, { at: namePath(name), ...place });
        if (typeof found === 'string') leftOut.push({ path: [...names, name].join('/'), why: found });
        else if (found !== null) entries.set(name, found);
      }
      return entries;
    };
    const all = [listed.files, listed.links, listed.others].flat();
    let entries: FolderTree = new Map();
    const isEntered = inFolder(entry, () => {
      refuseLate();
      entries = place.known.unchanged(all, place.device) ?? readAll(all);
    });
    return isEntered ? entries : 'not readable';
  };
}

/** Why a folder is left out with all that is in it; null when it is not. */
function problemOf({ names, entry, ...listed }: WalkedFolder, device: number): LeftOut['why'] | null {
  if (entry.stats.dev !== device) return 'on another disk';
  if (names.length >= DEPTH_MAX) return 'too deep';
  const isEmpty = [listed.files, listed.links, listed.others, listed.ignored].every(({ length }) => length === 0);
  // A folder that cannot be listed counts as empty.
  const isClosed = isEmpty && attempt(() => accessSync(entry.at, constants.R_OK | constants.X_OK) ?? true) === null;
  return isClosed ? 'not readable' : null;
}

function refuseExcess(
  found: { files: number; listed: number; blobs: number; bytes: number },
  limits: ScanLimits,
): void {
  const what =
    excess('files', found.files, limits.files) ??
    excess('names', found.listed, ENTRIES_MAX - 1) ??
    excess('new files', found.blobs, limits.newFiles) ??
    excess('bytes of new files', found.bytes, limits.newBytes);
  if (what !== null) throw tooMuch(what);
}

function excess(what: string, count: number, most: number): string | null {
  return count > most ? `more than ${most.toLocaleString('en')} ${what}` : null;
}
