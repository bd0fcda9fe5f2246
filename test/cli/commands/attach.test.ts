import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { attachmentFrom } from '../../../cli/transfer/attachment.js';
import { hintText } from '../../../hub/base/hint.js';
import { type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { refusal } from '../../support/refusal.js';

function withTree(use: (cli: TestCli) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    await cli.print('new', 'notes');
    await use(cli);
  });
}

test('a file is read into the conversation, and its node becomes the position', async () => {
  await withTree(async ({ folder, print }) => {
    writeFileSync(join(folder, 'a b.txt'), 'one\ntwo\n');
    expect(await print('attach', '@', 'file:a b.txt')).toMatch(
      /^Attached file:a b\.txt \(8 bytes, 2 lines\) as [0-9a-f]{8}\n$/,
    );
    expect(await print('show')).toBe('(root)\n [read:a b.txt]          ● you are here\n');
    expect(await print('context')).toMatch(/^[0-9a-f]{8} \[read\] a b\.txt {2}just now\none\ntwo\n\n$/);
    expect(await print('output', '@')).toBe('one\ntwo\n');
    expect(await print('attach', '@', `file://${folder}/a b.txt`, '--at', 'root')).toMatch(/, a new branch\n$/);
  });
});

test('a path alone is a file, and one that is not there is told so', async () => {
  await withTree(async ({ folder, print, run }) => {
    writeFileSync(join(folder, 'notes.txt'), 'one\n');
    expect(await print('attach', '@', 'notes.txt')).toMatch(/^Attached notes\.txt \(4 bytes, 1 line\) as /);
    expect(await run(['attach', '@', 'missing.txt'])).toMatchObject({
      ...{ code: 3, stderr: expect.stringContaining('missing.txt') },
    });
  });
});

test('a link in the project that leads out of it is not read, and the file itself is when it is named', async () => {
  await withTree(async ({ folder, print, run }) => {
    const secret = join(dirname(folder), 'secret.txt');
    writeFileSync(secret, 'secret');
    writeFileSync(join(folder, 'own.txt'), 'own text');
    mkdirSync(join(folder, 'deep'));
    symlinkSync('../own.txt', join(folder, 'deep', 'inside.md'));
    symlinkSync('../../secret.txt', join(folder, 'deep', 'notes.md'));
    expect(await print('attach', '@', 'file:deep/inside.md')).toContain('8 bytes');
    const refused = await run(['attach', '@', 'file:deep/notes.md']);
    expect(refused).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/notes\.md is a link that leads out of the project/),
    });
    expect(refused.stderr).toContain(`name it: ${secret}`);
    expect(await print('attach', '@', `file:${secret}`)).toContain('6 bytes');
  });
});

test('a relative path begins in the working folder, not in that of the branch', async () => {
  await withTree(async ({ folder, print, run }) => {
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'here.txt'), 'here');
    await print('exec', '@', 'cd deep');
    expect(await print('attach', '@', 'file:here.txt')).toContain('4 bytes, 1 line)');
    writeFileSync(join(userHomeBeside(folder), 'there.txt'), 'there');
    expect(await print('attach', '@', 'file:~/there.txt')).toContain('5 bytes, 1 line)');
    expect(await run(['attach', '@', 'file:missing'])).toMatchObject({
      ...{ code: 3, stdout: '', stderr: expect.stringContaining('missing') },
    });
    expect(existsSync(join(folder, 'missing'))).toBe(false);
  });
});

test('with --json the node is printed', async () => {
  await withTree(async ({ folder, json }) => {
    writeFileSync(join(folder, 'empty'), '');
    expect(await json('attach', '@', 'file:empty')).toMatchObject({
      ...{ kind: 'external', branched: false, external: { handle: { source: 'file' }, output: null } },
    });
  });
});

test('a page is fetched from where that is allowed', async () => {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'text/html');
    response.statusCode = url === '/gone' ? 404 : 200;
    response.end('<h1>A page</h1><p>with text</p>');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  try {
    await withTree(async ({ run, print }) => {
      const refused = await run(['attach', '@', `http://127.0.0.1:${port}/`]);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('http.allow');
      await print('config', 'set', 'http.allow', `127.0.0.1:${port}`);
      expect(await print('attach', '@', `http://127.0.0.1:${port}/`)).toMatch(/^Attached http:\/\/127\.0\.0\.1:\d+\/ /);
      expect(await print('attach', '@', `http://127.0.0.1:${port}/gone`)).toContain(', status 404) as ');
      await print('attach', '@', `http://127.0.0.1:${port}/`);
      expect(await print('context')).toMatch(/A page.*with text/s);
    });
  } finally {
    server.close();
  }
});

test('a database that is not configured is named with how to configure it', async () => {
  await withTree(async ({ run }) => {
    const ran = await run(['attach', '@', 'postgres:shop:SELECT 1']);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('postgres.shop');
  });
});

test.each([
  ['http://example.org/a', { kind: 'http', url: 'http://example.org/a' }],
  ['HTTPS://example.org', { kind: 'http', url: 'HTTPS://example.org' }],
  ['http:https://example.org', { kind: 'http', url: 'https://example.org' }],
  ['http:example.org/x', { kind: 'http', url: 'http://example.org/x' }],
  ['package.json', { kind: 'file', path: 'package.json' }],
  ['./not there', { kind: 'file', path: './not there' }],
  ['file:a:b.txt', { kind: 'file', path: 'a:b.txt' }],
  ['file:///etc/hosts', { kind: 'file', path: '/etc/hosts' }],
  ['file:a\nb', { kind: 'file', path: 'a\nb' }],
  ['postgres:shop:SELECT a::text\nFROM b', { kind: 'postgres', connection: 'shop', sql: 'SELECT a::text\nFROM b' }],
])('%j is understood', (text, attachment) => {
  expect(attachmentFrom(text)).toEqual(attachment);
});

test.each([
  ['fil:a', 'attach knows no "fil:"', 'did you mean file:?'],
  ['htps://x', 'attach knows no "htps:"', 'did you mean https:?'],
  ['bash:ls', 'attach runs no commands', 'cognition exec @ "ls"'],
  ['', 'attach knows no ""', 'attach takes <path>, file:<path>'],
  ['file:', 'file: names no file', 'cognition attach @ file:notes.txt'],
  ['http:', '"http:" names no page', 'https://'],
  ['postgres:shop', 'a query is written postgres:<name>:<sql>', 'postgres:orders:SELECT'],
])('%j is refused with what to write instead', (text, message, hint) => {
  const refused = refusal(() => attachmentFrom(text));
  expect(refused).toMatchObject({ kind: 'invalid_params', message });
  expect(hintText(refused.hint ?? '')).toContain(hint);
});
