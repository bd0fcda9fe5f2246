import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { settledAfterMs } from '../../../tools/files/scan/disk_clock.js';
import { foldersIn, openFiles } from '../../gauntlet/files.js';
import { withFolder } from '../../support/hub.js';

/** To a clock that is ahead everything counts as old, so that what is not looked at again shows. */
const AHEAD_MS = 60_000;

/** A project with a file deep in it, after looks enough that nothing of it is looked at again without need. */
async function lookedAt(folder: string) {
  const { project, store } = foldersIn(folder);
  const inner = join(project, 'a', 'b', 'c');
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, 'file'), 'one');
  writeFileSync(join(project, 'a', 'b', 'other'), 'other');
  mkdirSync(join(project, 'a', 'empty'));
  const files = openFiles(project, store, { clock: () => Date.now() + AHEAD_MS });
  const root = files.scan().root;
  expect(files.scan().root).toBe(root);
  await ticked(folder);
  return {
    ...{ project, inner, file: join(inner, 'file') },
    /** What an incremental look finds, and that a fresh one finds the same. */
    look(): { isChanged: boolean; files: number } {
      const now = files.scan();
      expect(openFiles(project, join(folder, 'fresh')).scan()).toEqual(now);
      return { isChanged: now.root !== root, files: now.files };
    },
  };
}

/** Waits until the clock of the disk has gone on. */
async function ticked(folder: string): Promise<void> {
  const at = join(folder, 'clock');
  writeFileSync(at, '');
  const { ctimeMs } = lstatSync(at);
  do {
    await nextTurn();
    writeFileSync(at, '');
  } while (lstatSync(at).ctimeMs === ctimeMs);
}

test('a folder in which nothing has changed is not looked at again, and counts with all that is in it', () =>
  withFolder(async (folder) => {
    const { look } = await lookedAt(folder);
    expect(look()).toEqual({ isChanged: false, files: 2 });
  }));

const CHANGES: Record<string, (at: { project: string; inner: string; file: string }) => void> = {
  'a file deep below': ({ file }) => appendFileSync(file, 'more'),
  'a file as long, with the time that it had': ({ file }) => {
    const { atimeMs, mtimeMs } = lstatSync(file);
    writeFileSync(file, 'two');
    utimesSync(file, atimeMs / 1_000, mtimeMs / 1_000);
  },
  'the mode of a file': ({ file }) => chmodSync(file, 0o755),
  'the mode of a folder': ({ inner }) => chmodSync(inner, 0o700),
  'a new name deep below': ({ inner }) => writeFileSync(join(inner, 'new'), ''),
  'a new folder in an empty one': ({ project }) => mkdirSync(join(project, 'a', 'empty', 'new')),
  'a removed folder': ({ inner }) => rmSync(inner, { recursive: true }),
  'a folder with another in its place': ({ inner }) => {
    renameSync(inner, `${inner}.old`);
    mkdirSync(inner);
    writeFileSync(join(inner, 'file'), 'six');
    rmSync(`${inner}.old`, { recursive: true });
  },
  'a folder with a link in its place': ({ inner }) => {
    renameSync(inner, `${inner}.old`);
    symlinkSync('c.old', inner);
  },
  'a rule of the folder above': ({ project }) => writeFileSync(join(project, '.gitignore'), 'other\n'),
  'a rule in a folder between': ({ project }) => writeFileSync(join(project, 'a', 'b', '.ignore'), 'c/\n'),
  'a repository in a folder between': ({ project }) => {
    const git = join(project, 'a', 'b', '.git');
    for (const name of ['objects', 'refs', 'info']) mkdirSync(join(git, name), { recursive: true });
    writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(git, 'info', 'exclude'), 'file\n');
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`${what} is seen by an incremental look as by a fresh one`, () =>
    withFolder(async (folder) => {
      const { look, ...places } = await lookedAt(folder);
      change(places);
      expect(look().isChanged).toBe(true);
      await ticked(folder);
      expect(look().isChanged).toBe(true);
    }));
}

test('what git is told to leave out beside the project holds below as well, and no more when that is taken back', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    const git = join(project, '.git');
    for (const name of ['objects', 'refs', 'info']) mkdirSync(join(git, name), { recursive: true });
    writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(project, 'a', 'b'), { recursive: true });
    for (const name of ['kept', 'left']) writeFileSync(join(project, 'a', 'b', name), name);
    const files = openFiles(project, store, { clock: () => Date.now() + AHEAD_MS });
    expect([files.scan().files, files.scan().files]).toEqual([2, 2]);
    writeFileSync(join(git, 'info', 'exclude'), 'left\n');
    expect([files.scan().files, files.scan().files]).toEqual([1, 1]);
    writeFileSync(join(git, 'info', 'exclude'), '');
    expect([files.scan().files, files.scan().files]).toEqual([2, 2]);
  }));

test('only where each change has a time of its own is what changed a moment ago not read again', () => {
  const shm = '/dev/shm';
  expect(
    ['6.12.9', '5.15.0-91-generic', '6.13.0-rc1', '7.0.1', 'strange'].map((kernel) => settledAfterMs(shm, kernel)),
  ).toEqual([...[2_000, 2_000, 100, 100, 2_000]]);
  expect(settledAfterMs('/proc', '7.0.1')).toBe(2_000);
  expect(settledAfterMs('/not/there', '7.0.1')).toBe(2_000);
});
