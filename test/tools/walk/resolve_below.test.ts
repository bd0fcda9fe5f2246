import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPinned } from '../../../tools/walk/pinned_folder.js';
import { resolveBelow, withRoot } from '../../../tools/walk/resolve_below.js';

let top = '';
let project = '';
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'resolve-')));
  project = join(top, 'project');
  mkdirSync(join(project, 'deep', 'er'), { recursive: true });
  writeFileSync(join(project, 'file'), 'inside');
  writeFileSync(join(top, 'secret'), 'SECRET');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** What is read at a path of the project, or why nothing is. */
function read(path: string, root = project): string {
  const found = withRoot(root, (pinned) =>
    resolveBelow(pinned, { path, held: project }, (file) => readPinned(file, 100)?.bytes.toString() ?? 'no file'),
  );
  if (found === null) return 'no root';
  return found.kind === 'found' ? found.value : found.kind;
}

const link = (target: string, ...name: string[]): void => symlinkSync(target, join(project, ...name));

test('links that stay in the project are followed, however they are written', () => {
  link('file', 'beside');
  link('../file', 'deep', 'up');
  link(join(project, 'file'), 'absolute');
  link('deep', 'folder');
  link('./folder/./up', 'twice');
  link(`${project}/deep/../absolute`, 'round');
  for (const name of ['file', 'beside', 'deep/up', 'absolute', 'folder/up', 'twice', 'round', './/file']) {
    expect([name, read(name)]).toEqual([name, 'inside']);
  }
});

test('links that leave the project are refused, wherever they lead in the end', () => {
  link('../secret', 'out');
  link(join(top, 'secret'), 'absolute');
  link('..', 'deep', 'up');
  link('../..', 'deep', 'upper');
  link('../project/file', 'back');
  link('/', 'top');
  link(`${project}/../secret`, 'dotted');
  for (const name of ['out', 'absolute', 'deep/upper/secret', 'back', `top${top}/secret`, 'dotted', '../secret']) {
    expect([name, read(name)]).toEqual([name, 'outside']);
  }
  expect(read('deep/up/file')).toBe('inside');
});

test('what is no regular file is not waited for, and circles end', () => {
  execFileSync('mkfifo', [join(project, 'pipe')]);
  link('self', 'self');
  link('two', 'one');
  link('one', 'two');
  link('nowhere', 'dangling');
  expect(
    ['pipe', 'deep', 'self', 'one/x', 'dangling', 'file/x', 'file/', 'none', 'a\0b'].map((name) => read(name)),
  ).toEqual([...['no file', 'no file', 'absent', 'absent', 'absent', 'absent', 'absent', 'absent', 'absent']]);
});

test('from the top of the disk a link leads anywhere, but for one in the project that leads out of it', () => {
  const own = join(top, 'own');
  mkdirSync(own);
  symlinkSync('../secret', join(own, 'plain'));
  symlinkSync('../project/file', join(own, 'into'));
  symlinkSync('../project/planted', join(own, 'through'));
  link('../secret', 'planted');
  expect(['plain', 'into', 'through'].map((name) => read(join(own, name), '/'))).toEqual([
    'SECRET',
    'inside',
    'outside',
  ]);
});

test('a root that is a link, a file or nothing is none', () => {
  symlinkSync('project', join(top, 'linked'));
  for (const root of ['linked', 'secret', 'none']) expect(read('file', join(top, root))).toBe('no root');
});
