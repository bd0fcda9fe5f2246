import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { factsOf, OPEN, refused, storedOf, textOf, withFileTools } from './tool_calls.js';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AARAxwFgAeAgP9K1y4rQAAAABJRU5ErkJggg==',
  'base64',
);

describe('text', () => {
  test('a small file is shown as it is, and its exact bytes are stored', () =>
    withFileTools(async ({ client, put }) => {
      const path = await put('a.txt', 'one\ntwo\n');
      const answer = await client.call('file.read', { path, policy: OPEN });
      expect(textOf(answer)).toBe('one\ntwo');
      expect((await storedOf(client, answer)).toString()).toBe('one\ntwo\n');
      const sha256 = createHash('sha256').update('one\ntwo\n').digest('hex');
      expect(factsOf(answer)).toMatchObject({
        path,
        size_bytes: 8,
        lines: 2,
        sha256,
        line_ends: 'lf',
        encoding: 'utf-8',
      });
      expect(answer.external).toMatchObject({
        call: { tool: 'read', id: null },
        handle: { source: 'file', identifier: path },
      });
    }));

  test('a long file is shown in parts, each of which says how to read the next', () =>
    withFileTools(async ({ client, put }) => {
      const path = await put('long.txt', `${numbered(4_500)}\n`);
      const first = textOf(await client.call('file.read', { path, policy: OPEN })).split('\n');
      expect([first[0], first[1_999], first[2_000]]).toEqual([
        'line 1',
        'line 2000',
        '[lines 1 to 2000 of 4500; read on with offset=2001]',
      ]);
      const last = await client.call('file.read', { path, offset: 4_499, policy: OPEN });
      expect(textOf(last)).toBe('line 4499\nline 4500\n[lines 4499 to 4500: the end]');
      expect((await storedOf(client, last)).toString()).toBe('line 4499\nline 4500\n');
    }));

  test('wide lines are cut where they are shown and kept whole where they are stored, and 50 KB are shown at once', () =>
    withFileTools(async ({ client, put }) => {
      const wide = `${'x'.repeat(5_000)}\n`;
      const path = await put('wide.txt', wide.repeat(100));
      const answer = await client.call('file.read', { path, policy: OPEN });
      const lines = textOf(answer).split('\n');
      expect(lines[0]).toBe(`${'x'.repeat(2_000)} [… this line has 5,001 bytes]`);
      expect(lines.at(-1)).toBe('[lines 1 to 24 of 100; read on with offset=25]');
      expect(Buffer.byteLength(textOf(answer))).toBeLessThan(51_000);
      expect((await storedOf(client, answer)).toString()).toBe(wide.repeat(24));
    }));

  test('an empty file, a file of one empty line and an offset past the end are each reported as such', () =>
    withFileTools(async ({ client, put }) => {
      const empty = await put('empty', '');
      const blank = await put('blank', '\n');
      expect(textOf(await client.call('file.read', { path: empty, policy: OPEN }))).toBe(`[${empty} is empty]`);
      expect(textOf(await client.call('file.read', { path: blank, policy: OPEN }))).toBe('[one empty line]');
      expect(await refused(client.call('file.read', { path: blank, offset: 7, policy: OPEN }))).toMatchObject({
        kind: 'invalid_params',
        message: `line 7 is past the end: ${blank} has 1 line`,
      });
      expect(await refused(client.call('file.read', { path: empty, offset: 2, policy: OPEN }))).toMatchObject({
        message: `line 2 is past the end: ${empty} has 0 lines`,
      });
    }));

  test.each([
    ['UTF-8 with a mark', Buffer.from('\uFEFFgrün\n数据\n', 'utf8'), 'utf-8'],
    ['UTF-16, low byte first', Buffer.from('\uFEFFgrün\n数据\n', 'utf16le'), 'utf-16le'],
    ['UTF-16, high byte first', Buffer.from('\uFEFFgrün\n数据\n', 'utf16le').swap16(), 'utf-16be'],
  ])('%s is read as text without its mark, and stored with it', (_, bytes, encoding) =>
    withFileTools(async ({ client, put }) => {
      const path = await put('marked.txt', bytes);
      const answer = await client.call('file.read', { path, policy: OPEN });
      expect(textOf(answer)).toBe('grün\n数据');
      expect(factsOf(answer)).toMatchObject({ encoding, byte_order_mark: 'yes', lines: 2 });
      expect(await storedOf(client, answer)).toEqual(bytes);
    }),
  );

  test('lines that end with CRLF are shown without it and stored with it', () =>
    withFileTools(async ({ client, put }) => {
      const path = await put('dos.txt', 'a\r\nb\r\n');
      const answer = await client.call('file.read', { path, policy: OPEN });
      expect(textOf(answer)).toBe('a\nb');
      expect(factsOf(answer)).toMatchObject({ line_ends: 'crlf' });
      expect((await storedOf(client, answer)).toString()).toBe('a\r\nb\r\n');
    }));

  test('a file of 10 GB is read in little memory, and only in the requested part', () =>
    withFileTools(async ({ client, folder }) => {
      const path = join(folder, 'huge.txt');
      const file = await open(path, 'w');
      await file.write(`${numbered(3_000)}\n`);
      await file.write('end\n', 10_000_000_000);
      await file.close();
      const answer = await client.call('file.read', { path, policy: OPEN });
      expect(textOf(answer).split('\n').at(-1)).toBe('[lines 1 to 2000 of many; read on with offset=2001]');
      expect(factsOf(answer)).toMatchObject({ size_bytes: 10_000_000_004, lines: null });
      const { memory_bytes } = await client.call('tools.check', {});
      expect(memory_bytes).toBeLessThan(250_000_000);
    }));

  test('a file that is larger than the storage limit is stored as its head and its tail', () =>
    withFileTools(async ({ client, folder, home, put }) => {
      await mkdir(home, { recursive: true });
      const config = await open(join(home, 'config'), 'w');
      await config.writeFile('output.megabytes_max = 0.001\n');
      await config.close();
      const text = `${numbered(1_000)}\n`;
      const path = await put('large.txt', text);
      const answer = await client.call('file.read', { path, limit: null, policy: OPEN });
      expect(answer.external.output).toMatchObject({ size_bytes: 1_000, total_bytes: text.length });
      expect((await storedOf(client, answer)).toString()).toBe(text.slice(0, 500) + text.slice(-500));
      expect(folder).not.toBe('');
    }));
});

describe('content that is not text', () => {
  test('an image is shown as an image, by its bytes and not by its name', () =>
    withFileTools(async ({ client, put, tree, root }) => {
      const path = await put('picture.txt', PNG);
      const place = { tree, node: root };
      const answer = await client.call('file.read', { path, policy: OPEN, place, append: true });
      expect(answer.blocks).toMatchObject([
        { type: 'text', text: `[image/png, 3×2 pixels, ${PNG.length} bytes: ${path}]` },
        { type: 'image', sha256: answer.external.output?.sha256, media_type: 'image/png', width: 3, height: 2 },
      ]);
      expect(await storedOf(client, answer)).toEqual(PNG);
      expect(answer.node?.parent).toBe(root);
    }));

  test('an image too large for models that cannot be decoded is refused', () =>
    withFileTools(async ({ client, put }) => {
      const wide = Buffer.from(PNG);
      wide.writeUInt32BE(8_001, 16);
      const pixels = await put('wide.png', wide);
      expect(await refused(client.call('file.read', { path: pixels, policy: OPEN }))).toMatchObject({
        kind: 'limit',
        message: expect.stringContaining(
          `the image ${pixels} cannot be shown: it is 8001×2 pixels, and a model takes 8000 at a side; it could not be made smaller: `,
        ),
        hint: 'make it smaller first',
      });
    }));

  test('a binary file is named with its size and not shown', () =>
    withFileTools(async ({ client, put }) => {
      const path = await put('program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2]));
      const answer = await client.call('file.read', { path, policy: OPEN });
      expect(textOf(answer)).toBe(`[${path} is binary, 8 bytes: not shown]`);
      expect(answer.external.output).toBeNull();
      const whole = await client.call('file.read', { path, limit: null, policy: OPEN });
      expect(whole.external.output?.size_bytes).toBe(8);
    }));

  test('pipes, devices, sockets and folders are refused at once', () =>
    withFileTools(async ({ client, folder, put }) => {
      await put('in.txt', '');
      execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
      const server = createServer().listen(join(folder, 'socket'));
      const read = (path: string) => refused(client.call('file.read', { path, policy: OPEN }));
      expect((await read(join(folder, 'pipe'))).message).toContain('is a named pipe, not a file');
      expect((await read(join(folder, 'socket'))).message).toContain('is a socket, not a file');
      expect((await read('/dev/zero')).message).toBe('/dev/zero is a device, not a file');
      expect(await read(folder)).toMatchObject({
        message: `${folder} is a folder, not a file`,
        hint: 'in it: in.txt, pipe, socket',
      });
      server.close();
    }));
});
