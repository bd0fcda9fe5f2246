import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from '../../cli/command_line/args.js';
import { COMMANDS } from '../../cli/command_table.js';
import { withFolder } from '../support/hub.js';

const guide = fileURLToPath(new URL('../../docs/guide/', import.meta.url));
const documents = readdirSync(guide);
const textOf = (name: string): string => readFileSync(join(guide, name), 'utf8');

const blocksIn = (markdown: string, kind: string): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${kind}\n([^\`]*(?:\`[^\`]+)*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );

/** The calls of cognition in a line of a shell, or of a service, as words; what a shell puts in stays as it is written. */
function callsIn(line: string): string[][] {
  const code = line.replace(/(^|\s)#.*$/, '').replace(/^(?:\w+\$\s+|ExecStart=\/usr\/bin\/env\s+)/, '');
  const tokens = [...code.matchAll(/"[^"]*"|'[^']*'|\|\||&&|[|;<>]+|[^\s|;<>&]+/g)].map(([token]) => token);
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if (/^(\|\||&&|[|;<>]+)$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/^(["'])(.*)\1$/, '$2'));
  }
  return commands.flatMap(([program, ...words]) => (program === 'cognition' ? [words] : []));
}

const shown = documents.flatMap((name) =>
  [...blocksIn(textOf(name), 'sh'), ...blocksIn(textOf(name), 'ini')].flatMap((block) =>
    block.split('\n').flatMap((line) => callsIn(line).map((words) => ({ name, words }))),
  ),
);

test('the guide shows commands', () => {
  expect(shown.length).toBeGreaterThan(25);
  expect(callsIn('a$ x | cognition ask "b; c" --on team > f; cognition list # cognition')).toEqual([
    ['ask', 'b; c', '--on', 'team'],
    ['list'],
  ]);
});

test.each(shown)('$name: cognition $words is a command, with these options', async ({ words }) => {
  expect(await parse(words, COMMANDS, 80)).toMatchObject({ kind: expect.stringMatching(/run|help/) });
});

const ANALYZE = 'systemd-analyze';
const hasSystemd = spawnSync(ANALYZE, ['--version']).status === 0;

describe.skipIf(!hasSystemd)('the service of the guide', () => {
  test('is one that systemd takes without a word', async () => {
    const [unit = ''] = blocksIn(textOf('sharing.md'), 'ini');
    expect(unit).toContain('ExecStart=/usr/bin/env cognition worker ');
    await withFolder(async (folder) => {
      const file = join(folder, 'cognition-worker.service');
      writeFileSync(file, unit);
      const { status, stderr } = spawnSync(ANALYZE, ['verify', file], { encoding: 'utf8' });
      expect({ status, told: stderr.split('\n').filter((line) => line.includes('cognition-worker')) }).toEqual({
        ...{ status: 0, told: [] },
      });
    });
  });
});
