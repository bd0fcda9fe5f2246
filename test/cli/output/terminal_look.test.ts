import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { pagedSink } from '../../../cli/output/pager.js';
import type { Sink } from '../../../cli/output/sink.js';
import { VERSION } from '../../../hub/config/config.js';
import { PROGRAM, withCli } from '../../support/cli.js';
import { withFolder } from '../../support/hub.js';

const ESCAPE = '\x1b[';

test('the version is printed without anything else', async () => {
  await withCli(async ({ run }) => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect((await run(['hub', 'status'])).code).toBe(6);
  });
});

test.each([
  ['a pipe has no colours', {}, 0],
  ['FORCE_COLOR has', { FORCE_COLOR: '1' }, 1],
  ['CLICOLOR_FORCE has', { CLICOLOR_FORCE: '1' }, 1],
  ['NO_COLOR wins over FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, 0],
  ['an empty NO_COLOR says nothing', { NO_COLOR: '', FORCE_COLOR: '1' }, 1],
  ['COGNITION_COLOR wins over NO_COLOR', { COGNITION_COLOR: 'always', NO_COLOR: '1' }, 1],
])('%s', async (_, env, colored) => {
  await withCli(async ({ run, print }) => {
    await print('new', 'notes');
    expect((await run(['show'], { env })).stdout.includes(ESCAPE)).toBe(colored === 1);
  });
});

test('the option --color wins over all variables', async () => {
  await withCli(async ({ run, print }) => {
    await print('new', 'notes');
    const always = await run(['show', '--color', 'always'], { env: { NO_COLOR: '1' } });
    const never = await run(['show', '--color=never'], { env: { FORCE_COLOR: '1', COGNITION_COLOR: 'always' } });
    expect([always.stdout.includes(ESCAPE), never.stdout.includes(ESCAPE)]).toEqual([true, false]);
  });
});

test('columns and character set are those that are stated', async () => {
  await withCli(async ({ run, print }) => {
    await print('new', 'notes');
    await print('add', '@', 'a message that is longer than the screen is wide');
    await print('add', '@', 'another', '--at', 'root');
    const narrow = await run(['show'], { env: { COLUMNS: '20', LC_ALL: 'C', TERM: 'dumb' } });
    expect(narrow.stdout).toBe('(root)\n |-- User: a mess...\n User: another     *\n');
    const narrowUnicode = await run(['show'], { env: { COLUMNS: '20' } });
    expect(narrowUnicode.stdout).toBe('(root)\n ├── User: a messag…\n User: another     ●\n');
  });
});

test('a reader that goes away early is no failure', async () => {
  await withCli(async ({ home, folder, run, print }) => {
    await print('new', 'notes');
    await run(['add', '@', '-'], { input: 'line\n'.repeat(1_000_000) });
    const program = spawn(process.execPath, [PROGRAM, 'export', '@'], { env: { COGNITION_HOME: home }, cwd: folder });
    const [first] = await once(program.stdout, 'data');
    program.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(program.stderr), once(program, 'close')]);
    expect({ first: String(first).slice(0, 11), stderr, code }).toEqual({ first: 'User: line\n', stderr: '', code: 0 });
  });
});

test('what does not fit on the screen goes through the pager', async () => {
  await withFolder(async (folder) => {
    const file = join(folder, 'paged');
    const direct: string[] = [];
    const output: Sink = { write: async (piece) => void direct.push(piece), end: async () => undefined };
    const paged = pagedSink(output, { isTty: true, columns: 80, rows: 3 }, `/bin/sh -c 'cat > "${file}"'`);
    await paged.write('one\n');
    await paged.write('two\nthree\n');
    await paged.write('four\n');
    await paged.end();
    expect({ paged: readFileSync(file, 'utf8'), direct }).toEqual({ paged: 'one\ntwo\nthree\nfour\n', direct: [] });
  });
});

test('what fits does not, and neither does anything without a terminal or a pager', async () => {
  const direct: string[] = [];
  const output: Sink = { write: async (piece) => void direct.push(piece), end: async () => undefined };
  const small = pagedSink(output, { isTty: true, columns: 80, rows: 3 }, '/bin/cat');
  await small.write('one\n');
  await small.end();
  expect(direct).toEqual(['one\n']);
  const screen = { isTty: true, columns: 80, rows: 3 };
  expect(pagedSink(output, { ...screen, isTty: false }, '/bin/cat')).toBe(output);
  expect(pagedSink(output, screen, 'no-such-pager-anywhere')).toBe(output);
  expect(pagedSink(output, screen, 'cat')).toBe(output);
});
