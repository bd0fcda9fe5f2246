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

test('damaged lines are skipped with what stands on them, and told; the rest is imported', async () => {
  await withCli(async (one) => {
    await one.print('new', 'notes');
    await one.print('add', '@', 'first');
    await one.print('exec', '@', 'echo printed');
    await one.print('add', '@', 'second', '--at', 'root');
    await one.print('add', '@', 'third');
    await one.print('mark', '@', 'end');
    const lines = (await one.print('export', '--format', 'jsonl')).trimEnd().split('\n');
    const bad = lines.findIndex((line) => line.includes('"text":"second"'));
    const odd = lines.findIndex((line) => line.includes('"kind":"output_data"'));
    await withCli(async (other) => {
      const input = Buffer.concat(
        lines.flatMap((line, at) => {
          if (at === bad) return [Buffer.from(`${line.slice(0, 60)}\n`)];
          return [Buffer.from(at === odd ? line.slice(0, -9) : line), Buffer.from(at === odd ? [0xff, 0x0a] : '\n')];
        }),
      );
      const { code, stdout, stderr } = await other.run(['import', '-'], { input });
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^Imported \w{8} {2}notes: 3 nodes\n$/),
      });
      expect(stderr.split('\n').filter((line) => line.startsWith('Skipped'))).toEqual([
        `Skipped line ${bad + 1}: it is not JSON.`,
        `Skipped line ${bad + 2}: the node above it is missing.`,
        expect.stringMatching(/^Skipped line \d+: its node is missing\.$/),
        `Skipped line ${odd + 1}: it is not UTF-8.`,
      ]);
      expect(await other.print('show', 'notes')).toMatch(/first[\s\S]*echo printed/);
      expect(await other.run(['import', '-'], { input: lines.join('\n') })).toMatchObject({
        ...{ code: 0, stdout: expect.stringContaining('notes: 5 nodes, some of which were here already') },
      });
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
])('the record %s alone is refused in one clear line, and behind a good one skipped with one', async (record) => {
  await withCli(async (cli) => {
    const [tree = ''] = await exported(cli);
    const end = '{"kind":"end"}\n';
    const alone = await cli.run(['import', '-'], { input: `${record}\n${end}` });
    expect([alone.code, alone.stderr]).toEqual([
      2,
      expect.stringMatching(/^cognition: (?!Cannot)[^\n]*\n(hint: [^\n]*\n)?$/),
    ]);
    const behind = await cli.run(['import', '-'], { input: `${tree}\n${record}\n${end}` });
    const isMark = record.includes('mark');
    expect([behind.code, behind.stderr]).toEqual(
      isMark ? [2, expect.any(String)] : [0, 'Skipped line 2: it is not a record of a conversation.\n'],
    );
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
