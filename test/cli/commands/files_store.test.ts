import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
