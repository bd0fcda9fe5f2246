import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder } from '../support/hub.js';
import { tries } from '../support/mounts.js';
import { type Change, type Ignores, readDiskLog, SimulatedDisk, writeFiles } from './disk_log.js';
import { extent, randomFrom, timeFor } from './extent.js';
import { type Note, problemAfterCut, recordHome } from './power.js';

const canLog = process.platform === 'linux' && tries('cc', ['--version']);
const CONTROL_COUNT = 60;

/** Disks and settings under which something must be lost, or this test proves nothing. */
const CONTROLS: Record<string, Ignores> = {
  'synchronous NORMAL, which does not sync the log at a commit': (_, path) => path.endsWith('-wal'),
  'synchronous OFF': (_, path) => /trees\.db(-wal)?$/.test(path),
  'folders of outputs that are not synced': ({ kind }, path) => kind === 'sync_folder' && path.includes('/outputs'),
};

test.runIf(canLog)(
  'a power cut at any change of the disk loses nothing that was answered and brings nothing back that was purged',
  { timeout: timeFor(1_200_000) },
  () =>
    withFolder(async (folder) => {
      const { home, log } = await recordHome(folder);
      const changes = readDiskLog(log);
      const { seed, count } = extent(120);
      const failures = cut(changes, { home, folder, seed, count });
      console.log(`power: tried ${count}, failed ${failures.length} (seed ${seed}; ${changes.length} changes)`);
      expect(failures).toEqual([]);
      for (const [what, ignores] of Object.entries(CONTROLS)) {
        const lost = cut(changes, { home, folder, seed, count: CONTROL_COUNT, ignores });
        console.log(`control, ${what}: tried ${CONTROL_COUNT}, failed ${lost.length}`);
        expect(lost, what).not.toEqual([]);
      }
    }),
);

interface Cuts {
  home: string;
  folder: string;
  seed: number;
  count: number;
  ignores?: Ignores;
}

/** Cuts the power at random changes, half of the time with luck, and returns what was wrong after it. */
function cut(changes: readonly Change[], { home, folder, seed, count, ignores = () => false }: Cuts): string[] {
  const random = randomFrom(seed);
  const cuts = Array.from({ length: count }, () => Math.floor(random() * (changes.length + 1))).sort((a, b) => a - b);
  const disk = new SimulatedDisk(ignores);
  const notes: Note[] = [];
  const copy = join(folder, 'copy');
  let at = 0;
  return cuts.flatMap((position, number) => {
    for (const change of changes.slice(at, position)) {
      disk.apply(change);
      if (change.kind === 'note') notes.push(JSON.parse(change.text));
    }
    at = position;
    const luck = number % 2 === 0 ? null : random;
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    writeFiles(disk.afterCut(luck), home, copy);
    const problem = attempt(() => problemAfterCut(copy, notes));
    return problem === null ? [] : [`cut at ${position}${luck === null ? '' : ', with luck'}: ${problem}`];
  });
}

function attempt(check: () => string | null): string | null {
  try {
    return check();
  } catch (error) {
    return `the home cannot be opened: ${String(error)}`; // the worst that a cut can do
  }
}
