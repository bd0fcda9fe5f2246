import { expect, test } from 'vitest';
import { KEYS } from '../../../support/terminal.js';
import { withWalk } from './navigator_walk.js';

const WHOLE = [
  '  (root)',
  '  ├── User: What else?',
  '  User: Where shall we go?',
  '  ├── Assistant: To the mountains.',
  '  │   User: How high?',
  '  │   Assistant: Let me look.',
  '  │   [bash:cat heights]',
  '  │   Assistant: Two thousand metres.',
  '  Assistant: To the sea.',
  '  User: When? ●',
  '  ├── Assistant: In June.',
  '  Assistant: In July.',
];
const SEA = /When|June|July/;
const MOUNTAINS = /How high|Let me|cat heights|thousand/;

/** These rows with one chosen; of a folded one with what stands behind it. */
function withSelected(words: string, rows: readonly string[] = WHOLE): string[] {
  return rows.map((row) => (row.includes(words) ? `>${row.slice(1)}` : row));
}

const without = (hidden: RegExp, rows: readonly string[] = WHOLE): string[] => rows.filter((row) => !hidden.test(row));

const folded = (words: string, nodes: number, rows: readonly string[]): string[] =>
  rows.map((row) => (row.includes(words) ? `${row} +${nodes}` : row));

test('arrows, letters and page keys choose a row, and never leave the list', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists, terminal }) => {
    const screen = await open();
    expect(screen[0]).toBe('notes: 12 nodes');
    expect(screen[16]).toMatch(/^-{40}$/);
    await terminal.waitFor(/^-{40}\nWhen\?$/m);
    await lists('', withSelected('When?'));
    await lists('j', withSelected('In June.'));
    await lists(KEYS.down, withSelected('In July.'));
    await lists('k', withSelected('In June.'));
    await lists(KEYS.up, withSelected('When?'));
    await lists('G', withSelected('In July.'));
    await lists('jj', withSelected('In July.'));
    await lists('g', withSelected('(root)'));
    await lists(KEYS.up, withSelected('(root)'));
    await lists(KEYS.end, withSelected('In July.'));
    await lists(KEYS.home, withSelected('(root)'));
    for (const forth of [KEYS.pageDown, ' ', KEYS.control('f')])
      await lists(KEYS.home + forth, withSelected('In July.'));
    for (const back of [KEYS.pageUp, KEYS.control('b')]) await lists(KEYS.end + back, withSelected('(root)'));
    await lists('.', withSelected('When?'));
  });
});

test('branches fold and unfold one by one, and say how much stands behind them', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists, terminal }) => {
    await open();
    const seaFolded = folded('To the sea.', 3, without(SEA));
    await lists('h', withSelected('To the sea.', seaFolded));
    await lists('l', withSelected('To the sea.'));
    await lists(`j${KEYS.left}`, withSelected('To the sea.', seaFolded));
    await lists(KEYS.right, withSelected('To the sea.'));
    // Of a branch of one node there is nothing to fold: it leads to what it grew from.
    await lists('jjh', withSelected('When?'));
    await lists('hh', withSelected('Where shall we go?', seaFolded));
    const all = folded('Where shall we go?', 9, without(/To the|How high|Let me|cat|thousand/, without(SEA)));
    await lists('h', withSelected('Where shall we go?', all));
    await lists('h', withSelected('(root)', all));
    terminal.type('h');
    await terminal.waitFor('This is the trunk: only branches fold.');
    await lists('jjl', withSelected('Where shall we go?', seaFolded));
    // A branch that is not folded: the row below.
    await lists('l', withSelected('To the mountains.', seaFolded));
  });
});

test('z folds all that does not lead to the chosen row, and unfolds everything', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists }) => {
    await open();
    const mountainsFolded = folded('To the mountains.', 4, without(MOUNTAINS));
    await lists('z', withSelected('When?', mountainsFolded));
    await lists('z', withSelected('When?'));
    await lists(
      'gjz',
      withSelected('What else?', folded('Where shall we go?', 9, without(/To the|When|In J/, without(MOUNTAINS)))),
    );
    await lists('z', withSelected('What else?'));
  });
});

test('filters list messages, tools, ends and marks, and give the place back', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists, terminal, client, tree, id }) => {
    await client.call('loom.mark_set', { tree, name: 'height', node: id('How high?') });
    await open('#height');
    const marked = WHOLE.map((row) => (row.includes('How high?') ? `${row} #height` : row));
    await lists('f', withSelected('When?', without(/root|cat heights/, marked)));
    expect(terminal.screen()[0]).toBe('notes: 12 nodes, shown: messages');
    await lists('f', ['> │   [bash:cat heights]']);
    expect(terminal.screen()[0]).toBe('notes: 12 nodes, shown: tools');
    await lists('f', withSelected('In June.', without(/root|Where|To the|When|How high|Let me|cat heights/)));
    expect(terminal.screen()[0]).toBe('notes: 12 nodes, shown: ends of branches');
    await lists(
      KEYS.tab,
      withSelected(
        'How high?',
        marked.filter((row) => row.includes('#height')),
      ),
    );
    expect(terminal.screen()[0]).toBe('notes: 12 nodes, shown: marks');
    await lists(KEYS.tab, withSelected('When?', marked));
    expect(terminal.screen()[0]).toBe('notes: 12 nodes');
  });
});

test('ends and marks are listed in folded branches too, and what is chosen there is seen in the tree', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists, client, tree, id }) => {
    await client.call('loom.mark_set', { tree, name: 'height', node: id('How high?') });
    await open('#height');
    const marked = WHOLE.map((row) => (row.includes('How high?') ? `${row} #height` : row));
    const mountainsFolded = folded('To the mountains.', 4, without(MOUNTAINS));
    await lists('z', withSelected('When?', mountainsFolded));
    const ends = without(/root|Where|To the|When|How high|Let me|cat heights/);
    await lists('fff', withSelected('In June.', ends));
    const marks = marked.filter((row) => row.includes('#height'));
    await lists('f', withSelected('How high?', marks));
    await lists('f', withSelected('When?', mountainsFolded));
    await lists('ffffj', withSelected('How high?', marks));
    await lists('f', withSelected('How high?', marked));
  });
});

test('where nothing is of a kind that is said, and no key acts on nothing', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists, terminal }) => {
    await open();
    terminal.type('ffff');
    await terminal.waitFor('Nothing of this kind is here. f lists other kinds.');
    for (const key of [KEYS.enter, 'e', 'm', 'x', 'd']) {
      terminal.type(key);
      await terminal.waitFor('Nothing is chosen: nothing is listed.');
      terminal.type('j');
      await terminal.waitFor((screen) => !screen.join('\n').includes('Nothing is chosen'));
    }
    await lists('f', withSelected('When?'));
  });
});

test('a search looks with every letter, and n and N show what was found in the tree', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists, terminal }) => {
    await open();
    terminal.type('/');
    await terminal.waitFor(/^\/$/m);
    for (const letter of 'heigh') terminal.type(letter);
    await terminal.waitFor(/cat heights/);
    terminal.type('xx');
    await terminal.waitFor('Nothing has "heighxx" in it.');
    terminal.type(KEYS.control('u'), 'in ju');
    await terminal.waitFor((screen) => screen.slice(1, 3).every((row) => /In Ju/.test(row)) && screen[3] === '');
    terminal.type(KEYS.tab);
    const first = await terminal.waitFor('1 of 2 found: n and N show the others.');
    const row = first.find((one) => one.startsWith('>')) ?? '';
    const other = row.includes('June') ? 'In July.' : 'In June.';
    const shown = row.includes('June') ? 'In June.' : 'In July.';
    await lists('n', withSelected(other));
    await terminal.waitFor('2 of 2 found');
    await lists('n', withSelected(shown));
    await lists('N', withSelected(other));
    terminal.type('/metres');
    // Below the list, what the chosen hit says.
    await terminal.waitFor(/^-{40}\nTwo thousand metres\.$/m);
    await lists(KEYS.escape, withSelected(other));
    await terminal.waitFor(new RegExp(`^-{40}\\n${other}$`, 'm'));
  });
});

test('a hit is gone to with Enter, chosen among several with the arrows', async () => {
  await withWalk({ at: 'When?' }, async ({ open, terminal }) => {
    await open();
    terminal.type('/in ju');
    const screen = await terminal.waitFor((rows) => rows.slice(1, 3).every((row) => /In Ju/.test(row)));
    terminal.type(KEYS.down, KEYS.enter);
    await terminal.waitFor(screen[2]?.includes('June') ? /You are at .*In June\./ : /You are at .*In July\./);
    expect(terminal.modes().alternate).toBe(false);
  });
});

test('? lists the keys, p takes the preview away, and any key or p brings the tree back', async () => {
  await withWalk({ at: 'When?' }, async ({ open, lists, terminal }) => {
    await open();
    terminal.type('?');
    await terminal.waitFor('search all that was said');
    expect(terminal.screen().join('\n')).not.toContain('To the sea.');
    await lists('x', withSelected('When?'));
    terminal.type('p');
    await terminal.waitFor((screen) => !screen.some((row) => row.startsWith('-----')));
    terminal.type('p');
    await terminal.waitFor(/^-{40}\nWhen\?$/m);
  });
});

test('a search that takes long says that it searches, and then shows what it found', async () => {
  await withWalk({ at: 'When?' }, async ({ open, client, terminal }) => {
    await open();
    const { pid } = await client.call('health.check', {});
    terminal.type('/');
    await terminal.waitFor(/^\/$/m);
    process.kill(pid, 'SIGSTOP');
    try {
      terminal.type('metres');
      await terminal.waitFor(/^\/metres {2}searching…$/m);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await terminal.waitFor(/Two thousand metres\./);
    await terminal.waitFor(/^\/metres$/m);
  });
});
