import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importedPaths } from '../../../../tools/file/project/imported_paths.js';
import { readProject } from '../../../../tools/file/project/read_project.js';

let top = '';
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'instructions-')));
  for (const folder of ['project', 'person', 'home']) mkdirSync(join(top, folder));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
}

function read(cwd = 'project', project = 'project') {
  const machine = { userHome: join(top, 'person'), cognitionHome: join(top, 'home'), commands: '', path: '' };
  const place = { project: join(top, project), branch: null, caller: join(top, cwd) };
  const parts = ['instructions' as const, 'environment' as const];
  const found = readProject({ machine, clock: () => Date.UTC(2026, 10, 19, 12) }, { ...place, parts });
  const short = (path: string): string => path.replace(`${top}/`, '');
  return {
    files: found.instructions.map(({ path, text }) => [short(path), text]),
    cut: found.instructions.flatMap(({ path, cut }) => (cut ? [short(path)] : [])),
    refused: found.refused.map(short),
    environment: found.environment,
  };
}

test('both names count beside each other and the person’s own files before them, and the same text once', () => {
  write({
    'home/AGENTS.md': 'one',
    'home/CLAUDE.md': 'two',
    'person/.agents/AGENTS.md': 'three',
    'person/.claude/CLAUDE.md': 'two\n',
    'project/AGENTS.md': 'four',
    'project/CLAUDE.md': 'five',
    'project/CLAUDE.local.md': 'six',
    'project/deep/AGENTS.md': ' four ',
    'project/deep/CLAUDE.md': 'seven',
  });
  symlinkSync('CLAUDE.md', join(top, 'project', 'deep', 'CLAUDE.local.md'));
  expect(read('project/deep').files).toEqual([
    ...[
      ['home/AGENTS.md', 'one'],
      ['home/CLAUDE.md', 'two'],
      ['person/.agents/AGENTS.md', 'three'],
    ],
    ...[
      ['project/AGENTS.md', 'four'],
      ['project/CLAUDE.md', 'five'],
      ['project/CLAUDE.local.md', 'six'],
    ],
    ['project/deep/CLAUDE.md', 'seven'],
  ]);
});

test('what a file imports follows it, each file once, however they name each other', () => {
  write({
    'project/AGENTS.md': 'See @docs/style.md, ( @docs/a\\ b.md) and @CLAUDE.md.',
    'project/CLAUDE.md': '@AGENTS.md',
    'project/docs/style.md': 'Tabs. @../docs/style.md @more.md#part @nowhere.md @/lib/utils @docs',
    'project/docs/more.md': 'More. @../AGENTS.md',
    'project/docs/a b.md': 'Blank.',
    'project/docs/binary': 'a\0b',
  });
  const { files, refused } = read();
  expect(files.map(([path]) => path)).toEqual(
    ['AGENTS.md', 'docs/style.md', 'docs/more.md', 'docs/a b.md', 'CLAUDE.md'].map((name) => `project/${name}`),
  );
  expect(refused).toEqual([]);
});

test('imports are followed five deep', () => {
  write({
    'project/AGENTS.md': '@1.md',
    ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`project/${n}.md`, `${n} @${n + 1}.md`])),
  });
  expect(read().files.map(([path]) => path)).toEqual(
    ['AGENTS.md', '1.md', '2.md', '3.md', '4.md', '5.md'].map((name) => `project/${name}`),
  );
});

test('a file of the project imports nothing from outside of it, by no way', () => {
  write({
    'person/.ssh/id': 'SECRET',
    'person/.claude/notes.md': 'SECRET',
    'outside.md': 'SECRET',
    'project/AGENTS.md': '@~/.ssh/id @~/.claude/notes.md @../outside.md @link.md @folder/outside.md',
    'project/CLAUDE.md': `@${top}/outside.md @.env`,
    'project/.env': 'KEY',
  });
  symlinkSync('../outside.md', join(top, 'project', 'link.md'));
  symlinkSync('..', join(top, 'project', 'folder'));
  const { files, refused } = read();
  expect(JSON.stringify(files)).not.toContain('SECRET');
  expect(refused).toEqual([
    'person/.ssh/id',
    'person/.claude/notes.md',
    'outside.md',
    'project/link.md',
    'project/folder/outside.md',
  ]);
});

test('a file of the person’s imports from anywhere, but no secrets and nothing through the project that leads out of it', () => {
  write({
    'person/.claude/CLAUDE.md': '@rules.md @~/.ssh/id @~/notes/all.md @../../project/style.md @../../project/link.md',
    'person/.claude/rules.md': 'rules',
    'person/.ssh/id': 'SECRET',
    'person/notes/all.md': 'all',
    'outside.md': 'SECRET',
    'project/style.md': 'style @../outside.md',
  });
  symlinkSync('../outside.md', join(top, 'project', 'link.md'));
  const { files, refused } = read();
  expect(files.slice(1)).toEqual([
    ...[
      ['person/.claude/rules.md', 'rules'],
      ['person/notes/all.md', 'all'],
    ],
    ['project/style.md', 'style @../outside.md'],
  ]);
  expect(refused).toEqual(['person/.ssh/id', 'outside.md', 'project/link.md']);
});

test('a file of the person’s that is a link to one of the project is held to the rules of the project', () => {
  write({ 'project/AGENTS.md': 'tabs @~/.claude/notes.md', 'person/.claude/notes.md': 'SECRET' });
  symlinkSync(join(top, 'project', 'AGENTS.md'), join(top, 'home', 'AGENTS.md'));
  expect(read()).toMatchObject({
    files: [['project/AGENTS.md', 'tabs @~/.claude/notes.md']],
    refused: ['person/.claude/notes.md'],
  });
});

test('in the home folder the person’s own files count as such', () => {
  write({
    'person/.claude/CLAUDE.md': 'own @~/.claude/rules.md',
    'person/.claude/rules.md': 'rules',
    'person/AGENTS.md': 'of home',
  });
  expect(read('person', 'person').files.map(([, text]) => text)).toEqual([
    'own @~/.claude/rules.md',
    'rules',
    'of home',
  ]);
});

test('a file that is cut says so, and where it goes on', () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `Line ${index + 1} ${'x'.repeat(50)}`);
  write({ 'project/AGENTS.md': lines.join('\n'), 'project/CLAUDE.md': 'short' });
  const { files, cut } = read();
  expect(cut).toEqual(['project/AGENTS.md']);
  const [text = ''] = files.map(([, one]) => one ?? '');
  const [, next = ''] = /\n\n\[cut here: the file has 59892 bytes; the rest begins at line (\d+)\]$/.exec(text) ?? [];
  const told = text.split('\n').slice(0, -2);
  expect(told).toEqual(lines.slice(0, Number(next) - 1));
  expect(told.length).toBeGreaterThan(500);
});

test('all that is read has an end', () => {
  const many = Array.from({ length: 40 }, (_, index) => `${index}.md`);
  write({
    'project/AGENTS.md': many.map((name) => `@${name}`).join(' '),
    ...Object.fromEntries(many.map((name) => [`project/${name}`, `${name} ${'x'.repeat(20_000)}`])),
  });
  const { files, cut } = read();
  expect(JSON.stringify(files).length).toBeLessThan(270_000);
  expect(cut.length).toBeGreaterThan(0);
});

test('paths in code, addresses and handles are no imports', () => {
  const text =
    'me@example.org `@a.md` ``x ` @b.md`` @c.md\n```sh\n@d.md\n```js\n```\n~~~\n@e.md\n```\n~~~\n  @f.md!\n```@g``` @h.md';
  expect(importedPaths(text)).toEqual(['c.md', 'f.md', 'h.md']);
  expect(importedPaths('`'.repeat(32_768))).toEqual([]);
  expect(importedPaths('` `` '.repeat(6_000))).toEqual([]);
  expect(importedPaths('@a '.repeat(1_000))).toHaveLength(100);
});

test('a model is told the day, the system and the branch that git would name', () => {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: join(top, 'project'), stdio: 'pipe' })
      .toString()
      .trim();
  mkdirSync(join(top, 'project', 'deep'));
  expect(read().environment).toMatchObject({ date: '2026-11-19', branch: null });
  git('init', '-b', 'work/été');
  expect(read('project/deep').environment?.branch).toBe('work/été');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--allow-empty', '-m', 'one');
  git('checkout', '--detach');
  expect(read().environment?.branch).toBe(`none, at commit ${git('rev-parse', 'HEAD').slice(0, 12)}`);
  git('worktree', 'add', '-b', 'other', join(top, 'tree'));
  expect(read('tree', 'tree').environment?.branch).toBe('other');
  writeFileSync(join(top, 'project', '.git', 'HEAD'), 'ref: refs/heads/a\u001b[31m\n');
  expect(read().environment?.branch).toBe('not known');
});
