import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { chmod, chown, link, lstat, mkdir, readdir, readFile, readlink, stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId } from '../../../hub/protocol/node.js';
import { canMount, mountDisk, unmount } from '../../support/mounts.js';
import { type FileTools, factsOf, OPEN, refused, storedOf, textOf, withFileTools } from './tool_calls.js';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const write = ({ client }: FileTools, path: string, content: string) =>
  client.call('file.write', { path, content, policy: OPEN });

test('a new file is written whole, its folders are created, and its exact bytes are stored', () =>
  withFileTools(async (tools) => {
    const path = join(tools.folder, 'a/b/c.txt');
    const answer = await write(tools, path, 'one\ntwo\n');
    expect(textOf(answer)).toBe(`[made ${path}: 2 lines, 8 bytes]`);
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    expect((await storedOf(tools.client, answer)).toString()).toBe('one\ntwo\n');
    expect(factsOf(answer)).toMatchObject({
      path,
      size_bytes: 8,
      sha256: sha256('one\ntwo\n'),
      before: null,
      lines: 2,
    });
    expect(answer.external.call).toMatchObject({ tool: 'write', input: { path, content: 'one\ntwo\n' } });
  }));

test('an existing file keeps its mode, and its handle records the previous content', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('run.sh', 'old\nsame\n');
    await chmod(path, 0o751);
    const answer = await write(tools, path, 'same\nnew\nnew\n');
    expect(textOf(answer)).toBe(`[wrote ${path}: 3 lines, 13 bytes; lines added: 2, removed: 1]`);
    expect((await stat(path)).mode & 0o7777).toBe(0o751);
    expect(factsOf(answer).before).toEqual({ sha256: sha256('old\nsame\n'), size_bytes: 9 });
    expect(await readdir(tools.folder)).toEqual(['run.sh']);
  }));

test('new files and folders have the access rights of their folder, and are private in one that all may write', () =>
  withFileTools(async (tools) => {
    for (const [name, mode, file, folder] of [
      ['usual', 0o755, 0o644, 0o755],
      ['team', 0o775, 0o664, 0o775],
      ['private', 0o700, 0o600, 0o700],
      ['shared', 0o1777, 0o600, 0o700],
    ] as const) {
      const above = join(tools.folder, name);
      await mkdir(above);
      await chmod(above, mode);
      await write(tools, join(above, 'file'), 'x');
      await write(tools, join(above, 'folder/file'), 'x');
      const modeOf = async (path: string) => (await stat(join(above, path))).mode & 0o777;
      expect([name, await modeOf('file'), await modeOf('folder')]).toEqual([name, file, folder]);
    }
  }));

test.runIf(process.getuid?.() === 0)('an existing file keeps its owner', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('theirs', 'x');
    await chown(path, 1234, 4321);
    await write(tools, path, 'y');
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 4321 });
  }),
);

test.each([
  ['line ends', Buffer.from('a\r\nb\r\n'), 'x\ny\r\nz\n', Buffer.from('x\r\ny\r\nz\r\n')],
  ['mark', Buffer.from('\uFEFFa\n'), 'x\n', Buffer.from('\uFEFFx\n')],
  ['mark, once', Buffer.from('\uFEFFa\n'), '\uFEFFx\n', Buffer.from('\uFEFFx\n')],
  ['encoding', Buffer.from('\uFEFFa\r\n', 'utf16le'), 'ü\n', Buffer.from('\uFEFFü\r\n', 'utf16le')],
  ['byte order', Buffer.from('\uFEFFa\n', 'utf16le').swap16(), 'ü\n', Buffer.from('\uFEFFü\n', 'utf16le').swap16()],
  ['mixture of line ends as given', Buffer.from('a\r\nb\n'), 'x\ny\r\n', Buffer.from('x\ny\r\n')],
])('an old file keeps its %s', (...[, before, content, after]) =>
  withFileTools(async (tools) => {
    const path = await tools.put('old.txt', before);
    await write(tools, path, content);
    expect(await readFile(path)).toEqual(after);
  }),
);

test('a symbolic link stays one, and its target is written', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('real.txt', 'old');
    const alias = join(tools.folder, 'alias.txt');
    await symlink('real.txt', alias);
    const answer = await write(tools, alias, 'new');
    expect(await readlink(alias)).toBe('real.txt');
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(answer.external.handle.identifier).toBe(path);
    await symlink('nowhere', join(tools.folder, 'dangling'));
    expect(await refused(write(tools, join(tools.folder, 'dangling'), 'x'))).toMatchObject({ kind: 'conflict' });
  }));

test('another name of the same file keeps the old bytes', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('one', 'old');
    await link(path, join(tools.folder, 'two'));
    await write(tools, path, 'new');
    expect(await readFile(join(tools.folder, 'two'), 'utf8')).toBe('old');
  }));

test('the same content again changes nothing, not even the time', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('same.txt', 'x\n');
    await utimes(path, 1_000, 1_000);
    expect(textOf(await write(tools, path, 'x\n'))).toBe(`[${path} has exactly this content already: 1 line, 2 bytes]`);
    expect((await stat(path)).mtimeMs).toBe(1_000_000);
  }));

test('an empty file is written, and a large one', () =>
  withFileTools(async (tools) => {
    const path = join(tools.folder, 'sizes');
    expect(textOf(await write(tools, path, ''))).toBe(`[made ${path}: 0 lines, 0 bytes]`);
    const large = 'x'.repeat(20_000_000);
    expect(textOf(await write(tools, path, large))).toContain('1 line, 20,000,000 bytes');
    expect((await stat(path)).size).toBe(20_000_000);
  }));

test('folders, pipes, devices and a path that ends with a slash are not written', () =>
  withFileTools(async (tools) => {
    const { folder } = tools;
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
    expect((await refused(write(tools, folder, 'x'))).message).toContain('is a folder, not a file');
    expect((await refused(write(tools, join(folder, 'pipe'), 'x'))).message).toContain('is a named pipe');
    expect((await refused(write(tools, '/dev/null', 'x'))).message).toBe('/dev/null is a device, not a file');
    expect((await refused(write(tools, `${folder}/new/`, 'x'))).message).toBe(`${folder}/new/ names a folder`);
    expect((await refused(write(tools, join(folder, 'pipe/below'), 'x'))).kind).toBe('not_found');
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
    expect(await readdir(folder)).toEqual(['pipe']);
  }));

test('the draft of a killed writer is removed by the next write of that file', () =>
  withFileTools(async (tools) => {
    const name = sha256('a.txt').slice(0, 16);
    const draft = await tools.put(`.cognition-${name}.new`, 'half');
    await write(tools, join(tools.folder, 'a.txt'), 'fresh draft of another writer stays');
    expect((await readdir(tools.folder)).sort()).toEqual([`.cognition-${name}.new`, 'a.txt']);
    await utimes(draft, 1_000, 1_000);
    await write(tools, join(tools.folder, 'a.txt'), 'x');
    expect(await readdir(tools.folder)).toEqual(['a.txt']);
  }));

test('a retry of a long write with the same id is one write and one node', () =>
  withFileTools(async (tools) => {
    const path = join(tools.folder, 'long.txt');
    const id = NodeId.parse(randomUUID());
    const place = { tree: tools.tree, node: tools.root };
    const params = { id, path, content: 'x'.repeat(100_000), place, append: true, policy: OPEN };
    const first = await tools.client.call('file.write', params);
    expect(await tools.client.call('file.write', params)).toEqual(first);
    expect(first.node?.id).toBe(id);
    expect(first.external.call.input).toEqual({ path, content_characters: 100_000 });
  }));

test('when the tools are killed while they write, the file has the old content or the new', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('a.txt', 'old');
    const contents = new Set(['old']);
    for (let kill = 0; kill < 2; kill += 1) {
      const { pid } = await tools.client.call('tools.check', {});
      const content = `${kill}`.repeat(10_000_000);
      contents.add(content);
      const begun = once(watch(tools.folder), 'change');
      const writing = write(tools, path, content).then(
        () => null,
        (error: unknown) => error,
      );
      await begun;
      process.kill(pid, 'SIGKILL');
      await writing;
      expect(contents.has(await readFile(path, 'utf8'))).toBe(true);
    }
  }));

test('many concurrent writers of one file leave the whole content of one of them', () =>
  withFileTools(async (tools) => {
    const path = join(tools.folder, 'contested');
    const contents = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(10_000));
    await Promise.all(contents.map((content) => write(tools, path, content)));
    expect(contents).toContain(await readFile(path, 'utf8'));
    expect(await readdir(tools.folder)).toEqual(['contested']);
  }));

test.runIf(canMount)('a full disk leaves the old content and no draft', () =>
  withFileTools(async (tools) => {
    const disk = join(tools.folder, 'disk');
    await mkdir(disk);
    mountDisk(disk, '1m');
    try {
      const path = await tools.put('disk/a.txt', 'old');
      expect(await refused(write(tools, path, 'x'.repeat(2_000_000)))).toMatchObject({
        kind: 'disk_full',
        message: `${path} cannot be written: the disk is full`,
        retryable: true,
      });
      expect(await readFile(path, 'utf8')).toBe('old');
      expect(await readdir(disk)).toEqual(['a.txt']);
    } finally {
      unmount(disk);
    }
  }),
);
