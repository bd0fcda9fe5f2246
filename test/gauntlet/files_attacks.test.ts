import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Sha256 } from '../../hub/protocol/node.js';
import { openNames } from '../../tools/files/open_names.js';
import { openBlobStore } from '../../tools/files/store/blob_store.js';
import { snapshotsIn } from '../../tools/files/store/snapshot.js';
import { withFolder } from '../support/hub.js';
import { canMount, mountDisk, unmount } from '../support/mounts.js';
import { extent } from './extent.js';
import { foldersIn, imageOf, openFiles } from './files.js';

const [SWAPPER, APPENDER] = ['swapper.mjs', 'appender.mjs'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
const CANARY = 'a canary that nobody may read';

/** All that is stored for some snapshots, as one text. */
function storedText(store: string, roots: Iterable<Sha256>): string {
  const blobs = openBlobStore(join(store, 'packs'));
  const needed = new Set<Sha256>();
  for (const root of roots) snapshotsIn(blobs).addBlobs(root, needed);
  return [...needed].map((sha256) => blobs.get(sha256).toString('latin1')).join('\n');
}

/** Runs another process until the work is done, and returns what it has printed. */
async function beside(words: readonly string[], work: () => Promise<void>): Promise<string> {
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(child.stdout, 'data');
  try {
    await work();
  } finally {
    child.stdin.end();
    await ended;
  }
  return printed;
}

test('while names are exchanged with links to a secret, it is neither recorded nor written to', () =>
  withFolder(async (folder) => {
    const { count } = extent(100);
    const { project, store } = foldersIn(folder);
    const secret = join(folder, 'secret');
    mkdirSync(join(project, 'place'));
    mkdirSync(join(secret, 'place'), { recursive: true });
    for (const name of ['file', 'place/inner']) {
      writeFileSync(join(project, name), 'one');
      writeFileSync(join(secret, name), CANARY);
    }
    const files = openFiles(project, store);
    const roots = new Set([files.scan().root]);
    for (const name of ['file', 'place/inner']) writeFileSync(join(project, name), 'two');
    roots.add(files.scan().root);
    const [one, two] = roots;
    if (one === undefined || two === undefined) throw new Error('both states are the same');
    for (const name of ['file', 'place']) symlinkSync(join(secret, name), join(project, `${name}.other`));
    let changed = 0;
    await beside([SWAPPER ?? '', join(project, 'file'), join(project, 'place')], async () => {
      for (let round = 0; round < count; round += 1) {
        const target = round % 2 === 0 ? one : two;
        // Without the exact ones nothing is as it was any more after a few lost races, and then all stays.
        const exact = round % 4 < 2;
        const done = await files.restore({ base: target === one ? two : one, target, exact });
        roots.add(done.to);
        changed += done.changed;
        await nextTurn();
      }
    });
    expect(storedText(store, roots)).not.toContain(CANARY);
    for (const name of ['file', 'place/inner']) expect(readFileSync(join(secret, name), 'utf8')).toBe(CANARY);
    expect(readdirSync(secret, { recursive: true }).toSorted()).toEqual(['file', 'place', 'place/inner']);
    expect(changed).toBeGreaterThan(count / 4);
    console.log(`files: ${count} restores of ${changed} paths while names were exchanged with links, nothing leaked`);
  }));

test('what a process writes while files are restored is in the project, or stored', () =>
  withFolder(async (folder) => {
    const restores = extent(100).count;
    const { project, store } = foldersIn(folder);
    const names = ['a', 'b', 'c'].map((name) => join(project, name));
    for (const name of names) writeFileSync(name, 'first\n');
    const openIn = async (drafts: string): Promise<ReadonlySet<string>> => new Set(openNames(drafts));
    const files = openFiles(project, store, { openIn });
    const first = files.scan().root;
    let restored = 0;
    const printed = await beside([APPENDER ?? '', ...names], async () => {
      for (; restored < restores; restored += 1) {
        await files.restore({ base: first, target: first, exact: true });
        await nextTurn();
      }
    });
    const written = printed.trim().split('\n');
    files.scan();
    // A line may be in a file, in one beside it, or in what was recorded before a restore.
    const missing = new Set(written);
    const strike = (text: string): void => {
      for (const line of text.split('\n')) missing.delete(line);
    };
    for (const text of storedEver(store)) strike(text);
    strike(textsIn(project));
    expect([...missing]).toEqual([]);
    console.log(`files: ${written.length} lines written while ${restored} restores ran, none lost`);
  }));

/** All contents that any pack holds: what was there before a restore is recorded without being returned. */
function* storedEver(store: string): Generator<string> {
  const blobs = openBlobStore(join(store, 'packs'));
  for (const sha256 of blobs.all()) yield blobs.get(sha256).toString('latin1');
}

function textsIn(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return paths.flatMap((path) => (lstatSync(path).isFile() ? readFileSync(path, 'latin1') : [])).join('\n');
}

test.runIf(canMount)('a restore for which there is no room changes nothing, and is done when there is', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    mountDisk(project, '8M');
    try {
      const files = openFiles(project, store);
      const large = join(project, 'large');
      writeFileSync(large, Buffer.alloc(3_000_000, 1));
      writeFileSync(join(project, 'small'), 'one');
      const first = files.scan().root;
      writeFileSync(large, 'small now');
      writeFileSync(join(project, 'small'), 'two');
      files.scan();
      fillDisk(join(project, '.git'));
      const before = imageOf(Buffer.from(project));
      await expect(files.restore({ base: first, target: first, exact: true })).rejects.toMatchObject({
        ...{ kind: 'conflict', message: expect.stringContaining('ENOSPC') },
      });
      expect(imageOf(Buffer.from(project))).toEqual(before);
      writeFileSync(join(project, '.git'), '');
      await files.restore({ base: first, target: first, exact: true });
      expect(readFileSync(join(project, 'small'), 'utf8')).toBe('one');
      expect(lstatSync(large).size).toBe(3_000_000);
    } finally {
      unmount(project);
    }
  }),
);

/** Fills a disk with one file, which snapshots do not see. */
function fillDisk(path: string): void {
  const piece = Buffer.alloc(100_000, 2);
  try {
    for (;;) writeFileSync(path, piece, { flag: 'a' });
  } catch {
    // It is full.
  }
}
