import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commandsPage } from '../../.dev/commands_page.js';
import { protocolPage } from '../../.dev/protocol_page.js';
import { COMMANDS } from '../../cli/command_table.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = (path: string): string => readFileSync(join(root, path), 'utf8');

test('docs/protocol.md is what `npm run docs` writes from the method table', () => {
  expect(text('docs/protocol.md')).toBe(protocolPage());
});

test('docs/commands.md is what `npm run docs` writes from the table of commands', () => {
  expect(text('docs/commands.md')).toBe(commandsPage(COMMANDS));
});

test('every option of every command is used by a test', () => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => text(join('test', name)))
    .join('\n');
  const commands = COMMANDS.flatMap((entry) => (entry.kind === 'group' ? entry.commands : [entry]));
  const options = commands.flatMap(({ name, flags, values }) =>
    [...flags, ...values].map((option) => `${name} --${option.name}`),
  );
  const untested = options.filter((option) => !tests.includes(option.slice(option.indexOf('--'))));
  expect(untested).toEqual([]);
});
