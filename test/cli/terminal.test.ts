import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { rawOutput } from '../../cli/output/raw_output.js';
import { withCli } from '../support/cli.js';
import { inShell } from './shell.js';

const isScriptHere = spawnSync('script', ['--version']).status === 0;

test.runIf(isScriptHere)('on a terminal a command prints without control sequences', async () => {
  await withCli(async (cli) => {
    await cli.print('new', 'notes');
    const command = String.raw`printf '\033[31mred\033[0m \033]0;evil\007 50%%\r60%%\n'`;
    writeFileSync(join(cli.folder, 'command'), command);
    const { stdout } = await inShell(cli, `script -qec 'cognition exec @ "$(cat command)"' /dev/null < /dev/null`);
    expect(stdout).toBe('red  50%\r\n60%\r\n');
    // What was printed is kept as it was.
    expect(await cli.print('output', '@')).toBe('\x1b[31mred\x1b[0m \x1b]0;evil\x07 50%\r60%\n');
  });
});

test('what is cut inside a character is put together again', async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  const out = rawOutput(stream);
  const bytes = Buffer.from('数据 👩‍👩‍👧\n');
  for (const byte of bytes) await out.write(Buffer.from([byte]));
  await out.write(Buffer.from([0xff]));
  await out.write(Buffer.from([0xe6, 0x95]));
  await out.end();
  stream.end();
  expect(await text(stream)).toBe('数据 👩‍👩‍👧\n\uFFFD\uFFFD');
});

test('to a file or a pipe every byte goes as it is', async () => {
  const stream = new PassThrough();
  const out = rawOutput(stream);
  await out.write(Buffer.from([0x1b, 0x5b, 0xff, 0x00]));
  await out.end();
  stream.end();
  expect(Buffer.concat(await stream.toArray())).toEqual(Buffer.from([0x1b, 0x5b, 0xff, 0x00]));
});

test('a writer waits for its reader, until it is told to hurry', async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const out = rawOutput(stream);
  const written = out.write(Buffer.alloc(20));
  let isWritten = false;
  void written.then(() => {
    isWritten = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isWritten).toBe(false);
  out.hurry();
  await written;
  await out.write(Buffer.alloc(30)); // nobody reads: it is dropped
  stream.end();
  expect(Buffer.concat(await stream.toArray())).toHaveLength(20);
});
