import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestCli, userHomeBeside, withCli } from '../../support/cli.js';

/** A repository with what git ignores in it, and two commands that have changed it. */
function withCommands(use: (cli: TestCli & { first: string }) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    spawnSync('git', ['init', '-q', cli.folder]);
    writeFileSync(join(cli.folder, '.gitignore'), 'node_modules\n.env\n');
    mkdirSync(join(cli.folder, 'node_modules'));
    writeFileSync(join(cli.folder, 'node_modules/dep.js'), 'dep');
    writeFileSync(join(cli.folder, '.env'), 'KEY=canary');
    await cli.print('new', 'work');
    await cli.print('exec', '@', 'echo one > a.txt; mkdir src; echo m > src/m.js');
    const shown = await cli.print('show', '--ids');
    await cli.print('exec', '@', 'echo two > a.txt; rm -r src; echo new > b.txt');
    await use({ ...cli, first: /(\w{8}) \[bash:echo one/.exec(shown)?.[1] ?? '' });
  });
}

const textIn = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

test('the files of a node come back, what git ignores stays, and all of it can be taken back and done again', () =>
  withCommands(async ({ folder, print, first }) => {
    expect(await print('files', 'status')).toMatch(
      /^Recorded at \w{8}, just now: 3 files .*\nNothing has changed since\.\n$/,
    );
    expect(await print('files', 'diff', first, '@')).toBe(
      'M  a.txt  +1 -1\nA  b.txt  +1 -0\nD  src/\nD  src/m.js  +0 -1\n',
    );
    expect(await print('files', 'restore', first, '--dry-run')).toBe('M  a.txt\nD  b.txt\nA  src/\nA  src/m.js\n');
    expect(textIn(folder, 'a.txt')).toBe('two\n');
    expect(await print('files', 'restore', first)).toBe('Brought back 4 paths.\n');
    expect(readdirSync(folder).sort()).toEqual(['.env', '.git', '.gitignore', 'a.txt', 'node_modules', 'src']);
    expect([textIn(folder, 'a.txt'), textIn(folder, 'src/m.js'), textIn(folder, 'node_modules/dep.js')]).toEqual([
      'one\n',
      'm\n',
      'dep',
    ]);
    expect(await print('files', 'undo')).toBe('Took back 4 paths.\n');
    expect([textIn(folder, 'a.txt'), textIn(folder, 'b.txt')]).toEqual(['two\n', 'new\n']);
    expect(await print('files', 'undo')).toBe('Took back 4 paths.\n');
    expect(textIn(folder, 'a.txt')).toBe('one\n');
  }));

test('who has restored another node brings back what was made where they stand by its name', () =>
  withCommands(async ({ folder, print, first }) => {
    await print('files', 'restore', first);
    expect(await print('files', 'restore', '@', '--dry-run')).toBe('M  a.txt\nA  b.txt\nD  src/\nD  src/m.js\n');
    expect(await print('files', 'restore', '@')).toBe('Brought back 4 paths.\n');
    expect([textIn(folder, 'a.txt'), textIn(folder, 'b.txt')]).toEqual(['two\n', 'new\n']);
    expect(await print('files', 'restore', '@')).toBe('Nothing was changed.\n');
    await print('files', 'undo');
    expect(textIn(folder, 'a.txt')).toBe('one\n');
  }));

test('what somebody changed since stays and is named, also after an undo, unless it is to be exact', () =>
  withCommands(async ({ folder, print, first }) => {
    writeFileSync(join(folder, 'a.txt'), 'mine\n');
    writeFileSync(join(folder, 'other.txt'), 'mine too\n');
    expect(await print('files', 'status')).toMatch(/M {2}a\.txt\nA {2}other\.txt\n$/);
    const restored = 'Brought back 3 paths.\nleft  a.txt: changed since\nleft  other.txt: changed since\n';
    expect(await print('files', 'restore', first)).toBe(restored);
    expect(textIn(folder, 'a.txt')).toBe('mine\n');
    await print('files', 'undo');
    expect(await print('files', 'restore', first)).toBe(restored);
    expect(await print('files', 'restore', first, '--exact')).toBe('Brought back 2 paths.\n');
    expect(readdirSync(folder)).not.toContain('other.txt');
    await print('files', 'undo');
    expect([textIn(folder, 'a.txt'), textIn(folder, 'other.txt')]).toEqual(['mine\n', 'mine too\n']);
  }));

test('what is not recorded is told, once, and a restore leaves it', () =>
  withCommands(async ({ folder, run, print, first }) => {
    const told = '(big is not recorded: it is too large)\n(pipe is not recorded: it is not a file)\n';
    const command = 'mkfifo pipe; truncate -s 60M big';
    expect(await run(['exec', '@', command])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await run(['exec', '@', 'true'])).stderr).toBe(told);
    expect((await run(['exec', '@', 'true'])).stderr).toBe('');
    await print('files', 'restore', first);
    expect(statSync(join(folder, 'big')).size).toBe(60 * 1024 * 1024);
    expect(await print('files', 'status')).toContain('not recorded  big: too large\n');
  }));

test('a command that follows at once changes nothing of what is recorded for the one before', () =>
  withCommands(async ({ folder, print, first }) => {
    for (let count = 0; count < 5; count += 1) await print('exec', '@', `echo ${count} > a.txt`);
    const shown = await print('show', '--ids');
    for (let count = 4; count >= 0; count -= 1) {
      const node = new RegExp(`(\\w{8}) \\[bash:echo ${count} `).exec(shown)?.[1] ?? '';
      await print('files', 'restore', node);
      expect(textIn(folder, 'a.txt')).toBe(`${count}\n`);
    }
    await print('files', 'restore', first);
    expect(textIn(folder, 'a.txt')).toBe('one\n');
  }));

test('a home folder is more than a project, and nothing is recorded where a preference says so', () =>
  withCli(async ({ folder, home, run, print }) => {
    const person = userHomeBeside(folder);
    await print('new', 'work');
    const refused = await run(['files', 'status'], { folder: person });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('it is more than a project') });
    expect(refused.stderr).toContain('hint: begin in the folder of a project');
    await print('config', 'set', 'files.record', 'false');
    await print('exec', '@', 'echo one > a.txt');
    expect(readdirSync(home)).not.toContain('files');
    expect((await run(['files', 'restore', '@'])).stderr).toContain('no files of');
    expect((await run(['files', 'undo'])).stderr).toContain('no files were restored here');
  }));

test('what only a purged conversation had recorded is gone, and nothing else', () =>
  withCommands(async ({ folder, home, print, first }) => {
    await print('new', 'other');
    await print('exec', '@', 'echo other > c.txt');
    await print('purge', 'other', '--yes');
    expect(JSON.parse(await print('fsck', '--json'))).toMatchObject({ problems: [] });
    await print('use', 'work');
    await print('files', 'restore', first, '--exact');
    expect(readdirSync(folder)).not.toContain('c.txt');
    await print('purge', 'work', '--yes');
    const [store = ''] = readdirSync(join(home, 'files'));
    expect(readdirSync(join(home, 'files', store, 'packs'))).toEqual([]);
  }));

test('a patch of what differs is what git applies, and a comparison tells what each branch has changed', () =>
  withCommands(async ({ folder, print, first }) => {
    const patch = await print('files', 'diff', first, '@', '--patch');
    expect(patch).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n');
    const other = join(folder, '..', 'other');
    mkdirSync(join(other, 'src'), { recursive: true });
    writeFileSync(join(other, 'a.txt'), 'one\n');
    writeFileSync(join(other, 'src/m.js'), 'm\n');
    const { status } = spawnSync('git', ['apply'], { cwd: other, input: patch });
    expect([status, textIn(other, 'a.txt'), textIn(other, 'b.txt')]).toEqual([0, 'two\n', 'new\n']);
    const compared = await print('compare', '@', first, '@');
    expect(compared).toMatch(/Only in \w{8}: 1 node\n.*\n {2}M {2}a\.txt {2}\+1 -1\n {2}A {2}b\.txt/);
    expect(await print('compare', '@', first, '@', '--patch')).toBe(patch);
  }));

test('a script takes files along where it says so, and says what becomes of what was changed in between', () =>
  withCommands(async ({ folder, run, print, first }) => {
    const chat = (...lines: string[]) =>
      run(['chat', '@', '--files'], { input: lines.map((line) => `${line}\n`).join('') });
    const second = /(\w{8}) \[bash:echo two/.exec(await print('show', '--ids'))?.[1] ?? '';
    expect((await run(['chat', '@'], { input: `/goto ${first}\n` })).code).toBe(0);
    expect(textIn(folder, 'a.txt')).toBe('two\n');
    await chat('/files here');
    expect(textIn(folder, 'a.txt')).toBe('one\n');
    writeFileSync(join(folder, 'a.txt'), 'mine\n');
    expect((await chat(`/goto ${second}`)).stderr).toContain('hint: with --carry they are taken along');
    expect(textIn(folder, 'a.txt')).toBe('mine\n');
    await chat(`/goto ${second} --leave`);
    expect(textIn(folder, 'a.txt')).toBe('two\n');
    await chat(`/goto ${first}`);
    expect(textIn(folder, 'a.txt')).toBe('mine\n');
  }));

test('a question is asked where the files are those of its node, when it says so', () =>
  withCommands(async ({ folder, run, first }) => {
    const ask = (...words: string[]) => run(['ask', '@', 'list the files', '--at', first, '--model', 'demo', ...words]);
    expect((await ask()).code).toBe(0);
    expect(textIn(folder, 'a.txt')).toBe('two\n');
    writeFileSync(join(folder, 'own.txt'), 'own\n');
    expect((await ask('--files')).stderr).toContain('1 file: own.txt');
    expect((await ask('--carry')).stderr).toContain('as they were there');
    expect([textIn(folder, 'a.txt'), textIn(folder, 'own.txt')]).toEqual(['one\n', 'own\n']);
  }));
