import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { homePaths } from '../../../hub/config/config.js';
import { openStore } from '../../../loom/store/store.js';
import { type TestCli, withCli } from '../../support/cli.js';

const SECRET = 'API_KEY=canary-4711';
const LARGE = 'x'.repeat(3_000_000);

/** A conversation in a repository with an ignored secret: a file of two states, a large one, a link and a strange name. */
async function withStates(use: (cli: TestCli & { file: string; first: string }) => Promise<void>): Promise<void> {
  await withCli(async (cli) => {
    const { folder, print } = cli;
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, '.gitignore'), '.env\n');
    writeFileSync(join(folder, '.env'), SECRET);
    writeFileSync(join(folder, 'large'), LARGE);
    await print('new', 'work');
    await print(
      'exec',
      '@',
      'mkdir -p sub/ü; echo one > a.txt; ln -s ../a.txt sub/link; echo s > "sub/ü/a b"; chmod 755 a.txt',
    );
    await print('exec', '@', 'echo two > a.txt; rm -r sub');
    const first = /(\w{8}) \[bash:mkdir/.exec(await print('show', '--ids'))?.[1] ?? '';
    await print('files', 'status');
    const file = join(dirname(folder), 'talk.jsonl');
    await print('export', '@', '--format', 'jsonl', '--files', '--output', file);
    await use({ ...cli, file, first });
  });
}

/** Runs commands as somebody with another home, in another folder. */
async function elsewhere({ folder, run }: TestCli, use: (other: Elsewhere) => Promise<void>): Promise<void> {
  const [project, home] = [join(dirname(folder), 'other'), join(dirname(folder), 'other-home')];
  for (const path of [project, home]) mkdirSync(path, { mode: 0o700 });
  const there = { folder: project, env: { COGNITION_HOME: home } };
  try {
    await use({ project, home, run: (...words) => run(words, there) });
  } finally {
    await run(['hub', 'stop'], there);
  }
}

interface Elsewhere {
  project: string;
  home: string;
  run(...words: string[]): ReturnType<TestCli['run']>;
}

const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => /packs\/|transfers\//.test(name))
    : [];

test('an export with files brings each state to another home and folder, and what git ignores stays at home', () =>
  withStates(async (cli) => {
    const { file, first, folder } = cli;
    expect(readFileSync(file, 'utf8')).not.toContain('canary-4711');
    await elsewhere(cli, async ({ project, home, run }) => {
      writeFileSync(join(project, 'mine.txt'), 'mine');
      const taken = await run('import', '--files', file);
      expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('Imported') });
      expect(taken.stderr).toContain('The files of 2 nodes came along; nothing in your folder has changed');
      expect(readdirSync(project)).toEqual(['mine.txt']);
      expect(JSON.parse((await run('fsck', '--json')).stdout)).toMatchObject({
        problem_count: 0,
        files: { unneeded: 0 },
      });
      expect((await run('use', 'work')).code).toBe(0);
      expect(await run('files', 'restore', first)).toMatchObject({ code: 0 });
      expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n');
      expect(readFileSync(join(project, 'sub', 'link'), 'utf8')).toBe('one\n');
      expect(readFileSync(join(project, 'sub', 'ü', 'a b'), 'utf8')).toBe('s\n');
      expect(readFileSync(join(project, 'large'), 'utf8')).toBe(LARGE);
      expect([existsSync(join(project, '.env')), readFileSync(join(project, 'mine.txt'), 'utf8')]).toEqual([
        false,
        'mine',
      ]);
      // Once more it adds nothing.
      expect((await run('import', '--files', file)).stdout).toContain('Nothing new');
      expect(JSON.parse((await run('fsck', '--json')).stdout)).toMatchObject({
        problem_count: 0,
        files: { snapshots: 3 },
      });
      expect(filesBelow(join(home, 'files')).filter((name) => name.includes('transfers/'))).toEqual([]);
    });
    expect(filesBelow(join(cli.home, 'files')).filter((name) => name.includes('transfers/'))).toEqual([]);
    expect(existsSync(join(folder, 'sub'))).toBe(false);
  }));

test('without --files the conversation alone is taken, and a file without files says so', () =>
  withStates(async (cli) => {
    await elsewhere(cli, async ({ home, run }) => {
      expect((await run('import', cli.file)).code).toBe(0);
      expect(filesBelow(join(home, 'files'))).toEqual([]);
    });
    await cli.print('export', '@', '--format', 'json', '--output', join(dirname(cli.folder), 'plain.json'));
    const again = await cli.run(['import', '--files', join(dirname(cli.folder), 'plain.json')]);
    expect(again.stderr).toContain('No recorded files of');
    expect((await cli.run(['export', '@', '--files'])).stderr).toContain('--files is for --format json and jsonl');
  }));

/** Changes lines of an export. */
function changed(file: string, change: (lines: string[]) => string[]): string {
  const other = `${file}.changed`;
  writeFileSync(other, `${change(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n')}\n`);
  return other;
}

const SHA = 'f'.repeat(64);
const isPack = (line: string): boolean => line.startsWith('{"kind":"pack_data"');
const isFiles = (line: string): boolean => line.startsWith('{"kind":"files"');

const HOSTILE: Record<string, (lines: string[]) => string[]> = {
  'a byte of a pack flipped': (lines) =>
    lines.map((line) =>
      isPack(line) ? line.replace(/("data":".{40})(.)/, (_, head, sign) => head + (sign === 'A' ? 'B' : 'A')) : line,
    ),
  'a pack under another name': (lines) =>
    lines.map((line) => (isPack(line) ? line.replace(/"pack":"\w+"/, `"pack":"${SHA}"`) : line)),
  'a pack that leads out of the folder': (lines) =>
    lines.map((line) => (isPack(line) ? line.replace(/"pack":"\w+"/, '"pack":"../../../../x"') : line)),
  'a snapshot that is in no pack': (lines) =>
    lines.map((line) => (isFiles(line) ? line.replace(/"root":"\w+"/, `"root":"${SHA}"`) : line)),
  'a snapshot of a node that is not there': (lines) =>
    lines.map((line) => (isFiles(line) ? line.replace(/"node":"\w{8}/, '"node":"00000000') : line)),
  'no pack at all': (lines) => lines.filter((line) => !isPack(line)),
  'a piece far behind the end of any pack': (lines) =>
    lines.map((line) => (isPack(line) ? line.replace(/"offset":\d+/, '"offset":9000000000000') : line)),
  'cut in the middle of a pack': (lines) => lines.slice(0, lines.findIndex(isPack) + 1),
  'cut before the snapshots': (lines) => lines.slice(0, lines.findIndex(isFiles)),
};

test('a file with packs that are not what they say is refused in one line, and nothing of it is there', () =>
  withStates(async (cli) => {
    await elsewhere(cli, async ({ home, project, run }) => {
      for (const [what, change] of Object.entries(HOSTILE)) {
        const { code, stderr, stdout } = await run('import', '--files', changed(cli.file, change));
        expect([what, code, stdout]).toEqual([what, expect.any(Number), '']);
        expect([what, code === 0, stderr.trim().split('\n').length <= 3]).toEqual([what, false, true]);
        expect([what, (await run('list', '--json')).stdout.trim()]).toEqual([what, '[]']);
        expect([what, filesBelow(join(home, 'files')), readdirSync(project)]).toEqual([what, [], []]);
      }
      expect((await run('import', '--files', cli.file)).code).toBe(0);
    });
  }));

test('files of a damaged store are exported as far as they are whole', () =>
  withStates(async (cli) => {
    const { home, print, run } = cli;
    await print('hub', 'stop');
    const store = join(home, 'files', readdirSync(join(home, 'files'))[0] ?? '', 'packs');
    rmSync(join(store, readdirSync(store)[0] ?? ''));
    const exported = await run(['export', '@', '--format', 'jsonl', '--files']);
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('damaged and not in the export') });
  }));

test('fsck --rescue --files carries what is whole: not a node that is damaged, with what it had, nor a snapshot that lost something', () =>
  withStates(async (cli) => {
    const { home, print, run, first } = cli;
    const file = join(dirname(cli.folder), 'rescued.jsonl');
    expect((await run(['fsck', '--rescue', file])).stderr).toContain(
      'recorded files of projects are not in it: they come',
    );
    expect((await run(['fsck', '--files'])).stderr).toContain('--files goes with --rescue');
    await print('exec', '@', 'echo three > a.txt; echo lost > lost.txt');
    await print('hub', 'stop');
    const store = openStore({ path: homePaths(home).database, access: 'write', synchronous: 'full' });
    store.run("UPDATE nodes SET created_at_ms = 7 WHERE preview LIKE '%echo two%'");
    store.close();

    const rescued = await run(['fsck', '--rescue', file, '--files', '--force']);
    expect(rescued).toMatchObject({ code: 1, stderr: expect.stringContaining('Wrote what is whole of 1 tree') });
    await elsewhere(cli, async (other) => {
      const taken = await other.run('import', '--files', file);
      expect(taken.stderr).toContain('The files of 1 node came along');
      await other.run('use', 'work');
      expect(await other.run('files', 'restore', first)).toMatchObject({ code: 0 });
      expect(readFileSync(join(other.project, 'sub', 'ü', 'a b'), 'utf8')).toBe('s\n');
      expect(JSON.parse((await other.run('fsck', '--json')).stdout)).toMatchObject({ problem_count: 0 });
    });

    const packs = join(home, 'files', readdirSync(join(home, 'files'))[0] ?? '', 'packs');
    for (const pack of readdirSync(packs)) rmSync(join(packs, pack));
    const without = await run(['fsck', '--rescue', file, '--files', '--force']);
    expect(without.stderr).toContain('damaged and not in the export');
    expect(readFileSync(file, 'utf8')).not.toContain('"kind":"files"');
  }));
