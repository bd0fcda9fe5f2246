import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listFiles } from '../../../../cli/repl/editor/completion/file_list.js';
import { openFileSource } from '../../../../cli/repl/editor/completion/file_source.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** All that is there, when everything has been told. */
async function listed(signal: AbortSignal = never, below = folder): Promise<string[]> {
  const found = new Set<string>();
  for await (const news of listFiles(below, signal)) {
    for (const path of news.found) found.add(path);
    for (const path of news.gone) found.delete(path);
  }
  return [...found].toSorted();
}

const never = new AbortController().signal;

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), 'content');
  }
}

const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });

test('in a repository the files are those that git knows or would', async () => {
  write('tracked.ts', 'new file.ts', 'Ünï/漢字.txt', 'ignored.log', 'node_modules/x/index.js');
  writeFileSync(join(folder, '.gitignore'), '*.log\nnode_modules\n');
  git('init');
  git('add', 'tracked.ts');
  expect(await listed()).toEqual(['.gitignore', 'new file.ts', 'tracked.ts', 'Ünï/漢字.txt'].toSorted());
  expect(await listed(never, join(folder, 'Ünï'))).toEqual(['漢字.txt']);
});

test('a repository cannot start a program of its own', async () => {
  write('a.ts', 'hook.sh');
  writeFileSync(join(folder, 'hook.sh'), '#!/bin/sh\ntouch started\n', { mode: 0o755 });
  git('init');
  git('config', 'core.fsmonitor', join(folder, 'hook.sh'));
  expect(await listed()).toEqual(['a.ts', 'hook.sh']);
});

test('what git knows and is not there is not told, and names that nobody can write are left out', async () => {
  write('a.ts', 'gone.ts', 'two\nlines.ts', 'tab\t.ts', 'staged.ts');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff, 0x67])]), 'no UTF-8');
  git('init');
  git('add', 'a.ts', 'gone.ts', 'staged.ts', 'two\nlines.ts');
  rmSync(join(folder, 'gone.ts'));
  expect(await listed()).toEqual(['a.ts', 'staged.ts']);
});

test('the files of a submodule are those of the project', async () => {
  write('inner/b.ts', 'inner/hook.sh');
  execFileSync('git', ['init'], { cwd: join(folder, 'inner'), stdio: 'ignore' });
  const inInner = (...words: string[]) => execFileSync('git', words, { cwd: join(folder, 'inner'), stdio: 'ignore' });
  inInner('add', '.');
  inInner('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-m', 'one');
  writeFileSync(join(folder, 'inner', 'hook.sh'), '#!/bin/sh\ntouch started\n', { mode: 0o755 });
  inInner('config', 'core.fsmonitor', join(folder, 'inner', 'hook.sh'));
  write('a.ts');
  git('init');
  git('-c', 'protocol.file.allow=always', 'submodule', 'add', './inner', 'inner');
  expect(await listed()).toEqual(['.gitmodules', 'a.ts', 'inner/b.ts', 'inner/hook.sh']);
});

test('without a repository the folders are walked, those of other programs left out', async () => {
  write('a.ts', 'deep/er/b.ts', 'node_modules/x/index.js');
  symlinkSync(folder, join(folder, 'around'));
  symlinkSync('self', join(folder, 'self'));
  expect(await listed()).toEqual(['a.ts', 'around', 'deep/er/b.ts', 'self']);
});

test('a folder that is not there has no files', async () => {
  expect(await listed(never, join(folder, 'nowhere'))).toEqual([]);
});

test('an aborted listing ends', async () => {
  write('a.ts');
  expect(await listed(AbortSignal.abort())).toEqual([]);
});

test('the list is read when it is first asked for, and again when it is old', async () => {
  write('a.ts');
  let nowMs = 0;
  let tell: () => void = () => undefined;
  const changed = () => new Promise<void>((resolve) => (tell = resolve));
  const source = openFileSource(folder, { changed: () => tell(), now: () => nowMs });
  const first = changed();
  expect(source.find('')).toEqual([]);
  await first;
  expect(source.find('')).toEqual(['a.ts']);
  write('b.ts');
  expect(source.find('')).toEqual(['a.ts']);
  const second = changed();
  // The first reading may still be going on: whoever asks later has it read again.
  const asking = setInterval(() => {
    nowMs += 60_000;
    source.find('');
  });
  await second;
  clearInterval(asking);
  expect(source.find('')).toEqual(['a.ts', 'b.ts']);
  source.close();
});
