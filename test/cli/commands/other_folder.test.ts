import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../cli/command_table.js';
import { PROGRAM, type TestCli, withCli } from '../../support/cli.js';
import { KEYS, type TestTerminal, withTerminal } from '../../support/terminal.js';

interface Folders extends TestCli {
  /** The id of the tree of the first folder, which is the last one that was used. */
  tree: string;
  /** Another folder, in which no tree was used. */
  other: string;
  there(...words: string[]): ReturnType<TestCli['run']>;
}

/** A conversation in one folder, and a person in another. */
function withFolders(use: (folders: Folders) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    const other = join(dirname(cli.folder), 'other');
    mkdirSync(other);
    const tree = (await cli.print('new', 'first')).trim();
    await cli.print('add', tree, 'a message');
    await use({ ...cli, tree, other, there: (...words) => cli.run(words, { folder: other }) });
  });
}

const nodes = async ({ json, tree }: Folders): Promise<number> => {
  const tells = (await json('list')) as { id: string; node_count: number }[];
  return tells.find(({ id }) => id === tree)?.node_count ?? 0;
};

/** Commands that only show something. */
const READING: readonly (readonly string[])[] = [
  ['show', '@'],
  ['context', '@'],
  ['leaves', '@'],
  ['branches', '@'],
  ['log', '@'],
  ['cost', '@'],
  ['export', '@'],
  ['mark', '@'],
  ['compare', '@', 'root', 'root'],
  ['search', 'message', '--tree', '@'],
  ['fsck', '@'],
  ['list', '--of', '@'],
  ['jobs', '@'],
  ['permissions', '@'],
  ['open', '@', '--in', 'gemini'],
  ['output', 'root', '--tree', '@'],
];

/** Commands that change the conversation, or let something happen in its folder. */
const ACTING: readonly (readonly string[])[] = [
  ['add', '@', 'more'],
  ['exec', '@', 'touch made'],
  ['ask', '@', 'more', '--model', 'demo'],
  ['ask', '--continue', '--model', 'demo'],
  ['chat', '@', '--model', 'demo'],
  ['attach', '@', 'file:made'],
  ['answer', 'yes'],
  ['compact', '@', '--model', 'demo'],
  ['rename', '@', 'other'],
  ['mark', '@', 'here'],
  ['delete', '@'],
  ['restore', '@', 'root'],
  ['purge', '@', '--yes'],
  ['race', '@', 'more', '--with', 'demo'],
  ['pick', '1', '@'],
  ['consult', '@', 'more', '--model', 'demo'],
  ['group', '@', 'more', '--with', 'demo,demo'],
  ['spawn', '-t', 'work', '--parent-session', '@', '--model', 'demo'],
];

/** Commands that choose the current tree or make another one, know those of this project alone, miss their agent first here, or serve until they are ended. */
const OTHERS = ['fork', 'use', 'sessions', 'share', 'unshare', 'web', 'work'];

test('every command that takes a tree is known here to read or to act', () => {
  const taking = COMMANDS.flatMap((one) => (one.kind === 'group' ? one.commands : [one])).filter(
    ({ arguments: words, values }) =>
      words.some(({ completes }) => completes === 'tree') || values.some(({ value }) => value === 'tree'),
  );
  const known = [...READING, ...ACTING].map(([name]) => name);
  expect(
    taking
      .map(({ name }) => name)
      .filter((name) => !known.includes(name))
      .toSorted(),
  ).toEqual(OTHERS.toSorted());
});

test('in another folder what reads `@` just works, and what acts on it is refused in one line', async () => {
  await withFolders(async (folders) => {
    const before = await nodes(folders);
    for (const words of READING) {
      const { code, stderr } = await folders.there(...words);
      if (words[0] === 'output') expect(stderr).not.toContain('works in');
      else expect({ words, code, stderr: stderr.replace(/^\(.*\n/, '') }).toMatchObject({ words, code: 0 });
    }
    for (const words of ACTING) {
      const { code, stdout, stderr } = await folders.there(...words);
      expect({ words, code, stdout }).toEqual({ words, code: 8, stdout: '' });
      expect(stderr).toMatch(
        /^cognition: the conversation [0-9a-f]{8}, first, works in .*work, and you are in .*other\nhint: .*\n$/,
      );
    }
    expect(await nodes(folders)).toBe(before);
    expect(existsSync(join(folders.folder, 'made'))).toBe(false);
    expect(readdirSync(folders.other)).toEqual([]);
  });
});

test('`@` is the current conversation of the project that one is in', async () => {
  await withFolders(async ({ print, there, tree, run, folder, other }) => {
    const second = (await there('new', 'second')).stdout.trim();
    expect((await there('show', '@', '--json')).stdout).toContain(second);
    expect(await print('show', '@', '--json')).toContain(tree);
    // Control: the same words with the file of a version that knew one current tree alone.
    expect((await there('exec', '@', 'touch made')).code).toBe(0);
    expect(existsSync(join(other, 'made'))).toBe(true);
    expect((await run(['exec', '@', 'touch mine'])).code).toBe(0);
    expect(readdirSync(folder)).toContain('mine');
    expect((await there('use', 'first')).code).toBe(0);
    expect((await there('add', '@', 'meant')).code).toBe(0);
    expect((await there('exec', '@', 'true')).code).toBe(8);
  });
});

test('who names a tree may add to it from anywhere, and says --there to let something happen in its folder', async () => {
  await withFolders(async ({ there, tree, folder }) => {
    expect((await there('add', tree, 'more')).code).toBe(0);
    expect((await there('exec', tree, 'touch made')).code).toBe(8);
    expect((await there('ask', tree, 'list the files', '--model', 'demo')).code).toBe(8);
    expect((await there('exec', tree, 'touch made', '--there')).code).toBe(0);
    expect((await there('exec', tree, 'touch made', '--cwd', folder)).code).toBe(0);
    expect((await there('ask', '@', 'help', '--model', 'demo', '--there')).code).toBe(0);
  });
});

test('list shows the conversations of this project first, the others below their folder', async () => {
  await withFolders(async ({ there, print, tree }) => {
    const second = (await there('new', 'second')).stdout.trim();
    const line = (sign: string, id: string, name: string) =>
      `${sign} ${id.slice(0, 8)}  ${name.padEnd(6)}  \\d messages?  +1 branch  just now\\n`;
    expect((await there('list')).stdout).toMatch(
      new RegExp(`^${line('\\*', second, 'second')}.*/work:\\n${line(' ', tree, 'first')}$`),
    );
    expect(await print('list')).toMatch(
      new RegExp(`^${line('\\*', tree, 'first')}.*/other:\\n${line(' ', second, 'second')}$`),
    );
  });
});

function chatIn(
  { folder, home }: { folder: string; home: string },
  words: readonly string[],
  use: (terminal: TestTerminal) => Promise<void>,
) {
  const env = { COGNITION_HOME: home, HOME: dirname(folder), TERM_PROGRAM: 'vscode' };
  const command = { command: process.execPath, args: [PROGRAM, 'chat', ...words], cwd: folder, env };
  return withTerminal({ ...command, reflowsCursorLine: false }, use);
}

test('on a terminal a chat that goes on elsewhere asks first, and its first lines name the folder', async () => {
  await withFolders(async ({ home, other, tree }) => {
    const question = new RegExp(`the conversation ${tree.slice(0, 8)}, first, works in ~/work,\\s+not here\\.`);
    await chatIn({ folder: other, home }, ['@'], async (terminal) => {
      await terminal.waitFor(question);
      terminal.type(KEYS.enter);
      expect(await terminal.exited).toMatchObject({ code: 8 });
    });
    await chatIn({ folder: other, home }, ['@'], async (terminal) => {
      await terminal.waitFor(question);
      terminal.type('y', KEYS.enter);
      await terminal.waitFor(`Tree: ${tree}\nFolder: ~/work\n`);
    });
    await chatIn({ folder: other, home }, [], async (terminal) => {
      await terminal.waitFor(/Tree: .*\nFolder: ~\/other\n/);
      await terminal.waitFor('Commands: /help');
      terminal.type('/use first', KEYS.enter);
      await terminal.waitFor('that conversation works in ~/work, not here');
      terminal.type('/use --there first', KEYS.enter);
      await terminal.waitFor(`Tree: ${tree}\nFolder: ~/work\n`);
      // Its own commands are about it, wherever it works.
      terminal.type('/mark here', KEYS.enter);
      await terminal.waitFor(/Marked .* as "here"/);
    });
  });
});
