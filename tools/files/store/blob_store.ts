import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { syncFile } from '../../../hub/base/disk/durable_file.js';
import { HubError } from '../../../hub/base/error.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type BlobPlace, isDraft, type PackRows, readBlock, readDirectory } from './pack_file.js';
import { type BlobForm, startWriting } from './pack_writer.js';

/** Blobs by the SHA-256 of their bytes, in packs that never change. One process at a time may write. */
export interface BlobStore {
  has(sha256: Sha256): boolean;
  /** Stores bytes unless they are there; they count, and can be read, after `flush`. */
  put(bytes: Buffer, form: BlobForm): Sha256;
  get(sha256: Sha256): Buffer;
  /** Blobs in the order in which they are read fastest. */
  inReadingOrder(blobs: readonly Sha256[]): Sha256[];
  /** Makes all that was put durable. */
  flush(): void;
  /** What was put and is not durable yet. */
  unflushed(): { blobs: number; bytes: number };
  /** Bytes of all packs. */
  bytes(): number;
  /** Rewrites packs so that they hold what is kept and nothing else. */
  sweep(isKept: (sha256: Sha256) => boolean): void;
}

const CACHED_BLOCKS = 64;
/** With more packs, those below a size become one. */
const PACKS_MAX = 200;
const SMALL_PACK_BYTES = 4 * 1024 * 1024;
const EMPTY = sha256Of(Buffer.alloc(0));

interface Pack {
  path: string;
  rows: PackRows;
  bytes: number;
}

type Found = { pack: Pack; place: BlobPlace };

export function openBlobStore(folder: string): BlobStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const packs = new Set<Pack>();
  const blobs = new Map<Sha256, Found>();
  const readBack = createBlockCache();
  const writing = startWriting(folder, admit);

  function admit(name: Sha256, rows: PackRows): void {
    const pack = { path: join(folder, name), rows, bytes: bytesOf(rows) };
    packs.add(pack);
    for (const [sha256, place] of rows) blobs.set(sha256, { pack, place });
  }

  function get(sha256: Sha256): Buffer {
    if (sha256 === EMPTY) return Buffer.alloc(0);
    const found = blobs.get(sha256);
    if (found === undefined) {
      throw new HubError('storage_failed', `the snapshots lack the content ${sha256}`, {
        hint: 'a pack was removed or damaged: take it from a backup',
      });
    }
    const { offset, size } = found.place;
    return readBack(found).subarray(offset, offset + size);
  }

  function put(bytes: Buffer, form: BlobForm): Sha256 {
    const sha256 = sha256Of(bytes);
    if (bytes.length > 0 && !blobs.has(sha256)) writing.add({ sha256, bytes }, form);
    return sha256;
  }

  function rewriteBlob(found: Found, sha256: Sha256, isKept: (sha256: Sha256) => boolean): void {
    if (blobs.get(sha256)?.pack !== found.pack) return;
    const bytes = isKept(sha256) ? Buffer.from(get(sha256)) : null;
    blobs.delete(sha256);
    if (bytes !== null) writing.add({ sha256, bytes }, found.place.isCompressed ? 'compressed' : 'plain');
  }

  /** Copies blobs of packs into new ones, then removes those packs. A kill in between leaves both, which is no harm. */
  function rewrite(doomed: readonly Pack[], isKept: (sha256: Sha256) => boolean): void {
    for (const pack of doomed) for (const [sha256, place] of pack.rows) rewriteBlob({ pack, place }, sha256, isKept);
    writing.finish();
    for (const pack of doomed) {
      packs.delete(pack);
      rmSync(pack.path, { force: true });
    }
    syncFile(folder);
  }

  for (const [name, rows] of packsIn(folder)) admit(name, rows);
  const small = [...packs].filter(({ bytes }) => bytes < SMALL_PACK_BYTES);
  if (packs.size > PACKS_MAX && small.length > 1) rewrite(small, () => true);

  return {
    has: (sha256) => sha256 === EMPTY || blobs.has(sha256) || writing.has(sha256),
    put,
    get,
    inReadingOrder: (wanted) => inReadingOrder(wanted, blobs),
    flush: () => writing.finish(),
    unflushed: () => writing.counts(),
    bytes: () => [...packs].reduce((sum, { bytes }) => sum + bytes, 0),
    sweep(isKept) {
      const doomed = [...packs].filter(({ rows }) => [...rows.keys()].some((sha256) => !isKept(sha256)));
      rewrite(doomed, isKept);
    },
  };
}

/** The packs of a folder; what nobody finished is removed. */
function* packsIn(folder: string): Generator<[Sha256, PackRows]> {
  for (const name of readdirSync(folder)) {
    const known = Sha256.safeParse(name);
    if (known.success) yield [known.data, readDirectory(join(folder, name))];
    else if (isDraft(name)) rmSync(join(folder, name), { force: true });
  }
}

function inReadingOrder(wanted: readonly Sha256[], blobs: ReadonlyMap<Sha256, Found>): Sha256[] {
  const keyOf = (sha256: Sha256): string => {
    const found = blobs.get(sha256);
    return found === undefined ? '' : `${found.pack.path} ${String(found.place.blockAt).padStart(10)}`;
  };
  const keyed = wanted.map((sha256) => ({ sha256, key: keyOf(sha256) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ sha256 }) => sha256);
}

function bytesOf(rows: PackRows): number {
  let end = 0;
  for (const { blockAt, blockLength } of rows.values()) end = Math.max(end, blockAt + blockLength);
  return end;
}

/** Reads blocks, and keeps the last ones. */
function createBlockCache(): (found: Found) => Buffer {
  const blocks = new Map<string, Buffer>();
  return ({ pack, place }) => {
    const key = `${pack.path} ${place.blockAt}`;
    const stored = blocks.get(key);
    const block = stored ?? contentOf(readBlock(pack.path, place), place);
    blocks.delete(key);
    blocks.set(key, block);
    const [oldest] = blocks.keys();
    if (blocks.size > CACHED_BLOCKS && oldest !== undefined) blocks.delete(oldest);
    return block;
  };
}

function contentOf(block: Buffer, { isCompressed }: BlobPlace): Buffer {
  return isCompressed ? brotliDecompressSync(block) : block;
}

function sha256Of(bytes: Buffer): Sha256 {
  return Sha256.parse(createHash('sha256').update(bytes).digest('hex'));
}
