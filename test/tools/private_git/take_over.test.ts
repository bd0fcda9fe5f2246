import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../sandbox/contained.js';
import { withModelGit } from './model_git.js';
import type { ModelGit } from './open_model_git.js';

const state = ({ person }: ModelGit): string =>
  [
    person('branch', '--show-current'),
    person('log', '--topo-order', '--format=%s', '--all'),
    person('status', '--porcelain'),
  ].join('');

describe.each(KINDS)('taking over in %s', (kind) => {
  test('commits on the branch of the person, with their index, in one line', () =>
    withModelGit({ kind }, async (world) => {
      const { model, take, person, write } = world;
      await model(
        'echo two >file && echo n >new && git add . && git commit -qm second && git commit -q --allow-empty -m third',
      );
      write('file', 'three\n');
      expect(await take()).toEqual(['2 commits from the model on main']);
      expect(state(world)).toBe('main\nthird\nsecond\nfirst\n M file\n');
      expect(person('log', '-1', '--format=%an <%ae>')).toBe('m <m@m>\n');
      expect(person('reflog', '-1', '--format=%gs')).toBe('cognition: 2 commits from the model on main\n');
      expect(person('fsck', '--strict', '--no-dangling')).toBe('');
      expect(await take()).toEqual([]);
    }));

  test('a branch that the model made and is on', () =>
    withModelGit({ kind }, async (world) => {
      await world.model('git switch -qc side/one && echo x >n && git add n && git commit -qm n && git tag v1');
      expect(await world.take()).toEqual([
        '1 commit from the model on the new side/one',
        'the model made v1',
        'you are on side/one now, as the model is',
      ]);
      expect(state(world)).toBe('side/one\nn\nfirst\n');
    }));

  test('a first commit, where the person has none', () =>
    withModelGit({ kind, plain: true }, async (world) => {
      world.person('init', '-q', '-b', 'main');
      await world.model('echo x >n && git add n && git commit -qm n');
      expect(await world.take()).toEqual(['1 commit from the model on the new main']);
      expect(state(world)).toBe('main\nn\n');
    }));

  test('what was rewritten, put aside, deleted or committed on no branch is kept and told once', () =>
    withModelGit({ kind }, async (world) => {
      const { model, take, person } = world;
      person('branch', 'old');
      await model('echo z >file && git stash -q && git commit -q --amend -m other && git branch -D old');
      expect(await take()).toEqual([
        'the model rewrote main: its own is kept, to be taken with: cognition git take main',
        'the model has put changes aside: git stash apply refs/cognition/stash',
        'the model deleted old: yours stays',
      ]);
      expect(await take()).toEqual([]);
      expect(person('log', '--format=%s', 'main')).toBe('first\n');
      expect(person('log', '--format=%s', 'refs/cognition/main')).toBe('other\n');
      person('stash', 'apply', '-q', 'refs/cognition/stash');
      expect(person('status', '--porcelain')).toBe(' M file\n');
      await model('git switch -q --detach && git commit -q --allow-empty -m nowhere');
      expect(await take()).toEqual(['the model works on no branch: its commits are kept as refs/cognition/HEAD']);
      expect(person('log', '-1', '--format=%s', 'refs/cognition/HEAD')).toBe('nowhere\n');
    }));

  test('what the person committed or staged meanwhile is not lost', () =>
    withModelGit({ kind }, async (world) => {
      const { model, take, person, write } = world;
      await model('echo m >file && git commit -qam of-the-model');
      write('theirs', 'p\n');
      person('add', 'theirs');
      person('commit', '-qm', 'of the person');
      expect(await take()).toEqual([
        'the model rewrote main: its own is kept, to be taken with: cognition git take main',
      ]);
      expect(person('log', '--format=%s')).toBe('of the person\nfirst\n');
    }));

  test('a staged file that the model has committed otherwise', () =>
    withModelGit({ kind }, async (world) => {
      const { model, take, person, write } = world;
      await model('echo m >file && git commit -qam of-the-model');
      write('file', 'staged\n');
      person('add', 'file');
      expect(await take()).toEqual([
        "what you have staged stands against the model's main, which is kept, to be taken with: cognition git take main",
      ]);
      expect(state(world)).toBe('main\nof-the-model\nfirst\nM  file\n');
    }));

  test('what is staged and not in the way stays staged', () =>
    withModelGit({ kind }, async (world) => {
      world.write('mine', 'p\n');
      world.person('add', 'mine');
      await world.model('echo m >file && git commit -qm of-the-model file');
      expect(await world.take()).toEqual(['1 commit from the model on main']);
      expect(state(world)).toBe('main\nof-the-model\nfirst\nA  mine\n');
    }));

  test('commits that add a submodule are not taken over, others beside them are', () =>
    withModelGit({ kind }, async (world) => {
      const { model, take, person } = world;
      await model(
        'git branch good && git init -q sub && git -C sub commit -q --allow-empty -m s && git add sub 2>/dev/null && git commit -qm sub && git switch -q good && echo x >n && git add n && git commit -qm n',
      );
      expect(await take()).toEqual([
        '1 commit from the model on the new good',
        'you are on good now, as the model is',
        'commits of the model on main were not taken over: they add a submodule, in which your git would run what it holds',
      ]);
      expect(person('log', '--topo-order', '--format=%s', '--all')).toBe('n\nfirst\n');
    }));

  test('objects that are missing, hidden or wrong', () =>
    withModelGit({ kind }, async (world) => {
      const { model, take, person } = world;
      await model('echo x >n && git add n && git commit -qm n && rm -rf .git/objects/??');
      expect((await take().catch((error: Error) => [error.message]))[0]).toMatch(/git did not work|not taken over/);
      expect(person('log', '--topo-order', '--format=%s', '--all')).toBe('first\n');
      expect(existsSync(join(world.project, '.git/index.lock'))).toBe(false);
    }));

  test('what cannot be read is told once', () =>
    withModelGit({ kind }, async ({ model, take, person }) => {
      await model('git update-ref refs/heads/x "$(git commit-tree -m x HEAD^{tree})" && rm -rf .git/objects/??');
      await expect(take()).rejects.toThrow('git did not work');
      expect(await take()).toEqual([]);
      await model('git commit -q --allow-empty -m again && git update-ref -d refs/heads/x');
      expect(await take()).toEqual(['1 commit from the model on main']);
      expect(person('branch')).toBe('* main\n');
    }));

  test('in the middle of a merge of the person their branch stays', () =>
    withModelGit({ kind }, async ({ model, take, person, write }) => {
      person('switch', '-qc', 'side');
      write('file', 'side\n');
      person('commit', '-qam', 'side');
      person('switch', '-q', 'main');
      await model('git commit -q --allow-empty -m m');
      person('merge', '-q', '--no-ff', '--no-commit', 'side');
      expect(await take()).toEqual([
        "you are in the middle of a merge or the like: the model's main is kept, to be taken with: cognition git take main",
      ]);
      expect(person('log', '--format=%s', 'main')).toBe('first\n');
    }));

  test('more branches than anybody wants', () =>
    withModelGit({ kind }, async ({ model, take, person }) => {
      await model(
        'for i in $(seq 300); do echo "create refs/heads/b$i $(git rev-parse HEAD)"; done | git update-ref --stdin',
      );
      expect(await take()).toEqual(['the model made or moved 300 branches and tags: none of them was taken over']);
      expect(person('branch')).toBe('* main\n');
    }));

  test('a repository with longer names of objects', () =>
    withModelGit({ kind, plain: true }, async ({ model, take, person, write }) => {
      person('init', '-q', '-b', 'main', '--object-format=sha256');
      write('file', 'one\n');
      person('add', '.');
      person('commit', '-qm', 'first');
      await model('echo two >file && git commit -qam second');
      expect(await take()).toEqual(['1 commit from the model on main']);
      expect(person('status', '--porcelain')).toBe('');
    }));

  test.each(['.git', '..', '.GIT', 'a/b', ''])('a tree with the name %j', (name) =>
    withModelGit({ kind }, async ({ model, take, person }) => {
      await model(
        `blob=$(echo x | git hash-object -w --stdin)
        sub=$(printf "100644 config\\0$(echo $blob | sed 's/../\\\\x&/g')" | git hash-object -w -t tree --stdin --literally)
        tree=$(printf "40000 %s\\0$(echo $sub | sed 's/../\\\\x&/g')" '${name}' | git hash-object -w -t tree --stdin --literally)
        git update-ref refs/heads/evil $(git commit-tree -m evil -p main $tree)`,
      );
      expect((await take().catch((error: Error) => [error.message]))[0]).toMatch(/git did not work|not taken over/);
      expect(person('branch')).toBe('* main\n');
    }),
  );

  test('no hook, filter or setting of anybody runs', () =>
    withModelGit({ kind }, async ({ model, take, person, project, folder, write }) => {
      const canary = join(folder, 'canary');
      const evil = join(folder, 'evil');
      writeFileSync(evil, `#!/bin/sh\ntouch ${canary}\n`);
      chmodSync(evil, 0o755);
      for (const key of [
        'core.fsmonitor',
        'core.hooksPath',
        'core.editor',
        'filter.f.clean',
        'core.sshCommand',
        'gpg.program',
      ]) {
        person('config', key, evil);
      }
      mkdirSync(join(project, '.git/hooks'), { recursive: true });
      for (const hook of ['reference-transaction', 'post-index-change', 'post-checkout', 'post-commit']) {
        execFileSync('cp', [evil, join(project, '.git/hooks', hook)]);
      }
      write('.gitattributes', '* filter=f\n');
      await model(
        'git -c core.hooksPath= add . && git commit -qm n && git config core.hooksPath /tmp && git config core.fsmonitor evil',
      );
      expect(await take()).toEqual(['1 commit from the model on main']);
      expect(existsSync(canary)).toBe(false);
    }));
});
