import { createHash } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { HubError } from '../../../hub/base/error.js';
import { noteYoungGarbage } from '../../../hub/base/memory/free_garbage.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import type { BlobPlaces, PlacedBlob } from './blob_places.js';
import { type BlobPlace, damaged, readBlock, readDirectory } from './pack_file.js';
import { isIntact, packProblems } from './pack_problems.js';
import { createPackSet, type Pack } from './pack_set.js';
import { type BlobForm, startWriting } from './pack_writer.js';

/** Blobs by the SHA-256 of their bytes, in packs that never change. One process at a time may write. */
export interface BlobStore {
  has(sha256: Sha256): boolean;
  /** Stores bytes unless they are there; they count, and can be read, after `flush`. */
  put(bytes: Buffer, form: BlobForm): Sha256;
  get(sha256: Sha256): Buffer;
  /** Null for what is not there. */
  placeOf(sha256: Sha256): Pick<BlobPlace, 'size' | 'isCompressed'> | null;
  /** Blobs in the order in which they are read fastest. */
  inReadingOrder(blobs: readonly Sha256[]): Sha256[];
  /** Makes all that was put durable. */
  flush(): void;
  /** Removes what was put since the last flush. */
  discard(): void;
  /** What was put and is not durable yet. */
  unflushed(): { blobs: number; bytes: number };
  /** Bytes of all packs. */
  bytes(): number;
  all(): Sha256[];
  /** Bytes of all blobs but these. */
  bytesBut(isLeftOut: (sha256: Sha256) => boolean): number;
  /** What is wrong with the packs: each is read whole. */
  problems(): string[];
  /** Rewrites packs so that they hold what is kept and nothing else. */
  sweep(isKept: (sha256: Sha256) => boolean): void;
}

const CACHED_BLOCKS = 16;
/** A block ends with the blob that fills it. */
const RAW_BLOCK_BYTES_MAX = 4 * 1024 * 1024;
/** What is decompressed at once. Node keeps the last piece until it looks through its whole memory, so that large ones pile up. */
const CHUNK_BYTES = 16 * 1024;
/** With more packs, those below a size become one. */
const PACKS_MAX = 200;
const SMALL_PACK_BYTES = 4 * 1024 * 1024;
const EMPTY = sha256Of(Buffer.alloc(0));
const NOWHERE = { size: 0, isCompressed: false };

export function openBlobStore(folder: string): BlobStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { packs, packOf, blobs, admit, drop } = createPackSet(folder);
  const readBack = createBlockCache((blob) => packOf(blob).path);
  const writing = startWriting(folder, (name, rows) => unflushed.add(admit(name, rows)));
  const unflushed = new Set<Pack>();

  function flush(): void {
    writing.finish();
    unflushed.clear();
  }

  function discard(): void {
    writing.abandon();
    drop(unflushed);
    unflushed.clear();
  }

  function get(sha256: Sha256): Buffer {
    if (sha256 === EMPTY) return Buffer.alloc(0);
    const found = blobs.get(sha256);
    if (found === null) throw lack(sha256);
    const { offset, size } = found;
    const bytes = readBack(found).subarray(offset, offset + size);
    if (bytes.length !== size || sha256Of(bytes) !== sha256) throw damaged(packOf(found).path);
    return bytes;
  }

  function put(bytes: Buffer, form: BlobForm): Sha256 {
    const sha256 = sha256Of(bytes);
    if (bytes.length > 0 && !blobs.has(sha256)) writing.add({ sha256, bytes }, form);
    return sha256;
  }

  function rewriteBlob(sha256: Sha256, pack: Pack, isKept: (sha256: Sha256) => boolean): void {
    const found = blobs.get(sha256);
    if (found?.pack !== pack.number) return;
    const bytes = isKept(sha256) ? get(sha256) : null;
    blobs.delete(sha256);
    if (bytes !== null) writing.add({ sha256, bytes }, found.isCompressed ? 'compressed' : 'plain');
  }

  /** Copies blobs of packs into new ones, then removes those packs. A kill in between leaves both, which is no harm. */
  function rewrite(doomed: readonly Pack[], isKept: (sha256: Sha256) => boolean): void {
    for (const pack of doomed) for (const sha256 of readDirectory(pack.path).keys()) rewriteBlob(sha256, pack, isKept);
    flush();
    drop(doomed);
  }

  const small = smallOf(packs());
  if (small.length > 0) rewrite(small, () => true);

  return {
    has: (sha256) => sha256 === EMPTY || blobs.has(sha256) || writing.has(sha256),
    put,
    get,
    placeOf: (sha256) => (sha256 === EMPTY ? NOWHERE : blobs.get(sha256)),
    inReadingOrder: (wanted) => inReadingOrder(wanted, blobs.get),
    flush,
    discard,
    unflushed: () => writing.counts(),
    bytes: () => packs().reduce((sum, { bytes }) => sum + bytes, 0),
    all: () => [...blobs.all()].map(({ sha256 }) => sha256),
    bytesBut: (isLeftOut) => bytesBut(blobs, isLeftOut),
    problems: () => packProblems(folder),
    sweep: (isKept) => rewrite(holdingOthers(packs(), isKept), isKept),
  };
}

/** The packs that are to become one. */
function smallOf(packs: readonly Pack[]): Pack[] {
  if (packs.length <= PACKS_MAX) return [];
  const small = packs.filter(({ bytes, path }) => bytes < SMALL_PACK_BYTES && isIntact(path));
  return small.length > 1 ? small : [];
}

function holdingOthers(packs: readonly Pack[], isKept: (sha256: Sha256) => boolean): Pack[] {
  return packs.filter(({ path }) => [...readDirectory(path).keys()].some((sha256) => !isKept(sha256)));
}

function bytesBut(blobs: BlobPlaces, isLeftOut: (sha256: Sha256) => boolean): number {
  let sum = 0;
  for (const { sha256, size } of blobs.all()) sum += isLeftOut(sha256) ? 0 : size;
  return sum;
}

function lack(sha256: Sha256): HubError {
  return new HubError('storage_failed', `the snapshots lack the content ${sha256}`, {
    hint: 'a pack was removed or damaged: take it from a backup',
  });
}

function inReadingOrder(wanted: readonly Sha256[], find: (sha256: Sha256) => PlacedBlob | null): Sha256[] {
  const placed = wanted.map((sha256) => ({ sha256, pack: -1, blockAt: 0, ...find(sha256) }));
  return placed.sort((a, b) => a.pack - b.pack || a.blockAt - b.blockAt).map(({ sha256 }) => sha256);
}

/** Reads blocks, and keeps the last ones: of compressed ones the very last, since contents are read in the order of their blocks. */
function createBlockCache(pathOf: (blob: PlacedBlob) => string): (blob: PlacedBlob) => Buffer {
  const blocks = new Map<string, Buffer>();
  // Not in the map: what has passed through one is freed late, and these are large and many.
  let last: { key: string; block: Buffer } | null = null;

  return (blob) => {
    const key = `${blob.pack} ${blob.blockAt}`;
    const stored = last?.key === key ? last.block : blocks.get(key);
    const block = stored ?? contentOf(pathOf(blob), blob);
    if (blob.isCompressed) last = { key, block };
    else keepIn(blocks, key, block);
    return block;
  };
}

function keepIn(blocks: Map<string, Buffer>, key: string, block: Buffer): void {
  blocks.delete(key);
  blocks.set(key, block);
  const [oldest] = blocks.keys();
  if (blocks.size > CACHED_BLOCKS && oldest !== undefined) blocks.delete(oldest);
}

/** Reads one content out of a pack, whatever the rest of that is like. */
export function blobIn(path: string, sha256: Sha256, place: BlobPlace): Buffer {
  const { blockAt, blockLength, offset, size } = place;
  if (blockAt + blockLength > statSync(path).size) throw damaged(path);
  const bytes = contentOf(path, place).subarray(offset, offset + size);
  if (bytes.length !== size || sha256Of(bytes) !== sha256) throw damaged(path);
  return bytes;
}

function contentOf(path: string, place: BlobPlace): Buffer {
  const block = readBlock(path, place);
  try {
    if (!place.isCompressed) return block;
    const raw = brotliDecompressSync(block, { chunkSize: CHUNK_BYTES, maxOutputLength: RAW_BLOCK_BYTES_MAX });
    // In pieces, and then as one.
    noteYoungGarbage(2 * raw.length);
    return raw;
  } catch {
    throw damaged(path); // what is compressed says so itself
  }
}

function sha256Of(bytes: Buffer): Sha256 {
  return Sha256.parse(createHash('sha256').update(bytes).digest('hex'));
}
