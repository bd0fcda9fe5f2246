import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../sandbox/contained.js';
import { withModelGit } from './model_git.js';

describe.each(KINDS)('a private git folder in %s', (kind) => {
  test('a model edits, commits, switches, stashes; nothing of the git of the person changes', () =>
    withModelGit({ kind }, async ({ model, person, write, project }) => {
      const before = tree(join(project, '.git'));
      write('file', 'two\n');
      expect(await model('git status --porcelain')).toBe(' M file\n');
      expect(
        await model(
          'git add . && git commit -qm second && git switch -qc side && echo three >file && git stash -q && git log --format=%s && git branch',
        ),
      ).toBe('second\nfirst\n  main\n* side\n');
      expect(await model('git config core.hooksPath evil && git config core.hooksPath')).toBe('evil\n');
      expect(tree(join(project, '.git'))).toEqual(before);
      expect(person('log', '--format=%s')).toBe('first\n');
    }));

  test('what the person does comes in, but where the model has changed the same', () =>
    withModelGit({ kind }, async ({ model, person, write }) => {
      await model('git switch -qc side && echo x >new && git add new && git commit -qm of-the-model');
      write('file', 'two\n');
      person('commit', '-qam', 'of the person');
      person('branch', 'other');
      expect(await model('git log --format=%s main; git log --format=%s side; git branch')).toBe(
        'of the person\nfirst\nof-the-model\nfirst\n  main\n  other\n* side\n',
      );
      person('branch', '-D', 'other');
      expect(await model('git branch')).toBe('  main\n* side\n');
    }));

  test('what the person staged is staged for the model, until it has staged itself', () =>
    withModelGit({ kind }, async ({ model, person, write }) => {
      write('file', 'two\n');
      person('add', 'file');
      expect(await model('git status --porcelain')).toBe('M  file\n');
      await model('echo a >mine && git add mine');
      write('theirs', 'b\n');
      person('add', 'theirs');
      expect(await model('git status --porcelain')).toBe('M  file\nA  mine\n?? theirs\n');
    }));

  test('a branch that the person switches to is that of the model, with its index', () =>
    withModelGit({ kind }, async ({ model, person, write }) => {
      expect(await model('git branch --show-current')).toBe('main\n');
      person('switch', '-qc', 'next');
      write('added', 'a\n');
      person('add', 'added');
      person('commit', '-qm', 'added');
      expect(await model('git branch --show-current; git status --porcelain; git log -1 --format=%s')).toBe(
        'next\nadded\n',
      );
    }));

  test('in a folder without a repository a model makes one for itself', () =>
    withModelGit({ kind, plain: true }, async ({ model, project }) => {
      await model('git init -q -b main && echo x >f && git add . && git commit -qm own && git ls-files');
      expect(readdirSync(project)).toEqual(['f']);
      expect(await model('git log --format=%s')).toBe('own\n');
    }));

  test('linked work trees and submodules have private folders, too', () =>
    withModelGit({ kind }, async ({ model, person, project, folder }) => {
      const real = join(folder, 'main');
      execFileSync('cp', ['-a', project, real]);
      execFileSync('rm', ['-rf', project]);
      execFileSync('git', ['-C', real, 'worktree', 'add', '-q', '-b', 'linked', project]);
      expect(
        await model('git branch --show-current; echo x >n; git add n; git commit -qm n; git log --format=%s'),
      ).toBe('linked\nn\nfirst\n');
      expect(person('log', '--format=%s')).toBe('first\n');
    }));

  test('a .git file that names the repository of somebody else shows nothing of it', () =>
    withModelGit({ kind, plain: true }, async ({ model, project, folder }) => {
      const other = join(folder, 'other');
      execFileSync('git', ['init', '-q', other]);
      writeFileSync(join(project, '.git'), `gitdir: ${other}/.git\n`);
      expect(await model('git status 2>&1 || ls -A')).toContain('.git');
      await expect(model('git status')).rejects.toThrow(/not a git repository/);
    }));

  test('a private folder that a model has emptied or replaced is made anew', () =>
    withModelGit({ kind }, async ({ model, home, folder }) => {
      await model('rm -rf .git 2>/dev/null; true');
      expect(await model('git log --format=%s')).toBe('first\n');
      await model(
        'rm -rf .git/refs .git/HEAD && ln -s /etc .git/refs && ln -s /etc/passwd .git/HEAD; rm -rf .git/objects',
      );
      expect(await model('git log --format=%s')).toBe('first\n');
      await model('echo "[" >.git/config; rm -rf .git/info; ln -s "$HOME" .git/info');
      symlinkSync('nowhere', join(folder, 'project/changed'));
      execFileSync('git', ['-C', join(folder, 'project'), 'branch', 'changed']);
      expect(await model('git branch')).toBe('  changed\n* main\n');
      expect(readdirSync(home)).toEqual(['kept']);
    }));

  test('passwords in addresses, hooks and what else runs programs are not copied; filters are', () =>
    withModelGit({ kind }, async ({ model, person, project }) => {
      const settings: [string, string][] = [
        ['remote.origin.url', 'https://me:CANARY@example.org/x.git'],
        ['http.extraHeader', 'CANARY'],
        ['core.sshCommand', 'CANARY'],
        ['filter.keep.clean', 'cat'],
        ['branch.main.description', 'two\n"lines" \\'],
      ];
      for (const [key, value] of settings) person('config', key, value);
      mkdirSync(join(project, '.git/hooks'), { recursive: true });
      writeFileSync(join(project, '.git/hooks/pre-commit'), 'CANARY');
      expect(await model('grep -rs CANARY .git || git config remote.origin.url; git config filter.keep.clean')).toBe(
        'https://example.org/x.git\ncat\n',
      );
      expect(await model('git config branch.main.description')).toBe('two\n"lines" \\\n');
    }));
});

/** Names and content of all files below a folder. */
function tree(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => join(realpathSync(entry.parentPath ?? entry.path), entry.name))
      .map((path) => [path, readFileSync(path, 'latin1')]),
  );
}
