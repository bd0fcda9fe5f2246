import { createHash } from 'node:crypto';
import * as z from 'zod';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { objectInLine } from '../../../hub/base/json/json_line.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import type { BlobStore } from './blob_store.js';
import { decodeTree, encodeTree, type FolderTree, isSameEntry, type TreeEntry } from './tree_format.js';

/** What a snapshot does not hold of a project, and why. */
const LeftOut = z.strictObject({
  /** A byte string. */
  path: z.string(),
  why: z.enum(['too large', 'not readable', 'not a file', 'on another disk', 'changing', 'too deep']),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** A project at a moment. The SHA-256 of its bytes names it. */
const Snapshot = z.strictObject({ tree: Sha256, left_out: z.array(LeftOut) });
export type Snapshot = z.infer<typeof Snapshot>;

/** A path that differs between two trees; null where it is not. A folder comes before what is in it. */
export interface Difference {
  path: string;
  before: TreeEntry | null;
  after: TreeEntry | null;
}

const CACHED_TREES = 2_000;
const EMPTY: FolderTree = new Map();

/** Snapshots and trees in a store of blobs. */
export interface Snapshots {
  put(snapshot: Snapshot): Sha256;
  get(root: Sha256): Snapshot;
  /** Stores a tree, which is not changed any more. */
  putTree(tree: FolderTree): Sha256;
  getTree(sha256: Sha256): FolderTree;
  /** What stands at a path; null for nothing. */
  find(snapshot: Snapshot, path: string): TreeEntry | null;
  diff(before: Snapshot, after: Snapshot): Difference[];
  /** Adds every blob that a snapshot needs; false when something of it cannot be read. */
  addBlobs(root: Sha256, known: Set<Sha256>): boolean;
  /** Adds every blob that an entry needs; false when something of it cannot be read. */
  addContent(entry: TreeEntry, known: Set<Sha256>): boolean;
}

export function snapshotsIn(store: BlobStore): Snapshots {
  const { getTree, putTree } = treesIn(store);

  function get(root: Sha256): Snapshot {
    const { data } = Snapshot.safeParse(objectInLine(store.get(root)));
    if (data === undefined) throw noSnapshot(root);
    return data;
  }

  const below = (entry: TreeEntry | null): FolderTree => (entry?.kind === 'folder' ? getTree(entry.sha256) : EMPTY);

  function* differences(before: FolderTree, after: FolderTree, path: string): Generator<Difference> {
    for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
      const difference = { path: path + name, before: before.get(name) ?? null, after: after.get(name) ?? null };
      if (difference.before?.sha256 === difference.after?.sha256 && isSameEntry(difference.before, difference.after)) {
        continue;
      }
      if (!isSameEntry(difference.before, difference.after)) yield difference;
      yield* differences(below(difference.before), below(difference.after), `${path}${name}/`);
    }
  }

  function addContent(entry: TreeEntry, known: Set<Sha256>): boolean {
    if (known.has(entry.sha256)) return store.has(entry.sha256);
    known.add(entry.sha256);
    const isList = entry.kind === 'folder' || entry.kind === 'pieces';
    const inner = isList ? readable(() => innerBlobs(entry)) : [];
    let isWhole = inner !== null && store.has(entry.sha256);
    for (const one of inner ?? []) if (!addContent(one, known)) isWhole = false;
    return isWhole;
  }

  function innerBlobs(entry: TreeEntry): TreeEntry[] {
    if (entry.kind === 'folder') return [...getTree(entry.sha256).values()];
    return piecesIn(store.get(entry.sha256)).map((sha256) => ({ kind: 'file', mode: 0, size: 0, sha256 }));
  }

  return {
    put: (snapshot) => store.put(Buffer.from(JSON.stringify(snapshot)), 'plain'),
    get,
    putTree,
    getTree,
    find({ tree }, path) {
      let entry: TreeEntry | null = { kind: 'folder', mode: 0, size: 0, sha256: tree };
      for (const name of path.split('/')) entry = below(entry).get(name) ?? null;
      return entry;
    },
    diff: (before, after) =>
      before.tree === after.tree ? [] : [...differences(getTree(before.tree), getTree(after.tree), '')],
    addContent,
    addBlobs(root, known) {
      known.add(root);
      const snapshot = readable(() => get(root));
      return snapshot !== null && addContent({ kind: 'folder', mode: 0, size: 0, sha256: snapshot.tree }, known);
    },
  };
}

/** Trees in a store: the last that were read or stored are known. */
function treesIn(store: BlobStore) {
  const trees = new Map<Sha256, FolderTree>();

  function keep(sha256: Sha256, tree: FolderTree): FolderTree {
    if (trees.size >= CACHED_TREES) trees.clear();
    trees.set(sha256, tree);
    return tree;
  }

  return {
    getTree: (sha256: Sha256): FolderTree => trees.get(sha256) ?? keep(sha256, decodeTree(store.get(sha256))),
    putTree(tree: FolderTree): Sha256 {
      const sha256 = store.put(encodeTree(tree), 'plain');
      keep(sha256, tree);
      return sha256;
    },
  };
}

function noSnapshot(root: Sha256): HubError {
  return new HubError('storage_failed', `the files ${root} are damaged, or not ours`, {
    hint: ['look at all of it: ', cliCommand('fsck')],
  });
}

/** Null for what is lost or damaged. */
export function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof HubError && error.kind === 'storage_failed') return null;
    throw error;
  }
}

export const PIECE_BYTES = 1024 * 1024;

/** Stores the content of a file; a large one in pieces, so that a change in it costs one of them. */
export function putContent(store: BlobStore, bytes: Buffer): Pick<TreeEntry, 'kind' | 'sha256'> {
  if (bytes.length <= PIECE_BYTES) return { kind: 'file', sha256: store.put(bytes, 'compressed') };
  const pieces = piecesOf(bytes).map((piece) => store.put(piece, 'compressed'));
  return { kind: 'pieces', sha256: store.put(Buffer.from(pieces.join(''), 'hex'), 'plain') };
}

/** The SHA-256 that the content of a file is stored under. */
export function contentDigest(bytes: Buffer): string {
  const digestOf = (piece: Buffer): Buffer => createHash('sha256').update(piece).digest();
  if (bytes.length <= PIECE_BYTES) return digestOf(bytes).toString('hex');
  return digestOf(Buffer.concat(piecesOf(bytes).map(digestOf))).toString('hex');
}

function piecesOf(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES));
}

/** The content of a file, or the text of a link. */
export function getContent(store: BlobStore, { kind, sha256 }: TreeEntry): Buffer {
  const bytes = store.get(sha256);
  return kind === 'pieces' ? Buffer.concat(piecesIn(bytes).map((piece) => store.get(piece))) : bytes;
}

/** The pieces of a large file, as its blob lists them. */
export function piecesIn(list: Buffer): Sha256[] {
  return (list.toString('hex').match(/.{64}/g) ?? []).map((digits) => Sha256.parse(digits));
}
