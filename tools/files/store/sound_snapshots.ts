import type { Sha256 } from '../../../hub/protocol/node.js';
import type { BlobStore } from './blob_store.js';
import { PIECE_BYTES, piecesIn, readable, type Snapshots } from './snapshot.js';
import { encodeTree, type FolderTree, type TreeEntry } from './tree_format.js';

/** What a path in a tree comes to: itself and all below it. */
interface Extent {
  paths: number;
  bytes: number;
  /** How many folders lie in each other. */
  height: number;
}

/** Judges snapshots that may come from anybody: only what a scan could have made is sound. */
export interface SoundSnapshots {
  /** What is wrong with a snapshot; null for nothing. Then its blobs are among the needed ones. */
  problemOf(root: Sha256): string | null;
  needed: ReadonlySet<Sha256>;
  /** Paths of the largest one. */
  paths(): number;
}

/** More is no project that is recorded. A tree that holds another twice, which holds another twice, has endless paths in few bytes. */
const PATHS_MAX = 400_000;
const TOO_MANY = 'it has more than 400,000 paths';
const BYTES_MAX = 10 * 1_024 ** 3;
const FILE_BYTES_MAX = 50_000_000;
const LINK_BYTES_MAX = 4_095;
const FOLDERS_DEEP_MAX = 200;
const SHA256_BYTES = 32;
/** What no scan takes from the top of a project, however a file system writes it: whoever goes there would have it as their own. */
const KEPT_APART = /^\.cognition(-restore-[0-9a-f]{16})?$/i;

export function createSoundSnapshots(store: BlobStore, snapshots: Snapshots): SoundSnapshots {
  const needed = new Set<Sha256>();
  const extents = new Map<Sha256, Extent>();
  let paths = 0;

  function extentOf(sha256: Sha256, depth: number): Extent | string {
    const known = extents.get(sha256);
    if (depth + (known?.height ?? 0) > FOLDERS_DEEP_MAX) return 'its folders lie too deep in each other';
    if (known !== undefined) return known;
    const tree = readable(() => snapshots.getTree(sha256));
    if ((tree?.size ?? 0) > PATHS_MAX) return TOO_MANY;
    if (tree === null || !isCanonical(tree, store.get(sha256))) return `its folder ${sha256} is lost or damaged`;
    const extent = sumOf(tree, depth);
    if (typeof extent === 'string') return extent;
    needed.add(sha256);
    extents.set(sha256, extent);
    return extent;
  }

  function holdsKeptApart(tree: Sha256): boolean {
    const names = readable(() => snapshots.getTree(tree))?.keys() ?? [];
    return [...names].some((name) => KEPT_APART.test(name));
  }

  function sumOf(tree: FolderTree, depth: number): Extent | string {
    const sum: Extent = { paths: 0, bytes: 0, height: 0 };
    for (const entry of tree.values()) {
      const inner = entry.kind === 'folder' ? extentOf(entry.sha256, depth + 1) : contentExtent(entry);
      if (typeof inner === 'string') return inner;
      sum.paths += inner.paths + 1;
      sum.bytes += inner.bytes;
      sum.height = Math.max(sum.height, inner.height + 1);
      if (sum.paths > PATHS_MAX) return TOO_MANY;
      if (sum.bytes > BYTES_MAX) return 'its files have more than 10 GiB';
    }
    return sum;
  }

  function contentExtent(entry: TreeEntry): Extent | string {
    const blobs = contentBlobs(store, entry);
    if (blobs === null) return `its content ${entry.sha256} is lost, damaged, or not what a file may have`;
    for (const sha256 of blobs) needed.add(sha256);
    return { paths: 0, bytes: entry.size, height: 0 };
  }

  return {
    problemOf(root) {
      const snapshot = readable(() => snapshots.get(root));
      if (snapshot === null) return 'it is lost or damaged';
      if (holdsKeptApart(snapshot.tree)) return 'it holds what configures cognition in a project';
      const extent = extentOf(snapshot.tree, 0);
      if (typeof extent === 'string') return extent;
      needed.add(root);
      paths = Math.max(paths, extent.paths);
      return null;
    },
    needed,
    paths: () => paths,
  };
}

/** Whether the bytes of a tree are those that its entries come to, and the entries such as a scan makes. */
function isCanonical(tree: FolderTree, bytes: Buffer): boolean {
  const isMade = ({ mode, size }: TreeEntry): boolean => mode >= 0 && mode <= 0o777 && Number.isSafeInteger(size);
  return [...tree.values()].every(isMade) && encodeTree(tree).equals(bytes);
}

/** The blobs of a file or a link; null where they are not what the entry says. */
function contentBlobs(store: BlobStore, { kind, size, sha256 }: TreeEntry): Sha256[] | null {
  if (kind === 'pieces') return pieceBlobs(store, { size, sha256 });
  if (store.placeOf(sha256)?.size !== size || size > PIECE_BYTES) return null;
  if (kind === 'file') return [sha256];
  const text = size > 0 && size <= LINK_BYTES_MAX ? readable(() => store.get(sha256)) : null;
  return text === null || text.includes(0) ? null : [sha256];
}

function pieceBlobs(store: BlobStore, { size, sha256 }: Pick<TreeEntry, 'size' | 'sha256'>): Sha256[] | null {
  const count = Math.ceil(size / PIECE_BYTES);
  if (size <= PIECE_BYTES || size > FILE_BYTES_MAX || store.placeOf(sha256)?.size !== count * SHA256_BYTES) return null;
  const list = readable(() => store.get(sha256));
  const pieces = list === null ? [] : piecesIn(list);
  const sizeAt = (index: number): number => Math.min(PIECE_BYTES, size - index * PIECE_BYTES);
  const areWhole =
    pieces.length === count && pieces.every((piece, index) => store.placeOf(piece)?.size === sizeAt(index));
  return areWhole ? [sha256, ...pieces] : null;
}
