import { lstatSync, type Stats } from 'node:fs';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { attempt } from '../../walk/pinned_folder.js';
import type { FolderTree, TreeEntry } from '../store/tree_format.js';

/** What the disk said of an entry. */
export type DiskState = Pick<Stats, 'ino' | 'size' | 'mode' | 'mtimeMs' | 'ctimeMs'>;

/** What the disk said of a file when it was read, and what it held. */
export interface KnownFile extends DiskState {
  entry: TreeEntry;
}

/** What is known of one folder. */
export interface FolderState {
  files: Map<string, KnownFile>;
  tree: { entries: FolderTree; sha256: Sha256 } | null;
  /** The files of the tree in its order, where all it has are files that are known; null when they are not. */
  order: readonly KnownFile[] | null;
  /** The folder itself, where its names are all that counts and nothing else decides on them; null when that is not so. */
  self: { disk: DiskState; rules: { above: string; own: string } } | null;
  isMet: boolean;
  /** Of the look that goes on: how many files are in the folder and below, when the disk says that nothing of it has changed. */
  unchangedFiles: number | null;
}

export function newFolderState(isMet: boolean): FolderState {
  return { files: new Map(), tree: null, order: null, self: null, isMet, unchangedFiles: null };
}

export function diskState({ ino, size, mode, mtimeMs, ctimeMs }: Stats): DiskState {
  return { ino, size, mode, mtimeMs, ctimeMs };
}

/** How long before it was looked at something changed. */
export function agedMs({ mtimeMs, ctimeMs }: Stats, lookedAtMs: number): number {
  return lookedAtMs - Math.max(mtimeMs, ctimeMs);
}

export function isSame(known: DiskState, { ino, size, mode, mtimeMs, ctimeMs }: Stats): boolean {
  if (known.mtimeMs !== mtimeMs || known.ctimeMs !== ctimeMs) return false;
  return known.size === size && known.ino === ino && known.mode === mode;
}

/** What the disk says of a name; null when it is not there. */
export function statOf(at: string | Buffer): Stats | null {
  return attempt(() => lstatSync(at, { throwIfNoEntry: false }) ?? null);
}
