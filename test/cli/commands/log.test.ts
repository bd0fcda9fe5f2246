import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { LogLine } from '../../../hub/protocol/event_log.js';
import { PROGRAM, type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { connectTo, hubEnded, killHub } from '../../support/hub.js';

const lineOf = (text: string): LogLine => LogLine.parse(JSON.parse(text));

const typesIn = (printed: string): string[] =>
  printed
    .trimEnd()
    .split('\n')
    .map((text) => {
      const line = lineOf(text);
      return line.kind === 'header' ? 'header' : line.payload.type;
    });

test('the log of any tree is printed from the tree itself, in the same lines as its file', async () => {
  await withCli(async ({ home, run, print }) => {
    await print('new', 'notes');
    await print('add', '@', 'only notes, 数据');
    await print('exec', '@', 'echo hi');
    expect(typesIn(await print('log'))).toEqual(['header', 'root', 'user', 'command']);
    expect(readdirSync(join(home, 'logs'))).toEqual(['hub.log']);
    await run(['ask', '@', 'list the files', '--model', 'demo']);
    const printed = await print('log', 'notes');
    expect(typesIn(printed)).toEqual([
      ...['header', 'root', 'user', 'command', 'user', 'assistant', 'tool_result', 'assistant'],
    ]);
    const ended = hubEnded(home);
    await run(['hub', 'stop']);
    await ended;
    const [name = ''] = readdirSync(join(home, 'logs')).filter((one) => one.endsWith('.jsonl'));
    expect(readFileSync(join(home, 'logs', name), 'utf8')).toBe(printed);
    expect(await print('log', '@', '--json')).toBe(printed);
    expect(await print('log', '@', '--jsonl')).toBe(printed);
    expect(await run(['log', 'nothing'])).toMatchObject({ code: 3, stdout: '' });
  });
});

/** The program while it runs: the lines that it prints, as they come. */
function following({ home, folder }: TestCli, ...words: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: userHomeBeside(folder), LANG: 'C.UTF-8', COGNITION_HOME: home };
  const child = spawn(process.execPath, [PROGRAM, 'log', ...words], { cwd: folder, env });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const stderr: Buffer[] = [];
  child.stderr.on('data', (bytes: Buffer) => void stderr.push(bytes));
  return {
    ...{ child, lines, closed: once(child, 'close'), stderr: () => Buffer.concat(stderr).toString() },
    /** Resolves with the first line that fits. */
    line: (fits: (line: string) => boolean): Promise<string> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

test('following goes on over the end of the hub, misses nothing, and ends quietly', async () => {
  await withCli(async (cli) => {
    await cli.print('new', 'notes');
    await cli.print('add', '@', 'first');
    const log = following(cli, '@', '--follow');
    await log.line((line) => line.includes('"first"'));
    await cli.run(['ask', '@', 'list the files', '--model', 'demo']);
    const answer = await log.line((line) => line.includes('"assistant"') && line.includes('I found'));
    expect(lineOf(answer)).toMatchObject({ token_usage: { tokens_in: expect.any(Number) } });
    await killHub(cli.home);
    await cli.print('add', '@', 'second');
    await log.line((line) => line.includes('"second"'));
    const ended = hubEnded(cli.home);
    await cli.run(['hub', 'stop']);
    await ended;
    // It alone starts no hub again.
    await expect(connectTo(cli.home, { start: false })).rejects.toThrow('no hub is running');
    await cli.print('add', '@', 'third');
    await log.line((line) => line.includes('"third"'));
    log.child.kill('SIGINT');
    expect(await log.closed).toEqual([130, null]);
    expect(log.stderr()).toBe('');
    expect(`${log.lines.join('\n')}\n`).toBe(await cli.print('log'));
  });
});

test('a reader that goes away ends it silently, and so does a purge', async () => {
  await withCli(async (cli) => {
    await cli.print('new', 'notes');
    await cli.print('add', '@', 'first');
    const gone = following(cli, 'notes', '-f');
    const purged = following(cli, 'notes', '-f');
    await Promise.all([gone, purged].map(({ line }) => line((one) => one.includes('"first"'))));
    gone.child.stdout.destroy();
    await cli.print('add', '@', 'second');
    expect([await gone.closed, gone.stderr()]).toEqual([[0, null], '']);
    await cli.print('purge', 'notes', '--yes');
    expect([await purged.closed, purged.stderr()]).toEqual([[0, null], 'The conversation was purged.\n']);
  });
});
