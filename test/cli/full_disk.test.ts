import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { PROGRAM, type Ran, type TestCli, withCli } from '../support/cli.js';

/** Runs the program in a process that may write no byte into any file, while the hub may. */
async function runWithoutRoom({ home, folder }: TestCli, words: readonly string[]): Promise<Ran> {
  const child = spawn('bash', ['-c', 'ulimit -f 0; exec "$@"', 'bash', process.execPath, PROGRAM, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', HOME: folder, COGNITION_HOME: home },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

const UNSAVED = 'Where you stand could not be saved and is as it was: ';

test('what was stored while the position could not be saved is no failure, so that nobody stores it again', () =>
  withCli(async (cli) => {
    await cli.print('new', 'notes');
    const [position] = [await cli.print('show', 'notes')];
    for (const words of [
      ['add', 'notes', 'said'],
      ['exec', 'notes', 'true'],
      ['new', 'others'],
    ]) {
      const { code, stderr } = await runWithoutRoom(cli, words);
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: expect.stringContaining(UNSAVED) });
    }
    const { id }: { id: string } = JSON.parse(await cli.print('use', 'notes', '--json'));
    expect(position).toContain('you are here');
    const shown = await cli.print('show', id);
    expect(shown.match(/said/g)).toHaveLength(1);
    expect(shown.split('\n')[0]).toContain('you are here');
  }));

test('a change that was asked for and could not be made fails in words, and leaves no lock', () =>
  withCli(async (cli) => {
    await cli.print('new', 'notes');
    for (const words of [
      ['use', 'notes'],
      ['config', 'set', 'ascii', 'true'],
    ]) {
      const { code, stderr } = await runWithoutRoom(cli, words);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('cannot be written: EFBIG') });
    }
    await cli.print('config', 'set', 'ascii', 'true');
  }));

test('preferences set at the same time are all kept', () =>
  withCli(async (cli) => {
    const wanted = ['color = never', 'pager = cat', 'ascii = true', 'wrap = words', 'model = demo', 'thinking = low'];
    const all = [...wanted, 'window = 1000', 'hub.idle_minutes = 7'];
    await Promise.all(all.map((line) => cli.print('config', 'set', ...line.split(' = '))));
    const list = await cli.print('config', 'list');
    for (const line of all) expect(list.replaceAll(/ +=/g, ' =')).toContain(line);
  }));
