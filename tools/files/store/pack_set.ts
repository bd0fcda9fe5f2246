import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFile } from '../../../hub/base/disk/durable_file.js';
import { HubError } from '../../../hub/base/error.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type BlobPlaces, createBlobPlaces, type PlacedBlob } from './blob_places.js';
import { isDraft, type PackRows, readDirectory } from './pack_file.js';

export interface Pack {
  number: number;
  path: string;
  bytes: number;
}

/** The packs of a folder, and where they have which blob. */
export interface PackSet {
  packs(): readonly Pack[];
  /** The pack with this number. */
  packOf(blob: PlacedBlob): Pack;
  blobs: BlobPlaces;
  admit(name: Sha256, rows: PackRows): Pack;
  /** Removes packs from the disk, and the blobs that are in no other. */
  drop(doomed: Iterable<Pack>): void;
}

export function createPackSet(folder: string): PackSet {
  const packs = new Map<number, Pack>();
  const blobs = createBlobPlaces();
  let admitted = 0;

  function admit(name: Sha256, rows: PackRows): Pack {
    const pack = { number: admitted, path: join(folder, name), bytes: bytesOf(rows) };
    admitted += 1;
    packs.set(pack.number, pack);
    for (const [sha256, place] of rows) blobs.set(sha256, pack.number, place);
    return pack;
  }

  for (const [name, rows] of packsIn(folder)) admit(name, rows);
  return {
    packs: () => [...packs.values()],
    packOf({ pack: number }) {
      const pack = packs.get(number);
      if (pack === undefined) throw new Error(`there is no pack ${number}`);
      return pack;
    },
    blobs,
    admit,
    drop(doomed) {
      for (const { number, path } of doomed) {
        packs.delete(number);
        blobs.deletePack(number);
        rmSync(path, { force: true });
      }
      syncFile(folder);
    },
  };
}

/** The packs of a folder; what nobody finished is removed. */
function* packsIn(folder: string): Generator<[Sha256, PackRows]> {
  for (const name of readdirSync(folder)) {
    const known = Sha256.safeParse(name);
    const rows = known.success ? rowsOf(join(folder, name)) : null;
    if (known.success && rows !== null) yield [known.data, rows];
    else if (isDraft(name)) rmSync(join(folder, name), { force: true });
  }
}

/** What a pack holds; null for one that is damaged: all others are used. */
function rowsOf(path: string): PackRows | null {
  try {
    return readDirectory(path);
  } catch (error) {
    if (error instanceof HubError && error.kind === 'storage_failed') return null;
    throw error;
  }
}

function bytesOf(rows: PackRows): number {
  let end = 0;
  for (const { blockAt, blockLength } of rows.values()) end = Math.max(end, blockAt + blockLength);
  return end;
}
