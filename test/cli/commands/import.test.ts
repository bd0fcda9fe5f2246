import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestCli, withCli } from '../../support/cli.js';

async function exported({ print }: TestCli): Promise<string[]> {
  await print('new', 'notes');
  await print('add', '@', 'first');
  await print('add', '@', 'second');
  return (await print('export', '--format', 'jsonl')).trimEnd().split('\n');
}

test('a file that was cut off between two lines is refused, and nothing of it appears', async () => {
  await withCli(async (one) => {
    const lines = await exported(one);
    await withCli(async (other) => {
      for (const length of [lines.length - 1, 3, 1]) {
        const { code, stderr } = await other.run(['import', '-'], { input: `${lines.slice(0, length).join('\n')}\n` });
        expect([code, stderr.split('\n')[0]]).toEqual([
          ...[2, 'cognition: this cannot be imported: it is cut off: its last line is missing'],
        ]);
      }
      expect(await other.json('list')).toEqual([]);
    });
  });
});

test('exports that stand one behind the other in a file are all imported', async () => {
  await withCli(async (one) => {
    const lines = [...(await exported(one)), ...(await exported({ ...one, print: renaming(one) }))];
    await withCli(async (other) => {
      expect((await other.run(['import', '-'], { input: lines.join('\n') })).code).toBe(0);
      expect(await other.json('list')).toHaveLength(2);
    });
  });
});

const renaming =
  ({ print }: TestCli): TestCli['print'] =>
  (...words) =>
    print(...words.map((word) => (word === 'notes' ? 'other notes' : word)));

test.each([
  '{"kind":"tree"}',
  '{"kind":"tree","tree":null}',
  '{"kind":"tree","tree":{"id":7}}',
  '{"kind":"node"}',
  '{"kind":"node","node":null}',
  '{"kind":"node","node":{}}',
  '{"kind":"mark"}',
])('the record %s is refused in one clear line', async (record) => {
  await withCli(async (cli) => {
    const [tree = ''] = await exported(cli);
    for (const input of [record, `${tree}\n${record}`]) {
      const { code, stderr } = await cli.run(['import', '-'], { input: `${input}\n{"kind":"end"}\n` });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^cognition: (?!Cannot)[^\n]*\n(hint: [^\n]*\n)?$/)]);
    }
  });
});

test('an output that is no ordinary file is refused, and a dash is standard output', async () => {
  await withCli(async (cli) => {
    const lines = await exported(cli);
    mkdirSync(join(cli.folder, 'folder'));
    symlinkSync('/dev/null', join(cli.folder, 'device')); // itself it could be lost, were this to fail
    for (const target of ['folder', 'device', '']) {
      const { code, stderr } = await cli.run(['export', '@', '--output', target, '--force']);
      expect([code, stderr]).toEqual([
        2,
        `cognition: "${target}" is not an ordinary file\nhint: choose the name of a file\n`,
      ]);
    }
    expect(await cli.run(['export', '@', '--format', 'jsonl', '--output', '-'])).toEqual({
      ...{ code: 0, stdout: `${lines.join('\n')}\n`, stderr: '' },
    });
  });
});
