import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { attempt, type PinnedEntry, pinIn, unpin } from '../../walk/pinned_folder.js';
import { entryPath } from '../scan/entry_path.js';
import type { BlobStore } from '../store/blob_store.js';
import { getContent } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';
import type { Change } from './plan_restore.js';
import { inFolderOf } from './project_folder.js';
import { errorOf } from './system_call.js';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

export function newDraftsName(): string {
  return `.cognition-restore-${randomBytes(8).toString('hex')}`;
}

/** Writes the new files of a restore into a folder of their own: the one of change `n` is `n.new`. */
export function writeDrafts(
  root: PinnedEntry,
  drafts: string,
  { store, changes }: { store: BlobStore; changes: readonly Change[] },
): void {
  mkdirSync(entryPath(root, drafts), 0o700);
  const folder = pinIn(root, drafts);
  if (folder === null) return;
  try {
    for (const [index, want] of inReadingOrder(store, changes)) {
      const at = `${folder.at}/${index}.new`;
      const bytes = getContent(store, want);
      if (want.kind === 'link') symlinkSync(Buffer.from(bytes), at);
      else write(openDraft(root, { at, drafts, path: changes[index]?.path ?? '' }), bytes, want.mode);
    }
  } finally {
    unpin(folder);
  }
}

function inReadingOrder(store: BlobStore, changes: readonly Change[]): [number, TreeEntry][] {
  const order = new Map(
    store.inReadingOrder(changes.flatMap(({ want }) => want?.sha256 ?? [])).map((sha256, at) => [sha256, at]),
  );
  const wanted = changes.flatMap(({ want }, index): [number, TreeEntry][] =>
    want === null || want.kind === 'folder' ? [] : [[index, want]],
  );
  const placeOf = ([, { sha256 }]: [number, TreeEntry]): number => order.get(sha256) ?? 0;
  return wanted.sort((a, b) => placeOf(a) - placeOf(b));
}

interface DraftPlace {
  at: string;
  drafts: string;
  /** The path that the file is for. */
  path: string;
}

/** Makes a new file in the folder that it is for, where that is possible: disks place it by that, beside its like. */
function openDraft(root: PinnedEntry, { at, drafts, path }: DraftPlace): number {
  const near = path.includes('/')
    ? inFolderOf(root, { path, may: 'look' }, (folder) => openNear(folder, drafts, at))
    : null;
  return near ?? openSync(at, NEW_FILE, 0o600);
}

/** Null where it cannot be made there. */
function openNear(folder: PinnedEntry, drafts: string, at: string): number | null {
  const first = entryPath(folder, drafts);
  let fd = -1;
  const failure = errorOf(() => {
    fd = openSync(first, NEW_FILE, 0o600);
  });
  if (failure !== null) return null;
  if (errorOf(() => renameSync(first, at)) === null) return fd;
  closeSync(fd);
  errorOf(() => unlinkSync(first));
  return null;
}

function write(fd: number, bytes: Buffer, mode: number): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

/** Removes what a killed process has begun in the folder of one of these changes. */
export function removeBegun(root: PinnedEntry, drafts: string, changes: readonly Change[]): void {
  const byFolder = new Map(changes.map(({ path }) => [path.slice(0, path.lastIndexOf('/') + 1), path]));
  byFolder.delete('');
  for (const path of byFolder.values()) {
    inFolderOf(root, { path, may: 'look' }, (folder) => errorOf(() => unlinkSync(entryPath(folder, drafts))));
  }
}

/** Removes a folder of drafts with the new files that nobody has needed. Old files stay: they are somebody's. */
export function removeDrafts(root: PinnedEntry, drafts: string): void {
  const folder = pinIn(root, drafts);
  if (folder === null) return;
  try {
    for (const name of attempt(() => readdirSync(folder.at)) ?? []) {
      if (name.endsWith('.new')) attempt(() => unlinkSync(`${folder.at}/${name}`));
    }
  } finally {
    unpin(folder);
  }
  errorOf(() => rmdirSync(entryPath(root, drafts)));
}
