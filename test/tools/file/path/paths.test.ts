import { symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPEN, refused, textOf, withFileTools } from '../tool_calls.js';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

test('the error for a missing file lists similar names', () =>
  withFileTools(async ({ client, put, folder }) => {
    await put('settings.json', '');
    await put('Cafe\u0301.txt', '');
    const read = (path: string) => refused(client.call('file.read', { path, policy: OPEN }));
    expect(await read(join(folder, 'setings.json'))).toMatchObject({
      kind: 'not_found',
      hint: 'there is settings.json',
    });
    expect(await read(join(folder, 'Caf\u00e9.txt'))).toMatchObject({ hint: 'there is Cafe\u0301.txt' });
    expect((await read(join(folder, 'none/such/file'))).kind).toBe('not_found');
    expect((await read(join(folder, 'settings.json/'))).kind).toBe('not_found');
  }));

test.each([
  ['a line feed', 'two\nlines.txt'],
  ['blanks', '  spaced  out .txt'],
  ['a leading dash', '-rf'],
  ['letters of many scripts', 'зелёный 数据 👩‍👩‍👧.txt'],
  ['a composed letter', 'Caf\u00e9'],
  ['a letter and its accent', 'Cafe\u0301'],
  ['a tilde', '~'],
  ['a name that looks removed', 'kept (deleted)'],
  ['255 bytes', 'n'.repeat(255)],
])('a name with %s is a name like any other', (_, name) =>
  withFileTools(async ({ client, put, contained, folder }) => {
    const path = await put(name, 'content');
    for (const policy of [OPEN, contained]) {
      expect(textOf(await client.call('file.read', { path, policy }))).toBe('content');
      const relative = { path: `./${name}`, cwd: folder, policy };
      expect(textOf(await client.call('file.read', relative))).toBe('content');
      await client.call('file.write', { path, content: 'content', policy });
    }
  }),
);

test('control characters in a name are escaped in messages', () =>
  withFileTools(async ({ client, folder }) => {
    const path = join(folder, 'a\u001b[2J\u009b31m\u202eb');
    const { message } = await refused(client.call('file.read', { path, policy: OPEN }));
    expect(message).toBe(`"${folder}/a\\u001b[2J\\u009b31m\\u202eb" does not exist`);
  }));

test('superfluous slashes and dots change nothing', () =>
  withFileTools(async ({ client, put, folder }) => {
    await put('a.txt', 'content');
    for (const path of [`${folder}//a.txt`, `${folder}/./a.txt`, `${folder}/none/../a.txt`, `//${folder}/a.txt`]) {
      expect(textOf(await client.call('file.read', { path, policy: OPEN }))).toBe('content');
    }
  }));

test('a path that is too long, or contains a NUL, is refused clearly', () =>
  withFileTools(async ({ client, folder }) => {
    const read = (path: string) => refused(client.call('file.read', { path, cwd: folder, policy: OPEN }));
    expect((await read('n'.repeat(256))).message).toContain('the path is too long');
    expect((await read('n/'.repeat(2_048))).message).toContain('the path is too long');
    expect((await read('a\0b')).message).toBe('the path "a\\u0000b" holds a zero character');
  }));

test('a relative path begins at the folder of the call or of the branch', () =>
  withFileTools(async ({ client, put, folder, tree, root }) => {
    await put('a.txt', 'content');
    const place = { tree, node: root };
    expect(textOf(await client.call('file.read', { path: 'a.txt', cwd: folder, policy: OPEN }))).toBe('content');
    expect(await refused(client.call('file.read', { path: 'a.txt', place, policy: OPEN }))).toMatchObject({
      kind: 'invalid_params',
      message: 'a.txt begins nowhere: the branch has no folder yet',
    });
    const { node } = await client.call('loom.node_create_external', {
      tree,
      parent: root,
      blocks: [],
      external: {
        call: { tool: 'bash', input: {}, id: null },
        handle: { source: 'bash', source_version: '1', identifier: 'x', metadata: {} },
        ...{ output: null, exit_code: 0, signal: null, duration_ms: 1, cwd: folder },
      },
    });
    const there = { path: 'a.txt', place: { tree, node: node.id }, policy: OPEN };
    expect(textOf(await client.call('file.read', there))).toBe('content');
  }));

test('a tilde is the home folder for a person and has no meaning for a model', () =>
  withFileTools(async ({ client, contained }) => {
    const read = (policy: typeof contained) => refused(client.call('file.read', { path: '~/no such file', policy }));
    expect((await read(OPEN)).kind).toBe('not_found');
    expect(await read(contained)).toMatchObject({ kind: 'invalid_params', hint: 'write the whole path, from / on' });
  }));

test('the stored output of a node is read by its id', () =>
  withFileTools(async ({ client, put, tree, root, contained }) => {
    const path = await put('a.txt', numbered(30));
    const place = { tree, node: root };
    const { node } = await client.call('file.read', { path, policy: OPEN, place, append: true });
    await unlink(path);
    const stored = { path: `output:${node?.id}`, offset: 29, place };
    for (const policy of [OPEN, contained]) {
      expect(textOf(await client.call('file.read', { ...stored, policy }))).toBe(
        'line 29\nline 30\n[lines 29 to 30: the end]',
      );
    }
    expect((await refused(client.call('file.read', { ...stored, place: null, policy: contained }))).kind).toBe(
      'unauthorised',
    );
    expect((await refused(client.call('file.read', { ...stored, path: 'output:x', policy: OPEN }))).kind).toBe(
      'invalid_params',
    );
    expect((await refused(client.call('file.read', { ...stored, path: `output:${root}`, policy: OPEN }))).kind).toBe(
      'not_found',
    );
  }));

test('symbolic links in a circle are refused', () =>
  withFileTools(async ({ client, folder }) => {
    await symlink('b', join(folder, 'a'));
    await symlink('a', join(folder, 'b'));
    expect((await refused(client.call('file.read', { path: join(folder, 'a'), policy: OPEN }))).message).toContain(
      'lead in a circle',
    );
  }));
