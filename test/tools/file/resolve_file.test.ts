import { randomUUID } from 'node:crypto';
import { mkdir, rename, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CallContext, Resolved } from '../../../hub/base/plugin.js';
import type { ToolAnswer } from '../../../hub/protocol/methods/tool_methods.js';
import { createFile } from '../../../tools/file/file_plugin.js';
import { type FileTools, OPEN, withFileTools } from './tool_calls.js';

const context: CallContext = {
  ...{ signal: new AbortController().signal, caller: { kind: 'internal' } },
  ...{ emit: () => undefined, hasRoom: () => true, drained: () => Promise.resolve() },
};

/** Resolves the handle of an answer. */
async function again({ client, folder }: FileTools, { external }: ToolAnswer, bytesMax = 1_000): Promise<Resolved> {
  const place = { userHome: folder, cognitionHome: folder, commands: folder, path: '' };
  const plugin = createFile({
    ...{ hub: client, log: () => undefined, clock: () => 0, newId: randomUUID, machine: place, sessionsFolder: '' },
    shrinkImage: () => Promise.reject(new Error('no image is made smaller here')),
    config: {
      ...{ outputBytesMax: () => 1_000_000, httpAllowed: () => [], postgres: () => null, postgresNames: () => [] },
      agentModels: () => '',
      filesRecorded: () => false,
    },
  });
  const { handle, output } = external;
  const resolved = await plugin.resolve?.({ handle, output, fresh: true, bytes_max: bytesMax }, context);
  if (resolved === undefined) throw new Error('the plugin resolves nothing');
  return resolved;
}

test('an unchanged file is reported as the same', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('a.txt', 'one\ntwo\n');
    const answer = await tools.client.call('file.read', { path, policy: OPEN });
    await utimes(path, 1_000, 1_000);
    expect(await again(tools, answer)).toEqual({
      text: 'one\ntwo\n',
      total_bytes: 8,
      left_out_bytes: 0,
      changed: null,
    });
  }));

test('a changed file is reported with the numbers of added and removed lines', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('a.txt', 'one\ntwo\nthree\n');
    const answer = await tools.client.call('file.read', { path, policy: OPEN });
    await writeFile(path, 'one\nthree\nfour\nfive\n');
    expect(await again(tools, answer)).toMatchObject({
      text: 'one\nthree\nfour\nfive\n',
      changed: '2 lines added, 1 removed (14 bytes then, 20 now)',
    });
    await writeFile(path, 'three\ntwo\none\n');
    expect((await again(tools, answer)).changed).toContain('the same lines in another order');
  }));

test('a change outside the lines that were read is reported as such', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('a.txt', '1\n2\n3\n4\n');
    const answer = await tools.client.call('file.read', { path, offset: 2, limit: 2, policy: OPEN });
    await writeFile(path, '1\n2\n3\n4\n5\n');
    expect(await again(tools, answer)).toMatchObject({
      text: '2\n3\n',
      changed: 'these lines are the same, but the file has 10 bytes instead of 8',
    });
    await writeFile(path, '1\n');
    expect((await again(tools, answer)).changed).toContain('is past the end');
  }));

test('a file that is gone, is no regular file any more or leads elsewhere is reported as such', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('a.txt', 'x\n');
    const answer = await tools.client.call('file.read', { path, policy: OPEN });
    await rename(path, join(tools.folder, 'b.txt'));
    expect((await again(tools, answer)).changed).toBe(`${path} is gone`);
    await symlink('b.txt', path);
    expect((await again(tools, answer)).changed).toBe(`the path leads to ${tools.folder}/b.txt now`);
    await unlink(path);
    await mkdir(path);
    expect((await again(tools, answer)).changed).toBe(`${path} is a folder, not a file`);
  }));

test('a written file is compared with its current content, and shown by its head and tail', () =>
  withFileTools(async (tools) => {
    const path = join(tools.folder, 'a.txt');
    const content = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join('');
    const answer = await tools.client.call('file.write', { path, content, policy: OPEN });
    const same = await again(tools, answer, 200);
    expect(same).toMatchObject({ total_bytes: content.length, changed: null });
    const [head = '', gap, tail = ''] = same.text.split(/(\n\[… \d+ bytes left out …\]\n)/);
    expect(gap).toBe(`\n[… ${same.left_out_bytes} bytes left out …]\n`);
    expect([content.startsWith(head), content.endsWith(tail)]).toEqual([true, true]);
    expect(same.left_out_bytes + head.length + 1 + tail.length).toBe(content.length);
    await writeFile(path, `${content}more\n`);
    expect((await again(tools, answer)).changed).toContain('1 line added, 0 removed');
  }));

test('a fresh look shows a UTF-16 file as text, and a large file by its ends', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('wide.txt', Buffer.from('\uFEFFgrün\n', 'utf16le'));
    const answer = await tools.client.call('file.read', { path, policy: OPEN });
    expect(await again(tools, answer)).toMatchObject({ text: 'grün\n', changed: null });
    const large = await tools.put('large.txt', 'a line\n'.repeat(1_500_000));
    const whole = await tools.client.call('file.read', { path: large, limit: null, policy: OPEN });
    expect(whole.external.output).toMatchObject({ size_bytes: 10_500_000, total_bytes: 10_500_000 });
    await writeFile(large, 'a line\n'.repeat(1_500_001));
    expect((await again(tools, whole)).changed).toBe('10,500,000 bytes then, 10,500,007 now');
  }));
