import { accessSync, constants, fstatSync } from 'node:fs';
import { HubError } from '../../../hub/base/error.js';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { createFolderCache } from '../../walk/folder_cache.js';
import { GENERATED_FOLDERS } from '../../walk/generated_folders.js';
import { attempt, type PinnedEntry } from '../../walk/pinned_folder.js';
import { DEPTH_MAX, ENTRIES_MAX, type WalkedFolder, walkFolder } from '../../walk/walk_folder.js';
import type { BlobStore } from '../store/blob_store.js';
import type { LeftOut, Snapshots } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';
import { entryPath } from './entry_path.js';
import { entryReader, MODE_BITS } from './scan_entry.js';
import type { StatCache } from './stat_cache.js';

/** What one snapshot may take. */
export interface ScanLimits {
  fileBytes: number;
  files: number;
  /** Content that is new to the store. */
  newFiles: number;
  newBytes: number;
}

export interface ScanParts {
  store: BlobStore;
  snapshots: Snapshots;
  cache: StatCache;
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
  entries: Map<string, TreeEntry>;
}

/** Looks through a project, storing what is new. What has not changed since the last time is neither listed nor read. */
export function createScanner(parts: ScanParts): (project: ScannedProject, limits: ScanLimits) => Scan {
  const known = createFolderCache(parts.clock);
  return (project, limits) => {
    const scan = startScan(parts, limits);
    const { start, ownIgnoreFile } = project;
    // It was pinned earlier, and what is known of its names holds for what it was then.
    const top = { ...project.top, stats: fstatSync(project.top.fd) };
    const options = { start, ownIgnoreFile, skipped: GENERATED_FOLDERS, known };
    for (const folder of walkFolder(top, options)) if (folder !== null) scan.take(folder);
    return scan.end();
  };
}

function startScan(parts: ScanParts, limits: ScanLimits) {
  const { store, snapshots, cache } = parts;
  const leftOut: LeftOut[] = [];
  const open: OpenFolder[] = [];
  const readEntry = entryReader(parts, limits.fileBytes);
  const counts = { files: 0, listed: 0 };
  let device: number | null = null;

  /** Ends the folders that the walk has left. */
  function closeTo(depth: number): void {
    while (open.length > depth) {
      const folder = open.pop();
      const name = folder?.names.at(-1);
      if (folder === undefined || name === undefined) return;
      const sha256 = snapshots.putTree(folder.entries);
      open.at(-1)?.entries.set(name, { kind: 'folder', mode: folder.mode, size: 0, sha256 });
    }
  }

  function take(folder: WalkedFolder): void {
    const { names, entry, files, links, others, ignored } = folder;
    closeTo(names.length);
    // Where the folder above is left out, so is this one.
    if (open.length !== names.length || KEPT_APART.test(names[0] ?? '')) return;
    device ??= entry.stats.dev;
    const problem = problemOf(folder, device);
    if (problem !== null) leftOut.push({ path: names.join('/'), why: problem });
    if (problem !== null && names.length > 0) return;
    const entries = entriesOf(folder, device);
    open.push({ names, mode: entry.stats.mode & MODE_BITS, entries });
    counts.files += entries.size;
    counts.listed += files.length + links.length + others.length + ignored.length;
    refuseExcess({ ...counts, ...store.unflushed() }, limits);
  }

  function entriesOf({ names, entry, ...listed }: WalkedFolder, device: number): Map<string, TreeEntry> {
    const entries = new Map<string, TreeEntry>();
    for (const name of [...listed.files, ...listed.links, ...listed.others]) {
      const path = [...names, name].join('/');
      const found = readEntry(path, { at: entryPath(entry, name), device });
      if (typeof found === 'string') leftOut.push({ path, why: found });
      else if (found !== null) entries.set(name, found);
    }
    return entries;
  }

  return {
    take,
    end(): Scan {
      closeTo(1);
      const tree = snapshots.putTree(open[0]?.entries ?? new Map());
      const root = snapshots.put({ tree, left_out: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)) });
      store.flush();
      // Not before: it may only name what is durable.
      cache.save();
      return { root, files: counts.files, leftOut };
    },
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
  if (what === null) return;
  throw new HubError('limit', `the files of the project were not recorded: ${what}`, {
    hint: 'name what programs make in .gitignore',
  });
}

function excess(what: string, count: number, most: number): string | null {
  return count > most ? `more than ${most.toLocaleString('en')} ${what}` : null;
}
