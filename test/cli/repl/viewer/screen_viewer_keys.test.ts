import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal, withChat } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle, withTalkOnScreen } from '../screen/screen_talk.js';

const LINES = Array.from({ length: 60 }, (_, line) => `row ${line + 1} of a needle`).join('\n\n');

/** Opens the transcript of a question, its long answer, and the row at the top. */
async function openLong(terminal: TestTerminal): Promise<void> {
  await terminal.waitFor('Commands: /help');
  terminal.type('go', KEYS.enter);
  await terminal.waitFor('row 60 of a needle');
  await idle(terminal);
  terminal.type(KEYS.escape);
  await terminal.waitFor((rows) => rows.at(-3) === '│ row 60 of a needle');
}

const topRow = (rows: string[]): string => /row \d+|> go/.exec(rows.slice(0, -2).join('\n'))?.[0] ?? '';

test('every key that scrolls goes as far as it says', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words(LINES)));
    await openLong(terminal);
    const steps: [string, string][] = [
      ['k', 'row 49'],
      ['j', 'row 50'],
      ['u', 'row 44'],
      ['d', 'row 50'],
      [KEYS.pageUp, 'row 39'],
      [KEYS.pageDown, 'row 50'],
      [KEYS.control('b'), 'row 39'],
      [KEYS.control('f'), 'row 50'],
      [KEYS.up, 'row 49'],
      [KEYS.down, 'row 50'],
      ['g', '> go'],
      ['G', 'row 50'],
      [KEYS.home, '> go'],
      [KEYS.end, 'row 50'],
      ['[', '> go'],
      [']', 'row 1'],
    ];
    for (const [key, top] of steps) {
      terminal.type(key);
      await terminal.waitFor((rows) => topRow(rows) === top);
    }
    terminal.type(KEYS.enter);
    await terminal.waitFor(/^│ row 1 of a needle -- 119 lines$/m);
    terminal.type(KEYS.enter);
    await terminal.waitFor(/^│ row 2 of a needle$/m);
    terminal.type('?');
    await terminal.waitFor(/Space n {2}network on, off/);
    terminal.type('z');
    await terminal.waitFor(/^│ row 2 of a needle$/m);
    for (const key of ['q', 'i', KEYS.control('c')]) {
      terminal.type(key);
      await terminal.waitFor('[ INSERT ]');
      terminal.type(KEYS.escape);
      await terminal.waitFor('[ NORMAL ]');
    }
  });
});

test('a search goes from hit to hit, counts them, and tells when it begins again', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(bash('c1', 'echo a needle in the call'), say(words('No **needle** here, one Needle there.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('look', KEYS.enter);
    await terminal.waitFor('one Needle there');
    await idle(terminal);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type('/needle', KEYS.enter);
    // The call has it in its head and in what it printed.
    await terminal.waitFor(/^\/needle {2}4\/4 {2}n N on/m);
    terminal.type('n');
    const third = await terminal.waitFor(/^\/needle {2}3\/4 /m);
    const row = third.findIndex((line) => line.includes('No needle here'));
    expect(terminal.inks(row).slice(1)).toEqual(['green bold inverse:needle', 'inverse:Needle']);
    expect(third.join('\n')).not.toMatch(/^. {3}a needle in the call$/m);
    terminal.type('n');
    await terminal.waitFor(/^\/needle {2}2\/4 /m);
    await terminal.waitFor(/^│ {3}a needle in the call$/m);
    terminal.type('nn');
    await terminal.waitFor(/^\/needle {2}4\/4 {2}around the end /m);
    terminal.type('N');
    await terminal.waitFor(/^\/needle {2}1\/4 {2}around the end /m);
    terminal.type('/Needle', KEYS.enter);
    await terminal.waitFor(/^\/Needle {2}1\/1 /m);
    terminal.type(KEYS.escape);
    const screen = await terminal.waitFor(/^\[ \] block {2}Enter fold/m);
    expect(screen.flatMap((_, at) => terminal.inks(at)).join()).not.toContain('inverse');
    terminal.type('/', KEYS.up, KEYS.up, KEYS.enter);
    await terminal.waitFor(/^\/needle {2}\d\/4 /m);
  });
});

test('COMMAND completes, remembers, tells what is wrong, and is left with Esc', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('a note', KEYS.enter);
    await terminal.waitFor(/^> a note$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(':br');
    await terminal.waitFor(/^:br\n\[ COMMAND \]/m);
    terminal.type(KEYS.tab);
    await terminal.waitFor(/^:branches\n\[ COMMAND \]/m);
    expect(terminal.cursor()).toMatchObject({ row: 22, visible: true });
    terminal.type(KEYS.control('u'), 'le', KEYS.tab);
    // Which of the two comes first is not told here.
    const offered = await terminal.waitFor(/^> :le\w+ +\S[^\n]*\n {2}:le\w+ +\S/m);
    const second = /^ {2}(:le\w+)/m.exec(offered.join('\n'))?.[1] ?? '';
    terminal.type(KEYS.down);
    await terminal.waitFor((rows) => rows.some((row) => row.startsWith(`> ${second} `)));
    terminal.type(KEYS.tab);
    await terminal.waitFor((rows) => rows.at(-2) === second && rows.at(-1)?.startsWith('[ COMMAND ]') === true);
    terminal.type(KEYS.control('u'), 'level ', KEYS.tab);
    await terminal.waitFor(/^> minimal$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor((rows) => !rows.some((row) => row.startsWith('> minimal')));
    terminal.type(KEYS.control('u'), 'forkk', KEYS.enter);
    await terminal.waitFor('There is no command :forkk; did you mean :fork?');
    terminal.type(':', KEYS.escape);
    await terminal.waitFor(/^\[ \] block .*\n\[ NORMAL \]/m);
    terminal.type(':leaves', KEYS.enter);
    await terminal.waitFor('[ INSERT ]');
    await terminal.waitFor(/^> \/leaves$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(':', KEYS.up);
    await terminal.waitFor(/^:leaves\n\[ COMMAND \]/m);
    terminal.type(KEYS.up);
    await terminal.waitFor(/^:forkk\n\[ COMMAND \]/m);
    terminal.type(KEYS.home, 'x');
    await terminal.waitFor(/^:xforkk\n/m);
    expect(terminal.cursor().column).toBe(2);
  });
});

test('the leader key lists what may follow until a key comes, and what acts is asked first', async () => {
  await withTalkOnScreen([], async ({ terminal }) => {
    await terminal.waitFor('Commands: /help');
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(' ');
    await terminal.waitFor(/^n {2}network on, off .*c {2}clear: to the root/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor((rows) => !rows.some((row) => row.startsWith('n  network')));
    const ready = (question: string) => (rows: string[]) => rows.at(-2) === `y/n  ${question}`;
    terminal.type(' n');
    await terminal.waitFor(ready('Switch the network on?'));
    terminal.type('n');
    await terminal.waitFor(/^Nothing has been said here yet.*\n\[ NORMAL \].*\[ NET: off \]/m);
    for (const [key, question, shown] of [
      [' n', 'Switch the network on?', /may use the network.*\n\[ NORMAL \].*\[ NET: on \]/],
      [' n', 'Switch the network off?', /no network.*\n\[ NORMAL \].*\[ NET: off \]/],
      [' p', 'Switch plan mode on?', /\[ NORMAL \] \[ Plan \]/],
      [' p', 'Switch plan mode off?', /\[ NORMAL \] \[ Execute \]/],
      [' h', 'Set thinking to off?', /thinking is off/],
      [' h', 'Set thinking to low?', /thinking is low/],
    ] as const) {
      terminal.type(key);
      await terminal.waitFor(ready(question));
      terminal.type('y');
      await terminal.waitFor(shown);
    }
    terminal.type(' x');
    await terminal.waitFor(ready('Execute the plan?'));
    terminal.type('y');
    await terminal.waitFor(/there is no plan/);
    expect(terminal.modes().alternate).toBe(false);
  });
});

const SIZES = [
  { columns: 20, rows: 6, env: {} },
  { columns: 200, rows: 60, env: {} },
  { columns: 80, rows: 24, env: { NO_COLOR: '1' } },
  { columns: 20, rows: 6, env: { NO_COLOR: '1', LANG: 'C' } },
];

test.each(SIZES)(
  'every key can be pressed in $columns columns and $rows rows with $env, and the screen below is as it was',
  (given) =>
    withChat({ args: ['--model', 'demo'], size: given, env: given.env }, async (terminal) => {
      await terminal.waitFor((rows) => rows.join('').includes('Commands: /help'));
      terminal.type('needle one', KEYS.enter);
      await terminal.waitFor((rows) => /what ?I ?can ?do/.test(rows.join('')));
      // In a narrow window the word that something runs is cut.
      await terminal.waitFor((rows) => !rows.some((row) => /^(?:working|stopping)/.test(row)));
      const before = terminal.transcript();
      terminal.type(KEYS.escape);
      await terminal.waitFor('NORMAL');
      const keys = [
        'j',
        'k',
        'd',
        'u',
        'g',
        'G',
        '[',
        ']',
        KEYS.enter,
        KEYS.enter,
        'y',
        'n',
        'N',
        '?',
        'x',
        ' ',
        KEYS.escape,
      ];
      for (const key of [...keys, KEYS.pageUp, KEYS.pageDown, KEYS.home, KEYS.end, KEYS.up, KEYS.down])
        terminal.type(key);
      terminal.type('/needle', KEYS.enter);
      await terminal.waitFor(/^\/needle {2}1\/1/m);
      if ('NO_COLOR' in given.env) await terminal.waitFor(/\[needle\]/);
      terminal.type(':nope', KEYS.enter);
      await terminal.waitFor(/There is no comm/);
      terminal.type(':le', KEYS.tab);
      await terminal.waitFor(/^> :le/m);
      expect(Math.max(...terminal.screen().map((row) => row.length))).toBeLessThan(given.columns);
      terminal.resize(60, 15);
      await terminal.waitFor((rows) => rows.length === 15 && /^:le$/.test(rows.at(-2) ?? ''));
      terminal.resize(given.columns, given.rows);
      await terminal.waitFor((rows) => rows.length === given.rows);
      // The candidates, the line, and the search are ended.
      terminal.type(KEYS.escape, KEYS.escape, KEYS.escape);
      await terminal.waitFor((rows) => /NORMAL/.test(rows.at(-1) ?? ''));
      terminal.type('q');
      await terminal.waitFor('INSERT');
      expect(terminal.modes().alternate).toBe(false);
      expect(terminal.transcript().slice(0, 3)).toEqual(before.slice(0, 3));
      expect(terminal.transcript().filter((line) => line === '> needle one')).toHaveLength(1);
    }),
);
