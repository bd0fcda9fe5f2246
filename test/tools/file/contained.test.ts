import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Policy } from '../../../hub/protocol/policy.js';
import { tries } from '../../support/mounts.js';
import { OPEN, refused, textOf, withFileTools } from './tool_calls.js';

test('links, dots and other spellings that lead out of the policy are refused, for reading and for writing', () =>
  withFileTools(async ({ client, folder, contained, put }) => {
    const outside = join(folder, '..', 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file.txt'), 'SECRET');
    await put('inside.txt', 'fine');
    await symlink(outside, join(folder, 'folder'));
    await symlink(join(outside, 'file.txt'), join(folder, 'file'));
    await symlink('folder', join(folder, 'twice'));
    await symlink('../outside/new.txt', join(folder, 'dangling'));
    for (const path of [
      'folder/file.txt',
      'file',
      'twice/file.txt',
      '../outside/file.txt',
      './/..//outside/./file.txt',
      'none/../../outside/file.txt',
      '../outside/none.txt',
      'folder/none.txt',
      'folder/none/none.txt',
      '/etc/shadow',
      '/proc/self/environ',
      `/proc/self/root${outside}/file.txt`,
      '/proc/self/cwd/file.txt',
    ]) {
      const params = { path, cwd: folder, policy: contained };
      expect([path, (await refused(client.call('file.read', params))).kind]).toEqual([path, 'unauthorised']);
      const { kind } = await refused(client.call('file.write', { ...params, content: 'x' }));
      expect([path, kind]).toEqual([path, 'unauthorised']);
      const change = { ...params, old_text: 'SECRET', new_text: 'x' };
      expect([path, (await refused(client.call('file.edit', change))).kind]).toEqual([path, 'unauthorised']);
    }
    const dangling = { path: join(folder, 'dangling'), content: 'x', policy: contained };
    expect((await refused(client.call('file.write', dangling))).kind).toBe('conflict');
    expect(await readdir(outside)).toEqual(['file.txt']);
    expect(await readFile(join(outside, 'file.txt'), 'utf8')).toBe('SECRET');
  }));

// As root, another process's root leads to whatever is mounted for it alone.
test.runIf(tries('unshare', ['--mount', 'true']))(
  'a path through another mount namespace is not mistaken for the path here',
  () =>
    withFileTools(async ({ client, folder, contained, put }) => {
      await mkdir(join(folder, 'disk'));
      await put('disk/file.txt', 'here');
      const script = 'mount -t tmpfs tmpfs "$0" && echo SECRET > "$0/file.txt" && echo ready && read line';
      const given = ['--mount', 'sh', '-c', script, join(folder, 'disk')];
      const other = spawn('unshare', given, { stdio: ['pipe', 'pipe', 'inherit'] });
      const ended = once(other, 'exit');
      await once(other.stdout, 'data');
      try {
        const through = `/proc/${other.pid}/root${folder}/disk/file.txt`;
        const params = { path: through, policy: contained };
        expect(await readFile(through, 'utf8')).toBe('SECRET\n');
        expect(textOf(await client.call('file.read', { ...params, policy: OPEN }))).toBe('SECRET');
        expect((await refused(client.call('file.read', params))).kind).toBe('conflict');
        expect((await refused(client.call('file.write', { ...params, content: 'x' }))).kind).toBe('conflict');
        await symlink(`/proc/${other.pid}/root${folder}/disk`, join(folder, 'alias'));
        const alias = { path: join(folder, 'alias/new.txt'), content: 'x', policy: contained };
        expect((await refused(client.call('file.write', alias))).kind).toBe('conflict');
        expect(await readFile(through, 'utf8')).toBe('SECRET\n');
      } finally {
        other.stdin.end();
        await ended;
      }
    }),
);

test('whether a hidden file exists is not revealed', () =>
  withFileTools(async ({ client, home, contained }) => {
    const read = (name: string) => refused(client.call('file.read', { path: `${home}/${name}`, policy: contained }));
    expect((await read('trees.db')).message).toBe(`${home}/trees.db is outside of what may be read here`);
    expect((await read('none.db')).message).toBe(`${home}/none.db is outside of what may be read here`);
  }));

test('read-only files are not written, and files that run later outside are never written', () =>
  withFileTools(async ({ client, folder, contained }) => {
    await mkdir(join(folder, 'source'));
    const policy: Policy = { kind: 'contained', network: false, writable: [], readable: [folder] };
    const write = (path: string, by: Policy) =>
      refused(client.call('file.write', { path: join(folder, path), content: 'x', policy: by }));
    expect((await write('source/a.txt', policy)).kind).toBe('unauthorised');
    for (const path of ['.git/hooks/pre-commit', '.git/config', '.cognition/config', 'sub/.git/config']) {
      expect([path, (await write(path, contained)).kind]).toEqual([path, 'unauthorised']);
    }
    expect((await readdir(folder)).sort()).toEqual(['source']);
  }));

test('a hard link is read like any file, and writing it leaves its other names alone', () =>
  withFileTools(async ({ client, folder, contained }) => {
    const outside = join(folder, '..', 'outside.txt');
    await writeFile(outside, 'shared');
    await link(outside, join(folder, 'alias.txt'));
    const params = { path: join(folder, 'alias.txt'), policy: contained };
    expect(textOf(await client.call('file.read', params))).toBe('shared');
    await client.call('file.write', { ...params, content: 'mine' });
    expect(await readFile(outside, 'utf8')).toBe('shared');
  }));

test('a file that is removed while it is open is not mistaken for another', () =>
  withFileTools(async ({ client, folder, contained }) => {
    const path = join(folder, 'gone.txt');
    const handle = await open(path, 'w');
    await handle.close();
    const params = { path: `${path} (deleted)`, policy: contained };
    expect((await refused(client.call('file.read', params))).kind).toBe('not_found');
  }));

test('hidden entries of a folder are not named, neither as similar names nor in its list', () =>
  withFileTools(async ({ client, folder, home }) => {
    // The folder above holds the home, which is hidden whatever the policy says.
    const above = join(folder, '..');
    const policy: Policy = { kind: 'contained', network: false, writable: [above], readable: null };
    const near = await refused(client.call('file.read', { path: `${home}e`, policy }));
    expect(near.kind).toBe('not_found');
    expect(near.hint).not.toContain('home/');
    const listed = await refused(client.call('file.read', { path: above, policy }));
    expect(listed.hint).toBe('in it: work/');
  }));
