import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFile } from '../../../hub/base/disk/durable_file.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { readJournal } from '../restore/journal.js';
import { type BlobStore, blobIn, openBlobStore } from '../store/blob_store.js';
import { readDirectory } from '../store/pack_file.js';
import { isIntact } from '../store/pack_problems.js';
import { readable, snapshotsIn } from '../store/snapshot.js';
import { createSoundSnapshots } from '../store/sound_snapshots.js';
import { JOURNAL, PACKS } from './project_files.js';

export interface StoreRepair {
  /** Damaged packs that were set aside, and contents that were read back from them. */
  aside: number;
  saved: number;
  /** Bytes that nobody needs, and that are gone. */
  removed: number;
}

const ASIDE = 'damaged';

/**
 * Repairs a store: damaged packs are set aside, and what is whole in them is stored again. Only when nothing is lost what nobody needs is
 * removed: else it may be what a pack from a backup completes. A kill leaves more than is needed, and the next repair goes on there.
 */
export function repairStore(folder: string, roots: readonly Sha256[]): StoreRepair {
  rmSync(join(folder, 'transfers'), { recursive: true, force: true });
  const [packs, aside] = [join(folder, PACKS), join(folder, ASIDE)];
  mkdirSync(packs, { recursive: true, mode: 0o700 });
  const moved = setAside(packs, aside);
  const store = openBlobStore(packs);
  const saved = readBack(store, aside);
  const removed = removeUnneeded(store, { folder, roots });
  if (removed === null) return { aside: moved, saved, removed: 0 };
  rmSync(aside, { recursive: true, force: true });
  return { aside: moved, saved, removed };
}

function setAside(packs: string, aside: string): number {
  const damaged = packNames(packs).filter((name) => !isIntact(join(packs, name)));
  if (damaged.length > 0) mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (const name of damaged) renameSync(join(packs, name), join(aside, name));
  if (damaged.length > 0) for (const folder of [aside, packs]) syncFile(folder);
  return damaged.length;
}

/** Stores again what is whole in packs that were set aside; returns how many contents that are. */
function readBack(store: BlobStore, aside: string): number {
  let saved = 0;
  for (const name of packNames(aside)) {
    const rows = readable(() => readDirectory(join(aside, name)));
    for (const [sha256, place] of rows ?? []) {
      const bytes = store.has(sha256) ? null : readable(() => blobIn(join(aside, name), sha256, place));
      if (bytes === null) continue;
      store.put(bytes, place.isCompressed ? 'compressed' : 'plain');
      saved += 1;
    }
  }
  store.flush();
  return saved;
}

/** Removes what no snapshot needs, nor what could be taken back; null when something is lost. */
function removeUnneeded(
  store: BlobStore,
  { folder, roots }: { folder: string; roots: readonly Sha256[] },
): number | null {
  const journals = journalsIn(folder).map(readJournal);
  const kept = journals.flatMap(({ pending, last }) => [
    ...(pending === null ? [] : [pending.from]),
    ...(last === null ? [] : [last.from, last.to, last.known.from, last.known.to]),
  ]);
  const snapshots = snapshotsIn(store);
  const { problemOf } = createSoundSnapshots(store, snapshots);
  if ([...roots, ...kept].some((root) => problemOf(root) !== null)) return null;
  const needed = new Set<Sha256>();
  for (const root of [...roots, ...kept]) snapshots.addBlobs(root, needed);
  for (const { want } of journals.flatMap(({ pending }) => pending?.changes ?? [])) {
    if (want !== null) snapshots.addContent(want, needed);
  }
  const removed = store.bytesBut((sha256) => needed.has(sha256));
  if (removed > 0) store.sweep((sha256) => needed.has(sha256));
  return removed;
}

/** The journals of the project and of its copies. */
function journalsIn(folder: string): string[] {
  const copies = join(folder, 'copies');
  const states = existsSync(copies) ? readdirSync(copies).filter((name) => name.endsWith('.state')) : [];
  return [join(folder, JOURNAL), ...states.map((name) => join(copies, name, JOURNAL))];
}

function packNames(folder: string): Sha256[] {
  return existsSync(folder) ? readdirSync(folder).flatMap((name) => Sha256.safeParse(name).data ?? []) : [];
}
