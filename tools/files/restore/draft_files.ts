import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
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
      else write(at, bytes, want.mode);
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

/** Only who restores may look into the folder of drafts, so that the file may have its mode from the beginning. */
function write(at: string, bytes: Buffer, mode: number): void {
  const fd = openSync(at, NEW_FILE, mode);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  } finally {
    closeSync(fd);
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
