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
  expect((await listFiles(folder, never)).toSorted()).toEqual(
    ['.gitignore', 'new file.ts', 'tracked.ts', 'Ünï/漢字.txt'].toSorted(),
  );
  expect(await listFiles(join(folder, 'Ünï'), never)).toEqual(['漢字.txt']);
});

test('a repository cannot start a program of its own', async () => {
  write('a.ts', 'hook.sh');
  writeFileSync(join(folder, 'hook.sh'), '#!/bin/sh\ntouch started\n', { mode: 0o755 });
  git('init');
  git('config', 'core.fsmonitor', join(folder, 'hook.sh'));
  expect(await listFiles(folder, never)).toEqual(['a.ts', 'hook.sh']);
});

test('without a repository the folders are walked, those of other programs left out', async () => {
  write('a.ts', 'deep/er/b.ts', 'node_modules/x/index.js');
  symlinkSync(folder, join(folder, 'around'));
  expect(await listFiles(folder, never)).toEqual(['a.ts', 'around', 'deep/er/b.ts']);
});

test('a folder that is not there has no files', async () => {
  expect(await listFiles(join(folder, 'nowhere'), never)).toEqual([]);
});

test('a listing that is given up ends', async () => {
  write('a.ts');
  expect(await listFiles(folder, AbortSignal.abort())).toEqual([]);
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
  nowMs = 60_000;
  const second = changed();
  source.find('');
  await second;
  expect(source.find('')).toEqual(['a.ts', 'b.ts']);
  source.close();
});
