import { accessSync, constants, fstatSync } from 'node:fs';
import { HubError } from '../../../hub/base/error.js';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { createFolderCache } from '../../walk/folder_cache.js';
import { GENERATED_FOLDERS } from '../../walk/generated_folders.js';
import { attempt, type PinnedEntry } from '../../walk/pinned_folder.js';
import { DEPTH_MAX, ENTRIES_MAX, type NextFolder, type WalkedFolder, walkFolder } from '../../walk/walk_folder.js';
import type { BlobStore } from '../store/blob_store.js';
import type { LeftOut, Snapshots } from '../store/snapshot.js';
import type { FolderTree, TreeEntry } from '../store/tree_format.js';
import { settledAfterMs } from './disk_clock.js';
import { namePath } from './entry_path.js';
import { agedMs, diskState } from './folder_state.js';
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
    const scan = startScan({ ...parts, settledMs: settledAfterMs(project.top.at) }, limits);
    const { start, ownIgnoreFile } = project;
    // It was pinned earlier, and what is known of its names holds for what it was then.
    const top = { ...project.top, stats: fstatSync(project.top.fd) };
    const { skip } = scan;
    const options = { start, ownIgnoreFile, skipped: GENERATED_FOLDERS, known: listed, skip };
    const cwd = attempt(() => process.cwd()) ?? '/';
    try {
      for (const folder of walkFolder(top, options)) if (folder !== null) scan.take(folder);
      return scan.end();
    } catch (error) {
      endEarly(parts, error instanceof HubError && error.retryable);
      throw error;
    } finally {
      process.chdir(cwd);
    }
  };
}

/** Where only the time was not enough, what was read is kept: the next look goes on from there. */
function endEarly({ store, known }: ScanParts, isKept: boolean): void {
  if (isKept) {
    store.flush();
    known.save();
  } else {
    store.discard();
    known.forget();
  }
}

/** The folders that the walk is in, the outermost first. */
function openFolders(putTree: Snapshots['putTree']) {
  const open: OpenFolder[] = [];

  /** Adds a folder to the one that it is in. */
  function add(name: string, found: TreeEntry): void {
    const above = open.at(-1);
    if (above === undefined) return;
    above.own ??= new Map(above.entries);
    above.entries = above.own.set(name, above.known.sameEntry(name, found));
  }

  /** Ends the folders that the walk has left; false where one on the way was left out. */
  function closeTo(depth: number): boolean {
    for (let last = open.length; last > depth; last -= 1) {
      const folder = open.pop();
      if (folder === undefined) break;
      const { names, entries, mode, known } = folder;
      add(names.at(-1) ?? '', { kind: 'folder', mode, size: 0, sha256: known.end(entries, putTree) });
    }
    return open.length === depth;
  }

  function end(): Sha256 {
    closeTo(1);
    const [top] = open;
    return top?.known.end(top.entries, putTree) ?? putTree(new Map());
  }

  return { add, closeTo, end, push: (folder: OpenFolder) => open.push(folder) };
}

function startScan(parts: ScanParts & { settledMs: number }, limits: ScanLimits) {
  const { store, snapshots, known, clock, settledMs } = parts;
  const leftOut: LeftOut[] = [];
  const open = openFolders(snapshots.putTree);
  const entriesOf = folderReader(entryReader(parts, limits), leftOut);
  const counts = { files: 0, listed: 0 };
  let device: number | null = null;

  function count(more: { files: number; listed: number }): void {
    counts.files += more.files;
    counts.listed += more.listed;
    refuseExcess({ ...counts, ...store.unflushed() }, limits);
  }

  function take(folder: WalkedFolder): void {
    const { names, entry, files, links, others, ignored, isPlain, rules } = folder;
    // Where the folder above is left out, so is this one.
    if (!open.closeTo(names.length) || KEPT_APART.test(names[0] ?? '')) return;
    device ??= entry.stats.dev;
    const path = names.join('/');
    const knownFolder = known.folder(path, settledMs);
    const found = problemOf(folder, device) ?? entriesOf(folder, { device, known: knownFolder });
    if (typeof found === 'string') leftOut.push({ path, why: found });
    if (typeof found === 'string' && names.length > 0) return;
    const entries: FolderTree = typeof found === 'string' ? new Map() : found;
    open.push({ names, mode: entry.stats.mode & MODE_BITS, entries, own: null, known: knownFolder });
    const listed = files.length + links.length + others.length;
    const isWhole = isPlain && entries.size === listed && agedMs(entry.stats, clock()) > settledMs;
    knownFolder.keepSelf(isWhole ? { disk: diskState(entry.stats), rules } : null);
    count({ files: entries.size, listed: listed + ignored.length });
  }

  /** Takes a folder for what it was, with all that is below it, where the disk says that nothing of it has changed. */
  function skip({ names, above, rules }: NextFolder): number | null {
    if (!open.closeTo(names.length) || device === null || KEPT_APART.test(names[0] ?? '')) return null;
    const found = known.unchanged(names.join('/'), { device, rules, enter: () => inFolder(above, () => undefined) });
    if (found === null) return null;
    const { mode, sha256, files } = found;
    open.add(names.at(-1) ?? '', { kind: 'folder', mode, size: 0, sha256 });
    count({ files, listed: files });
    return files;
  }

  return {
    take,
    skip,
    end(): Scan {
      const root = snapshots.put({ tree: open.end(), left_out: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)) });
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
