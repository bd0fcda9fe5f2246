import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestCli, withCli } from '../../support/cli.js';
import { inShell } from '../shell.js';

function withTree(use: (cli: TestCli) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    await cli.print('new', 'notes');
    await use(cli);
  });
}

test('all that a command printed is given back, by its node, a mark, or its id in any tree', async () => {
  await withTree(async ({ print, run, json }) => {
    const id = idOf(await json('exec', '@', 'seq 1 20000'));
    const whole = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('');
    await print('mark', '@', 'numbers');
    await print('add', '@', 'a message after it');
    for (const reference of [id.slice(0, 8), 'numbers', id]) expect(await print('output', reference)).toBe(whole);
    await print('new', 'other');
    expect(await print('output', id)).toBe(whole);
    expect(await print('output', 'numbers', '--tree', 'notes')).toBe(whole);
    expect(await run(['output', 'numbers'])).toMatchObject({ code: 3, stdout: '' });
    expect(await json('output', id)).toMatchObject({
      ...{ running: false, id, exit_code: 0, output: { size_bytes: whole.length, total_bytes: whole.length } },
    });
  });
});

test('a node without a stored output is named for what it is', async () => {
  await withTree(async ({ print, run }) => {
    await print('exec', '@', 'true');
    expect(await run(['output', '@'])).toMatchObject({
      ...{ code: 0, stdout: '', stderr: expect.stringMatching(/^[0-9a-f]{8} printed nothing\.\n$/) },
    });
    await print('add', '@', 'hello');
    expect(await run(['output', '@'])).toMatchObject({
      ...{ code: 0, stdout: 'hello\n', stderr: expect.stringMatching(/ is a message; this is its text:\n$/) },
    });
  });
});

test('a lost output is reported as lost', async () => {
  await withTree(async ({ home, print, run }) => {
    await print('exec', '@', 'echo gone');
    for (const name of readdirSync(join(home, 'outputs'))) rmSync(join(home, 'outputs', name), { recursive: true });
    expect(await run(['output', '@'])).toMatchObject({
      ...{
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/the stored output of [0-9a-f]{8} is lost\nhint: .*fsck/),
      },
    });
    expect(await run(['context'])).toMatchObject({ code: 0 });
  });
});

test('of an output that is longer than what is stored, it is said how much is missing', async () => {
  await withTree(async ({ print, run }) => {
    await print('config', 'set', 'output.megabytes_max', '0.1');
    await print('exec', '@', 'head -c 1000000 /dev/zero | tr "\\0" x');
    const { code, stdout, stderr } = await run(['output', '@']);
    expect({ code, stderr }).toEqual({
      ...{ code: 0, stderr: expect.stringMatching(/^There were 976\.6 KiB; this is .* of it, head and tail\.\n$/) },
    });
    expect(stdout.length).toBeLessThan(200_000);
  });
});

test('a reader that has seen enough is no failure', async () => {
  await withTree(async (cli) => {
    await cli.print('exec', '@', 'seq 1 100000');
    expect(await inShell(cli, 'set -o pipefail; cognition output @ | head -2; echo $?')).toEqual({
      ...{ code: 0, stdout: '1\n2\n0\n', stderr: '' },
    });
  });
});

test.each([
  [['output', 'abcd'], /no node "abcd"/],
  [['output', 'no such mark'], /no node "no such mark"/],
  [['output', '00000000-0000-4000-8000-000000000000'], /00000000-0000-4000-8000-000000000000/],
])('%j is not found', async (words, said) => {
  await withTree(async ({ run }) => {
    const ran = await run(words);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(said);
  });
});

function idOf(printed: unknown): string {
  if (typeof printed !== 'object' || printed === null || !('id' in printed)) throw new Error('no id was printed');
  return String(printed.id);
}
