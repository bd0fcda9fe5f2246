import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFile } from '../../../hub/base/disk/durable_file.js';
import { HubError } from '../../../hub/base/error.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type BlobPlace, isDraft, type PackRows, readDirectory } from './pack_file.js';

export interface Pack {
  path: string;
  rows: PackRows;
  bytes: number;
}

export interface FoundBlob {
  pack: Pack;
  place: BlobPlace;
}

/** The packs of a folder, and where they have which blob. */
export interface PackSet {
  packs: ReadonlySet<Pack>;
  blobs: Map<Sha256, FoundBlob>;
  admit(name: Sha256, rows: PackRows): Pack;
  /** Removes packs from the disk, and the blobs that are in no other. */
  drop(doomed: Iterable<Pack>): void;
}

export function createPackSet(folder: string): PackSet {
  const packs = new Set<Pack>();
  const blobs = new Map<Sha256, FoundBlob>();

  function admit(name: Sha256, rows: PackRows): Pack {
    const pack = { path: join(folder, name), rows, bytes: bytesOf(rows) };
    packs.add(pack);
    for (const [sha256, place] of rows) blobs.set(sha256, { pack, place });
    return pack;
  }

  for (const [name, rows] of packsIn(folder)) admit(name, rows);
  return {
    packs,
    blobs,
    admit,
    drop(doomed) {
      for (const pack of doomed) {
        packs.delete(pack);
        for (const sha256 of pack.rows.keys()) if (blobs.get(sha256)?.pack === pack) blobs.delete(sha256);
        rmSync(pack.path, { force: true });
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
