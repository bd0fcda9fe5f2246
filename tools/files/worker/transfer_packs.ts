import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import type { TransferId } from '../../../hub/protocol/methods/transfer_methods.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type BlobStore, openBlobStore } from '../store/blob_store.js';
import { readDirectory } from '../store/pack_file.js';
import { isIntact } from '../store/pack_problems.js';
import { readable, snapshotsIn } from '../store/snapshot.js';
import { createSoundSnapshots, type SoundSnapshots } from '../store/sound_snapshots.js';
import { PACKS, refuseFull } from './project_files.js';

/** The folder of a store in which packs wait that are under way. */
const TRANSFERS = 'transfers';

const PACK_ROWS_MAX = 500_000;
const ROWS_MAX = 2_000_000;

export interface TransferParts {
  /** The folder of the store that belongs to the project. */
  folder: string;
  transfer: TransferId;
  roots: readonly Sha256[];
}

/** Puts what snapshots need, and the known ones do not, into packs of their own. Of a damaged store what is whole. */
export function exportPacks({ folder, transfer, roots, known }: TransferParts & { known: readonly Sha256[] }): {
  lost: Sha256[];
  files: number;
} {
  refuseFull(0, folder);
  const source = openBlobStore(join(folder, PACKS));
  const target = openBlobStore(makeFolder(folder, transfer));
  const there = new Set<Sha256>();
  for (const root of known) snapshotsIn(source).addBlobs(root, there);
  const needed = new Set(there);
  for (const root of roots) snapshotsIn(source).addBlobs(root, needed);
  const lacking = [...needed].filter((sha256) => !there.has(sha256));
  for (const sha256 of source.inReadingOrder(lacking)) readable(() => copyBlob(sha256, source, target));
  target.flush();
  const whole = known.length === 0 ? target : onto(target, source);
  const { problemOf, paths } = createSoundSnapshots(whole, snapshotsIn(whole));
  return { lost: roots.filter((root) => problemOf(root) !== null), files: paths() };
}

/** What two stores have, of both the first. */
function onto(first: BlobStore, second: BlobStore): BlobStore {
  const of = (sha256: Sha256): BlobStore => (first.has(sha256) ? first : second);
  return {
    ...first,
    has: (sha256) => first.has(sha256) || second.has(sha256),
    get: (sha256) => of(sha256).get(sha256),
    placeOf: (sha256) => of(sha256).placeOf(sha256),
  };
}

/**
 * Takes snapshots out of packs that may come from anybody, when each byte of them is proven; with `look` only proves them, with `partial`
 * the packs need not have what is stored already.
 */
export function importPacks(
  { folder, transfer, roots }: TransferParts,
  { look, partial }: { look: boolean; partial: boolean },
): { files: number; root: Sha256 } {
  const packs = makeFolder(folder, transfer);
  provePacks(packs);
  const source = openBlobStore(packs);
  for (const sha256 of source.inReadingOrder(source.all())) {
    if (readable(() => source.get(sha256)) === null) throw refused('a pack holds something else than it says');
  }
  const target = openBlobStore(join(folder, PACKS));
  const whole = partial ? onto(source, target) : source;
  const sound = createSoundSnapshots(whole, snapshotsIn(whole));
  for (const root of roots) {
    const problem = sound.problemOf(root);
    if (problem !== null) throw refused(`snapshot ${root}: ${problem}`);
  }
  refuseFull(target.bytes() + source.bytes(), folder);
  // What a conversation knows of a folder in which it has not been.
  const root = snapshotsIn(target).put({ tree: target.put(Buffer.alloc(0), 'plain'), left_out: [] });
  if (look) target.discard();
  else take(source, target, sound);
  return { files: sound.paths(), root };
}

function take(source: BlobStore, target: BlobStore, { needed }: SoundSnapshots): void {
  try {
    const sent = [...needed].filter((sha256) => source.has(sha256));
    for (const sha256 of source.inReadingOrder(sent)) copyBlob(sha256, source, target);
    target.flush();
  } catch (error) {
    target.discard();
    throw error;
  }
}

function copyBlob(sha256: Sha256, source: BlobStore, target: BlobStore): void {
  target.put(source.get(sha256), source.placeOf(sha256)?.isCompressed === true ? 'compressed' : 'plain');
}

/** Refuses packs whose bytes are not those that name them, or whose directory leads elsewhere or is endless. */
function provePacks(folder: string): void {
  let rows = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!Sha256.safeParse(name).success || !isIntact(path)) throw refused(`the pack ${name} is not whole`);
    const directory = readable(() => readDirectory(path, PACK_ROWS_MAX));
    rows += directory?.size ?? ROWS_MAX;
    if (rows >= ROWS_MAX) throw refused(`the pack ${name} has no directory, or an endless one`);
    const { size } = statSync(path);
    for (const place of directory?.values() ?? []) {
      if (place.blockAt + place.blockLength > size) throw refused(`the pack ${name} leads beyond its end`);
    }
  }
}

function makeFolder(folder: string, transfer: TransferId): string {
  const packs = join(folder, TRANSFERS, transfer);
  mkdirSync(packs, { recursive: true, mode: 0o700 });
  return packs;
}

function refused(reason: string): HubError {
  return new HubError('invalid_params', `the recorded files cannot be imported: ${reason}`, {
    hint: 'nothing of them was taken; without --files the conversation alone is',
  });
}
