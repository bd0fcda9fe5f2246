import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBlobStore } from '../../../tools/files/store/blob_store.js';
import { type TestCli, withCli } from '../../support/cli.js';

/** The packs of the one project of a home, the oldest first. */
function packsIn(home: string): string {
  const [store = ''] = readdirSync(join(home, 'files'));
  return join(home, 'files', store, 'packs');
}

async function twoStates({ print }: Pick<TestCli, 'print'>): Promise<string> {
  await print('new', 'work');
  await print('exec', '@', 'echo one > a.txt');
  await print('exec', '@', 'echo two > a.txt');
  const shown = await print('show', '--ids');
  await print('files', 'status');
  return /(\w{8}) \[bash:echo one/.exec(shown)?.[1] ?? '';
}

test('fsck reads recorded files, tells a pack that is damaged or lost, and nothing else suffers', () =>
  withCli(async (cli) => {
    const { folder, home, run, print } = cli;
    const first = await twoStates(cli);
    expect(await print('fsck')).toContain('all is well\n1 project with 2 snapshots of files\n');
    const packs = packsIn(home);
    const names = readdirSync(packs);
    expect(names).toHaveLength(2);
    await print('hub', 'stop');
    for (const name of names) {
      const whole = readFileSync(join(packs, name));
      const bytes = Buffer.from(whole);
      bytes[2] = (bytes[2] ?? 0) ^ 1;
      writeFileSync(join(packs, name), bytes);
      const { code, stdout } = await run(['fsck']);
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining(`the pack ${name} is damaged: take it from a backup`),
      ]);
      writeFileSync(join(packs, name), whole);
      renameSync(join(packs, name), join(folder, 'away'));
      expect((await run(['fsck'])).stdout).toContain('files of the snapshot');
      renameSync(join(folder, 'away'), join(packs, name));
    }
    rmSync(join(folder, 'away'), { force: true });
    await print('files', 'restore', first, '--exact');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  }));

test('a damaged pack is never restored from, and what is there is recorded again', () =>
  withCli(async (cli) => {
    const { folder, home, run, print } = cli;
    const first = await twoStates(cli);
    await print('hub', 'stop');
    const packs = packsIn(home);
    for (const name of readdirSync(packs)) writeFileSync(join(packs, name), 'not a pack');
    const { code, stderr } = await run(['files', 'restore', first, '--exact']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the snapshots lack the content')]);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('two\n');
    await print('exec', '@', 'echo three > a.txt');
    await print('exec', '@', 'echo four > a.txt');
    expect((await print('show', '--ids')).length).toBeGreaterThan(0);
    const third = /(\w{8}) \[bash:echo three/.exec(await print('show', '--ids'))?.[1] ?? '';
    await print('files', 'restore', third);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('three\n');
  }));

test('a backup has the recorded files, and a home made of it restores them', () =>
  withCli(async (cli) => {
    const { folder, home, run, print } = cli;
    const first = await twoStates(cli);
    const beside = join(folder, '..', 'backup');
    mkdirSync(beside);
    expect(await print('backup', join(beside, 'copy.db'))).toMatch(/, 2 packs of project files\n$/);
    await print('hub', 'stop');
    rmSync(join(home, 'files'), { recursive: true });
    expect((await run(['fsck', '--json'])).code).toBe(0);
    cpSync(join(beside, 'copy.db.files'), join(home, 'files'), { recursive: true });
    expect(JSON.parse(await print('fsck', '--json'))).toMatchObject({ problem_count: 0, files: { snapshots: 2 } });
    await print('files', 'restore', first, '--exact');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  }));

test('fsck --repair sets a damaged pack aside, keeps what is whole in it, and a pack from a backup completes the rest', () =>
  withCli(async (cli) => {
    const { folder, home, run, print } = cli;
    await print('new', 'work');
    writeFileSync(join(folder, 'whole.bin'), randomBytes(300_000));
    await print('exec', '@', 'echo one > a.txt');
    await print('exec', '@', 'echo two > a.txt');
    const first = /(\w{8}) \[bash:echo one/.exec(await print('show', '--ids'))?.[1] ?? '';
    await print('files', 'status');
    await print('hub', 'stop');
    const packs = packsIn(home);
    const large =
      readdirSync(packs).sort((a, b) => statSync(join(packs, b)).size - statSync(join(packs, a)).size)[0] ?? '';
    const whole = readFileSync(join(packs, large));
    // The large file is the first block, a small one the next: one of them stays whole.
    const flipped = Buffer.from(whole);
    flipped[100] = (flipped[100] ?? 0) ^ 1;
    writeFileSync(join(packs, large), flipped);
    const repaired = await run(['fsck', '--repair']);
    expect(repaired.stderr).toMatch(/1 damaged pack set aside; [1-9]\d* contents of them could be had again/);
    expect([repaired.code, repaired.stdout]).toEqual([1, expect.stringContaining('files of the snapshot')]);
    expect(readdirSync(packs)).not.toContain(large);
    // What is not whole now may be whole again: nothing that was acknowledged is removed.
    expect(readFileSync(join(packs, '..', 'damaged', large))).toEqual(flipped);
    await print('hub', 'stop');
    writeFileSync(join(packs, large), whole);
    const completed = await run(['fsck', '--repair']);
    expect([completed.code, completed.stderr]).toEqual([0, expect.stringContaining('nothing to repair')]);
    expect(existsSync(join(packs, '..', 'damaged'))).toBe(false);
    await print('files', 'restore', first, '--exact');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  }));

test('fsck --repair removes packs that nobody finished, what no snapshot needs, and what was under way; a pack that is cut is told', () =>
  withCli(async (cli) => {
    const { folder, home, run, print } = cli;
    const first = await twoStates(cli);
    await print('hub', 'stop');
    const packs = packsIn(home);
    const store = openBlobStore(packs);
    store.put(Buffer.alloc(5_000, 'x'), 'compressed');
    store.flush();
    writeFileSync(join(packs, '.0123456789abcdef'), 'half a pack');
    mkdirSync(join(packs, '..', 'transfers', 'left'), { recursive: true });
    const repaired = await run(['fsck', '--repair']);
    expect([repaired.code, repaired.stderr]).toEqual([
      0,
      expect.stringContaining('Removed 4.9 KiB of files that nobody needs'),
    ]);
    expect(readdirSync(packs).some((name) => name.startsWith('.'))).toBe(false);
    expect(existsSync(join(packs, '..', 'transfers'))).toBe(false);
    await print('files', 'restore', first, '--exact');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
    await print('hub', 'stop');
    const [name = ''] = readdirSync(packs);
    truncateSync(join(packs, name), statSync(join(packs, name)).size - 3);
    const cut = await run(['fsck', '--repair']);
    expect([cut.code, cut.stdout]).toEqual([1, expect.stringContaining('files of the snapshot')]);
    expect(existsSync(join(packs, '..', 'damaged', name))).toBe(true);
    expect((await run(['fsck', '@', '--repair'])).stderr).toContain('--repair is for all that is recorded');
  }));

test('a damaged pack whose contents are in another one too is removed, and all is well', () =>
  withCli(async (cli) => {
    const { home, run, print } = cli;
    await twoStates(cli);
    await print('hub', 'stop');
    const packs = packsIn(home);
    const [name = ''] = readdirSync(packs);
    const beside = join(home, '..', 'beside');
    mkdirSync(beside);
    const source = openBlobStore(packs);
    const copy = openBlobStore(beside);
    for (const sha256 of source.all()) copy.put(source.get(sha256), 'plain');
    copy.flush();
    for (const made of readdirSync(beside)) cpSync(join(beside, made), join(packs, made));
    truncateSync(join(packs, name), 20);
    const repaired = await run(['fsck', '--repair']);
    expect([repaired.code, repaired.stderr]).toEqual([0, expect.stringContaining('1 damaged pack set aside')]);
    expect(existsSync(join(packs, '..', 'damaged'))).toBe(false);
  }));
