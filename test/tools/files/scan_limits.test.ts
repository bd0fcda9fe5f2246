import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldersIn, openFiles } from '../../gauntlet/files.js';
import { withFolder } from '../../support/hub.js';

/** Whole packs of content that does not compress, in files of 1 MB. */
function fillWith(project: string, megabytes: number): void {
  let state = 1;
  for (let count = 0; count < megabytes; count += 1) {
    const bytes = Buffer.alloc(1_000_000);
    for (let at = 0; at + 4 <= bytes.length; at += 4) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes.writeUInt32LE(state, at);
    }
    writeFileSync(join(project, `file${count}`), bytes);
  }
}

test('a project that is too large leaves nothing in the store, and is recorded whole when it has become smaller', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    fillWith(project, 70);
    const files = openFiles(project, store);
    expect(() => files.scan({ newBytes: 69_000_000 })).toThrow('more than 69,000,000 bytes of new files');
    expect(readdirSync(join(store, 'packs'))).toEqual([]);
    expect(files.scan({ newBytes: 71_000_000 }).files).toBe(70);
  }));

test('a project that takes too long is not recorded at once: what was read is kept, and the next process goes on from there', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    for (let count = 0; count < 20; count += 1) writeFileSync(join(project, `file${count}`), `${count}`);
    const start = Date.now() + 60_000;
    const times = Array.from({ length: 20 }, () => start);
    const slow = openFiles(project, store, { clock: () => times.pop() ?? start + 61_000 });
    expect(() => slow.scan()).toThrow('not all files of the project are recorded yet: 60 s were not enough');
    const kept = readFileSync(join(store, 'stat-cache'), 'utf8').match(/"file\d+"/g) ?? [];
    expect([kept.length > 5, kept.length < 20]).toEqual([true, true]);
    expect(readdirSync(join(store, 'packs'))).toHaveLength(1);

    const next = openFiles(project, store, { clock: () => start });
    const { root, files } = next.scan();
    expect(files).toBe(20);
    expect(root).toBe(openFiles(project, join(folder, 'another')).scan().root);
  }));

test('what a process has read is not read again by the next one, and what changed meanwhile is', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    mkdirSync(join(project, 'src'));
    const aged = join(project, 'src/aged');
    writeFileSync(aged, 'old');
    utimesSync(aged, 1, 1);
    const later = (): number => Date.now() + 60_000;
    const first = openFiles(project, store, { clock: later });
    const { root } = first.scan();
    first.close();
    const known = readFileSync(join(store, 'stat-cache'), 'utf8');
    expect(known).toContain('"aged"');

    const second = openFiles(project, store, { clock: later });
    expect(second.scan().root).toBe(root);
    const { ino } = statSync(aged);
    writeFileSync(aged, 'new');
    utimesSync(aged, 1, 1);
    expect(statSync(aged).ino).toBe(ino);
    expect(second.scan().root).not.toBe(root);
  }));
