import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEY, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { type Walk, withWalk } from './navigator_walk.js';

/** The words of what grew from a node. */
async function below({ client, id }: Pick<Walk, 'client' | 'id'>, name: string): Promise<string[]> {
  const { children } = await client.call('loom.node_get_children', { node: id(name) });
  return children.map(({ preview }) => preview);
}

/** Says yes to what is asked. */
async function confirm(terminal: TestTerminal, question: string): Promise<void> {
  await terminal.waitFor(`y/n  ${question}`);
  terminal.type('y');
}

const left = (screen: string[]): boolean => /\[ INSERT \]/.test(screen.at(-1) ?? '');

test('Enter goes to the chosen node: the status says so, and the next message hangs there', async () => {
  await withWalk({ at: 'When?' }, async (walk) => {
    const { open, terminal, id } = walk;
    await open();
    terminal.type('j', KEYS.enter);
    const screen = await terminal.waitFor(/You are at [0-9a-f]{8} {2}Assistant: In June\./);
    expect(terminal.modes().alternate).toBe(false);
    expect(screen.at(-1)).toMatch(new RegExp(`^\\[ INSERT \\].* at ${id('In June.').slice(0, 8)}$`));
    terminal.type('By train.', KEYS.enter);
    await terminal.waitFor('messages are kept as notes');
    await terminal.waitFor(/^> By train\.$/m);
    expect(await below(walk, 'In June.')).toEqual(['By train.']);
  });
});

test('e takes a message back into the editor, and what is said is an alternative to it', async () => {
  await withWalk({ at: 'When?' }, async (walk) => {
    const { open, terminal, id } = walk;
    await open();
    terminal.type('ke');
    await terminal.waitFor('Only a message of yours can be taken back into the editor.');
    terminal.type('je');
    await confirm(terminal, 'Go there and say it otherwise?');
    await terminal.waitFor(/What you say next is another branch from here\.[\s\S]*^> When\?$/m);
    expect(terminal.screen().at(-1)).toContain(` at ${id('To the sea.').slice(0, 8)}`);
    expect(terminal.cursor()).toMatchObject({ column: 7, visible: true });
    terminal.type(KEYS.backspace, ', and for how long?', KEYS.enter);
    await terminal.waitFor('messages are kept as notes');
    expect(await below(walk, 'To the sea.')).toEqual(['When?', 'When, and for how long?']);
  });
});

test('m names a place, and a mark may have any letters', async () => {
  await withWalk({ at: 'When?' }, async ({ open, terminal, client, tree, id }) => {
    await open();
    terminal.type('gjm');
    await terminal.waitFor(/^Name of the mark:$/m);
    terminal.type('gipfel 山x', KEYS.backspace, KEYS.enter);
    await terminal.waitFor('Marked: gipfel 山');
    await terminal.waitFor(/What else\? +#gipfel 山 just now/);
    expect((await client.call('loom.mark_list', { tree })).marks).toMatchObject([
      { name: 'gipfel 山', node: id('What else?') },
    ]);
    terminal.type('m', KEYS.escape);
    await terminal.waitFor((screen) => !screen.join('\n').includes('Name of the mark'));
    // A name that no mark can have is refused in words, and nothing is lost.
    terminal.type('m4d3a', KEYS.enter);
    await terminal.waitFor(
      (screen) => /mark|name/i.test(screen.at(-1) ?? '') && !/Name of the mark/.test(screen.at(-1) ?? ''),
    );
  });
});

test('x archives a branch, takes that back at once, and says where it is not possible', async () => {
  await withWalk({ at: 'When?' }, async ({ open, terminal, list, lists, client, tree, id }) => {
    await open();
    terminal.type('gx');
    await terminal.waitFor('The root cannot be archived');
    terminal.type('gjjj', 'x');
    await confirm(terminal, 'Archive this branch?');
    await terminal.waitFor(`cognition restore ${tree.slice(0, 8)} ${id('To the mountains.').slice(0, 8)}`);
    await lists('', [
      ...['  (root)', '  ├── User: What else?', '  User: Where shall we go?'],
      ...['> ├── Assistant: To the mountains. +4 archived', '  Assistant: To the sea.', '  User: When? ●'],
      ...['  ├── Assistant: In June.', '  Assistant: In July.'],
    ]);
    expect((await client.call('loom.context_list_leaves', { tree })).leaves).toHaveLength(3);
    terminal.type('x');
    await confirm(terminal, 'Take it out of the archive?');
    await terminal.waitFor('Not archived any more.');
    expect(list().at(-5)).toBe('  │   Assistant: Two thousand metres.');
    expect((await client.call('loom.context_list_leaves', { tree })).leaves).toHaveLength(4);
    terminal.type('x');
    await confirm(terminal, 'Archive this branch?');
    await terminal.waitFor('Archived. x takes that back');
    terminal.type('q');
    await terminal.waitFor(left);
    await client.call('loom.branch_restore', { tree, node: id('To the mountains.') });
    const screen = await open('Two thousand');
    expect(screen[0]).toBe('notes: 12 nodes');
  });
});

test('whoever stands in a branch that is archived sees where it grew, and is told so', async () => {
  await withWalk({ at: 'In July.' }, async ({ open, terminal, client, tree, id }) => {
    await client.call('loom.branch_archive', { tree, node: id('When?') });
    const screen = await open('To the sea.');
    expect(screen.join('\n')).not.toContain('●');
    expect(screen.find((row) => row.startsWith('>'))).toContain('To the sea.');
    terminal.type('.');
    await terminal.waitFor('Where you stand is in an archived branch.');
    terminal.type('Gd');
    await terminal.waitFor('Where you stand is in an archived branch.');
  });
});

test('d shows what the chosen node and the position do not share', async () => {
  await withWalk({ at: 'When?' }, async ({ open, terminal }) => {
    await open();
    terminal.type('d');
    await terminal.waitFor('You stand here. Choose another node to compare it with.');
    terminal.type('gjjjjjjjd');
    const screen = await terminal.waitFor('Only there: 5 nodes');
    expect(screen.slice(1, 15).filter((row) => row !== '')).toEqual([
      ...['Only where you stand: 2 nodes', '  Assistant: To the sea.', '  User: When?'],
      ...['Only there: 5 nodes', '  Assistant: To the mountains.', '  User: How high?', '  Assistant: Let me look.'],
      ...['  [bash:cat heights]', '  Assistant: Two thousand metres.'],
    ]);
    terminal.type('d');
    await terminal.waitFor('User: Where shall we go?');
  });
});

test('it opens with Space t too, and Esc, q, i and Ctrl-C leave it as it was entered', async () => {
  await withWalk({ at: 'When?' }, async ({ open, terminal, id }) => {
    for (const key of [KEYS.escape, 'q', 'i', KEYS.control('c')]) {
      await open();
      terminal.type(`j${key}`);
      await terminal.waitFor(left);
      expect(terminal.modes().alternate).toBe(false);
      expect(terminal.screen().at(-1)).toContain(` at ${id('When?').slice(0, 8)}`);
    }
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(' ', 't');
    await terminal.waitFor(/^notes: 12 nodes$/m);
  });
});

test('without colours the same is read, and the chosen row is still told', async () => {
  await withWalk({ at: 'When?', env: { NO_COLOR: '1' } }, async ({ open, terminal }) => {
    const screen = await open('When? ●');
    expect(screen.find((row) => row.startsWith('> '))).toContain('User: When? ●');
    const before = terminal.raw().length;
    terminal.type('jfd/x');
    await terminal.waitFor(/^\/x$/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    expect(terminal.raw().slice(before)).not.toMatch(/\u001b\[(?:3|4|9|10)\d[;m]/);
  });
});

test.each([
  { columns: 20, rows: 6 },
  { columns: 200, rows: 60 },
])('every key draws whole rows in a window of $columns columns and $rows rows', async (size) => {
  await withWalk({ at: 'When?', size }, async ({ open, terminal }) => {
    await open();
    for (const key of ['j', 'h', 'l', 'z', 'f', 'ffff', '?', '?', 'G', 'd', 'd', 'p', '/sea']) {
      terminal.type(key);
      await terminal.waitFor(
        (screen) => screen.length === size.rows && (screen[0] ?? '').startsWith('notes: 12 nodes'),
      );
    }
    await terminal.waitFor(/^\/sea$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor((screen) => !(screen.at(-1) ?? '').startsWith('/'));
    terminal.type('gj');
    await terminal.waitFor((screen) => screen.some((row) => row.startsWith('> ') && row.includes('User')));
    terminal.type('q');
    await terminal.waitFor(() => !terminal.modes().alternate);
  });
});

test('a window that becomes larger and smaller keeps the chosen row in sight', async () => {
  await withWalk({ at: 'Two thousand metres.' }, async ({ open, terminal }) => {
    await open();
    for (const [columns, rows] of [
      [40, 8],
      [20, 6],
      [120, 40],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows);
      const screen = await terminal.waitFor(
        (all) => all.length === rows && /^notes: /.test(all[0] ?? '') && all.some((row) => row.startsWith('> ')),
      );
      expect(screen.filter((row) => row.startsWith('> '))).toHaveLength(1);
    }
    await terminal.waitFor(/^> .*Two thousand metres\. ●/m);
  });
});

test('while a turn runs its nodes appear, those of another terminal too, and the chosen row stays', async () => {
  await withModelServer((server) => {
    const env = {
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
      COGNITION_MODEL: 'anthropic/claude-sonnet-5',
    };
    return withWalk({ at: 'What else?', env }, async ({ terminal, another, tree, id }) => {
      server.script(
        say(words('Wait.'), call('c1', 'bash', { command: 'until [ -e go ]; do sleep 0.05; done; echo gone' })),
        say(words('All done.')),
      );
      terminal.type('a walk', KEYS.enter);
      await terminal.waitFor('until [ -e go ]');
      // Esc would stop the turn.
      terminal.type(KEYS.control('o'));
      await terminal.waitFor('NORMAL');
      terminal.type(KEYS.escape);
      const screen = await terminal.waitFor('User: a walk ●');
      const row = screen.findIndex((one) => one.startsWith('>'));
      await another([tree, '--at', id('When?')], async (second) => {
        await second.waitFor(/^> /m);
        second.type('!touch go; echo touched', KEYS.enter);
        await second.waitFor('touched');
        const shown = await terminal.waitFor(
          (all) => all[0] === 'notes: 17 nodes' && /bash:touch go/.test(all.join('\n')),
        );
        expect(shown.findIndex((one) => one.startsWith('>'))).toBe(row);
        expect(shown[row]).toContain('User: a walk');
        // Whoever stands in a turn comes along with it. Its end lies below what 24 rows show.
        terminal.resize(80, 40);
        await terminal.waitFor(/Assistant: All done\. ●/);
        terminal.type('.');
        await terminal.waitFor(/^> .*Assistant: All done\. ●/m);
      });
    });
  });
});
