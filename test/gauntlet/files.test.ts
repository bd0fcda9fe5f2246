import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Sha256 } from '../../hub/protocol/node.js';
import { readJournal } from '../../tools/files/restore/journal.js';
import { openBlobStore } from '../../tools/files/store/blob_store.js';
import { snapshotsIn } from '../../tools/files/store/snapshot.js';
import { sweepStore } from '../../tools/files/worker/project_files.js';
import { withFolder } from '../support/hub.js';
import { tries } from '../support/mounts.js';
import { compileDiskShim, type Ignores, readDiskLog, SimulatedDisk, writeFiles } from './disk_log.js';
import { extent, PATIENT_MS, randomFrom } from './extent.js';
import { changeFolder, foldersIn, imageOf, openFiles, remove, startWorker } from './files.js';
import { loggedBy } from './power.js';

test(
  'a restore brings back what a snapshot took, an undo what was there, and an incremental scan sees what a fresh one does',
  async () => {
    const { seed, count } = extent(50);
    const random = randomFrom(seed);
    for (let round = 0; round < count; round += 1) {
      await withFolder(async (folder) => {
        const { project, store } = foldersIn(folder);
        const files = openFiles(project, store);
        const top = Buffer.from(project);
        const about = `seed ${seed}, round ${round}`;
        changeFolder(top, random);
        const before = imageOf(top);
        const first = files.scan().root;
        changeFolder(top, random);
        const after = imageOf(top);
        const second = files.scan().root;
        expect(openFiles(project, join(folder, 'fresh')).scan().root, about).toBe(second);
        // A change may come to nothing.
        if (second === first) return remove(top);

        expect((await files.restore({ base: first, target: first, exact: true })).kept, about).toEqual([]);
        expect(imageOf(top), about).toEqual(before);
        expect(files.scan().root, about).toBe(first);
        // Another process opens the store.
        const again = openFiles(project, store);
        expect((await again.undo()).kept, about).toEqual([]);
        expect(imageOf(top), about).toEqual(after);
        await again.undo();
        expect(imageOf(top), about).toEqual(before);
        sweepStore(store, [first]);
        expect(() => openFiles(project, store).diff(first, second), about).toThrow(/lack/);
        remove(top);
        foldersIn(folder);
        await openFiles(project, store).restore({ base: first, target: first, exact: true });
        expect(imageOf(top), about).toEqual(before);
        remove(top);
      });
    }
  },
  PATIENT_MS,
);

test('a name that is new at the top is seen by a process that has looked before, however long ago', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    const files = openFiles(project, store, { clock: () => Date.now() + 60_000 });
    const before = files.scan().root;
    appendFileSync(join(project, 'new'), 'new');
    expect(files.scan().root).not.toBe(before);
  }));

test(
  'a restore that is killed leaves all old or all new, and whatever it was, nothing of it beside',
  () =>
    withFolder(async (folder) => {
      const { seed, count } = extent(30);
      const random = randomFrom(seed);
      const places = foldersIn(folder);
      const top = Buffer.from(places.project);
      const images = new Map<string, string[]>();
      const first = startWorker(places);
      for (let number = 0; number < 2; number += 1) {
        for (let round = 0; round < 10; round += 1) changeFolder(top, random);
        images.set((await first.ask({ kind: 'snapshot' })) ?? '', imageOf(top));
      }
      await first.kill();
      const roots = [...images.keys()];
      const ends = { old: 0, new: 0 };
      let now = roots[1];
      for (let round = 0; round < count; round += 1) {
        const target = roots.find((root) => root !== now) ?? '';
        const worker = startWorker(places);
        await worker.ask({ kind: 'snapshot' });
        worker.send({ kind: 'restore', base: target, target, exact: true });
        await killPoint(random, places.store, target);
        await worker.kill();
        const after = startWorker(places);
        const found = (await after.ask({ kind: 'snapshot' })) ?? '';
        await after.kill();
        expect(imageOf(top), `seed ${seed}, round ${round}`).toEqual(images.get(found));
        ends[found === target ? 'new' : 'old'] += 1;
        now = found;
      }
      console.log(`files: killed ${count} restores: all old ${ends.old}, all new ${ends.new} (seed ${seed})`);
    }),
  PATIENT_MS,
);

/** Waits as many turns of the loop, so that a kill meets anything from before the first change to the end. */
async function turnsUntil(turnsMax: number, isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < turnsMax && !isDone(); turn += 1) await nextTurn();
}

/** A moment before, while or after new files are written aside, or while they get their names. */
async function killPoint(random: () => number, store: string, target: string): Promise<void> {
  const isDone = (): boolean => isRestored(store, target);
  const state = [null, 'staging', 'applying', 'applying'][Math.floor(random() * 4)];
  // A state that was missed is over: then the worker waits for an answer that nobody gives.
  const isReached = (): boolean => {
    const now = readJournal(join(store, 'journal.json')).pending?.state;
    return isDone() || now === state || now === 'applying';
  };
  if (state !== null) await turnsUntil(Number.POSITIVE_INFINITY, isReached);
  await turnsUntil(Math.floor(random() * 300), isDone);
}

function isRestored(store: string, target: string): boolean {
  const journal = readJournal(join(store, 'journal.json'));
  return journal.pending === null && journal.last?.to === target;
}

const canLog = process.platform === 'linux' && tries('cc', ['--version']);

test.runIf(canLog)('a power cut at any change of the disk loses no snapshot that was acknowledged', () =>
  withFolder(async (folder) => {
    const { seed, count } = extent(60);
    const random = randomFrom(seed);
    const places = foldersIn(folder);
    const log = join(folder, 'disk.log');
    const worker = startWorker(places, loggedBy(compileDiskShim(folder), places.store, log));
    for (let round = 0; round < 12; round += 1) {
      changeFolder(Buffer.from(places.project), random);
      appendFileSync(log, `A ${await worker.ask({ kind: 'snapshot' })}\n`);
    }
    await worker.kill();
    const changes = readDiskLog(log);
    const cuts = Array.from({ length: count }, () => Math.floor(random() * (changes.length + 1))).sort((a, b) => a - b);
    const lostWith = (ignores: Ignores): string[] =>
      cuts.flatMap((position, number) => {
        const disk = new SimulatedDisk(ignores);
        for (const change of changes.slice(0, position)) disk.apply(change);
        const copy = join(folder, 'copy');
        rmSync(copy, { recursive: true, force: true });
        writeFiles(disk.afterCut(number % 2 === 0 ? null : random), places.store, copy);
        const known = changes.slice(0, position).flatMap((change) => (change.kind === 'note' ? [change.text] : []));
        return known.filter((root) => !isWhole(copy, root)).map((root) => `cut at ${position}: ${root}`);
      });
    expect(
      lostWith(() => false),
      `seed ${seed}`,
    ).toEqual([]);
    // On a disk that does not do what it is told something must be lost, or this proves nothing.
    expect(lostWith(({ kind }, path) => kind === 'sync_folder' && path.endsWith('packs'))).not.toEqual([]);
    console.log(`files: cut the power at ${count} of ${changes.length} changes, lost nothing (seed ${seed})`);
  }),
);

/** Whether all that a snapshot needs is in a store. */
function isWhole(folder: string, root: string): boolean {
  try {
    const store = openBlobStore(join(folder, 'packs'));
    const needed = new Set<Sha256>();
    snapshotsIn(store).addBlobs(Sha256.parse(root), needed);
    for (const sha256 of needed) store.get(sha256);
    return true;
  } catch {
    return false; // a blob is lost
  }
}
