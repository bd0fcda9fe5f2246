import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallContext } from '../../../../hub/base/plugin.js';
import type { ToolParts } from '../../../../tools/base/tool_parts.js';
import { createProjectList } from '../../../../tools/file/project/list_project.js';
import { HOSTILE, listedByGit, plant } from './hostile_repositories.js';

let top = '';
let folder = '';
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'list-')));
  folder = join(top, 'project');
  mkdirSync(folder);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

let nowMs = 0;
const machine = () => ({ userHome: join(top, 'person'), cognitionHome: join(top, 'home'), commands: '', path: '' });
const open = () => createProjectList({ clock: () => nowMs, machine: machine() } as ToolParts);

/** All that is told, when everything has been told. */
async function listed(
  below = folder,
  { list = open(), signal = new AbortController().signal } = {},
): Promise<string[]> {
  const found: string[] = [];
  const emit = (event: object) => void found.push(...(event as { paths: string[] }).paths);
  const context: CallContext = {
    signal,
    caller: { kind: 'internal' },
    emit,
    hasRoom: () => true,
    drained: () => Promise.resolve(),
  };
  const { count } = await list({ folder: below, stream: 'a' }, context);
  expect(count).toBe(found.length);
  return found.toSorted();
}

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), 'content');
  }
}

const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });

test('in a repository the files are those that git knows or would', async () => {
  write('tracked.ts', 'new file.ts', 'Ünï/漢字.txt', 'Ünï/x.log', 'ignored.log', 'node_modules/x/index.js', 'kept.log');
  writeFileSync(join(folder, '.gitignore'), '*.log\nnode_modules\n');
  git('init');
  git('add', '-f', 'tracked.ts', 'kept.log');
  expect(await listed()).toEqual(['.gitignore', 'kept.log', 'new file.ts', 'tracked.ts', 'Ünï/漢字.txt'].toSorted());
  expect(await listed(join(folder, 'Ünï'))).toEqual(['漢字.txt']);
});

test('whoever works in a folder that is ignored is told its files', async () => {
  write('dist/a.js', 'dist/deep/b.js');
  writeFileSync(join(folder, '.gitignore'), 'dist\n');
  git('init');
  expect(await listed()).toEqual(['.gitignore']);
  expect(await listed(join(folder, 'dist'))).toEqual(['a.js', 'deep/b.js']);
});

test('what git knows and is not there is not told, and names that nobody can write are left out', async () => {
  write('a.ts', 'gone.ts', 'two\nlines.ts', 'tab\t.ts', 'staged.ts');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff, 0x67])]), 'no UTF-8');
  git('init');
  git('add', 'a.ts', 'gone.ts', 'staged.ts', 'two\nlines.ts');
  rmSync(join(folder, 'gone.ts'));
  expect(await listed()).toEqual(['a.ts', 'staged.ts']);
});

test('a submodule, a linked work tree and the rules of the person are those of git', async () => {
  write('inner/b.ts', 'a.ts', 'own.tmp');
  const inner = (...words: string[]) => execFileSync('git', words, { cwd: join(folder, 'inner'), stdio: 'ignore' });
  inner('init');
  inner('add', '.');
  inner('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-m', 'one');
  git('init');
  git('-c', 'protocol.file.allow=always', 'submodule', 'add', './inner', 'inner');
  git('submodule', 'absorbgitdirs');
  write('inner/secret.key');
  writeFileSync(join(folder, '.git', 'modules', 'inner', 'info', 'exclude'), '*.key\n');
  mkdirSync(join(top, 'person', '.config', 'git'), { recursive: true });
  writeFileSync(join(top, 'person', '.config', 'git', 'ignore'), '*.tmp\n');
  expect(await listed()).toEqual(['.gitmodules', 'a.ts', 'inner/b.ts']);
  writeFileSync(join(top, 'person', '.gitconfig'), '[user]\n\tname = a\n[core]\n\texcludesFile = ~/mine\n');
  writeFileSync(join(top, 'person', 'mine'), 'a.ts\n');
  expect(await listed()).toEqual(['.gitmodules', 'inner/b.ts', 'own.tmp']);
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-m', 'one');
  writeFileSync(join(folder, '.git', 'info', 'exclude'), 'out\n');
  git('worktree', 'add', join(top, 'tree'));
  mkdirSync(join(top, 'tree', 'out'));
  for (const name of ['new.ts', 'out/c.ts']) writeFileSync(join(top, 'tree', name), '');
  expect(await listed(join(top, 'tree'))).toEqual(['.gitmodules', 'new.ts']);
});

test('without a repository the folders are walked, those of other programs left out', async () => {
  write('a.ts', 'deep/er/b.ts', 'node_modules/x/index.js', 'deep/c.log', 'kept/node_modules.ts');
  writeFileSync(join(folder, 'deep', '.ignore'), '*.log\n');
  mkdirSync(join(folder, '.git'));
  symlinkSync(folder, join(folder, 'around'));
  symlinkSync('self', join(folder, 'self'));
  expect(await listed()).toEqual(['a.ts', 'around', 'deep/.ignore', 'deep/er/b.ts', 'kept/node_modules.ts', 'self']);
});

test('a folder that is not there has no files, and an aborted listing ends', async () => {
  write('a.ts');
  expect(await listed(join(folder, 'nowhere'))).toEqual([]);
  expect(await listed(join(folder, 'a.ts'))).toEqual([]);
  expect(await listed(folder, { signal: AbortSignal.abort() })).toEqual(['a.ts']);
});

test('a folder that has not changed is not read again, and one that has is', async () => {
  write('a.ts', 'deep/b.ts');
  const list = open();
  nowMs = Date.now() + 60_000;
  expect(await listed(folder, { list })).toEqual(['a.ts', 'deep/b.ts']);
  write('deep/c.ts', 'new/d.ts');
  rmSync(join(folder, 'a.ts'));
  expect(await listed(folder, { list })).toEqual(['deep/b.ts', 'deep/c.ts', 'new/d.ts']);
  renameSync(join(folder, 'deep'), join(folder, 'moved'));
  writeFileSync(join(folder, '.ignore'), 'c.ts\n');
  expect(await listed(folder, { list })).toEqual(['.ignore', 'moved/b.ts', 'new/d.ts']);
  writeFileSync(join(folder, '.ignore'), 'b.ts\n');
  expect(await listed(folder, { list })).toEqual(['.ignore', 'moved/c.ts', 'new/d.ts']);
});

test.each(Object.entries(HOSTILE))('%s runs nothing; control: git does', async (_, how) => {
  const canary = join(top, 'canary');
  plant(folder, canary, how);
  expect(await listed()).toContain('app.ts');
  expect(existsSync(canary)).toBe(false);
  expect(listedByGit(folder, canary)).toBe(true);
});

test('a repository whose files are said to be elsewhere lists none of there', async () => {
  mkdirSync(join(top, 'person'));
  writeFileSync(join(top, 'person', 'private.txt'), 'mine');
  write('app.ts');
  git('init');
  git('config', 'core.worktree', join(top, 'person'));
  expect(await listed()).toEqual(['app.ts']);
  const away = execFileSync('git', ['ls-files', '--others'], { cwd: join(folder, '.git', '..'), encoding: 'utf8' });
  expect(away).toContain('private.txt');
});

test('what a `.git` file, an index and rules say is nothing to trust', async () => {
  write('app.ts', 'b.log');
  mkdirSync(join(top, 'elsewhere', 'objects'), { recursive: true });
  for (const name of ['HEAD', 'refs', 'index']) writeFileSync(join(top, 'elsewhere', name), 'x');
  writeFileSync(join(folder, '.git'), `gitdir: ${top}/elsewhere\n`);
  writeFileSync(join(folder, '.gitignore'), `${'[a'.repeat(400)}\n${'*a'.repeat(400)}b\n[z-a]\n\\\n*.log\n`);
  write('a'.repeat(200));
  expect(await listed()).toEqual(['.gitignore', 'a'.repeat(200), 'app.ts']);
  rmSync(join(folder, '.git'));
  git('init');
  for (const index of [
    'DIRC',
    `DIRC\0\0\0\x02\xff\xff\xff\xff${'x'.repeat(100)}`,
    `DIRC\0\0\0\x04\0\xff\xff\xff${'\xff'.repeat(5_000)}`,
  ]) {
    writeFileSync(join(folder, '.git', 'index'), index, 'latin1');
    expect(await listed()).toEqual(['.gitignore', 'a'.repeat(200), 'app.ts']);
  }
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const name of ['.gitignore', '.git/index', '.git/info/exclude']) {
    rmSync(join(folder, name), { force: true });
    execFileSync('mkfifo', [join(folder, name)]);
  }
  expect(await listed()).toEqual(['a'.repeat(200), 'app.ts', 'b.log']);
});
