import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal, withChat } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle, withTalkOnScreen } from '../screen/screen_talk.js';

/** Says something and waits for the end of the turn. */
async function ask(terminal: TestTerminal, text: string, answer: string): Promise<void> {
  terminal.type(text, KEYS.enter);
  await terminal.waitFor(answer);
  await idle(terminal);
}

test('Esc opens the transcript with calls folded, and a second Esc the tree', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(bash('c1', 'printf "one\\ntwo\\nthree\\n"'), say(words('There are **three**.')));
    await terminal.waitFor('Commands: /help');
    await ask(terminal, 'count', 'There are three');
    const before = terminal.screen();
    terminal.type(KEYS.escape);
    const screen = await terminal.waitFor(/^ {2}> bash\(printf "one.*\) -- 3 lines/m);
    expect(terminal.modes().alternate).toBe(true);
    expect(screen[0]).toBe('  > count');
    expect(screen).toContain('| There are three.'.replace('|', '│'));
    expect(screen.at(-2)).toMatch(/^\[ \] block {2}Enter fold/);
    expect(screen.at(-1)).toMatch(/^\[ NORMAL \] \[ Execute \]/);
    terminal.type('[', KEYS.enter);
    await terminal.waitFor(/^│ {3}three$/m);
    terminal.type(KEYS.enter);
    await terminal.waitFor((rows) => !rows.some((row) => row === '│   three'));
    terminal.type(KEYS.escape);
    await terminal.waitFor(/Enter go {2}e edit/);
    terminal.type('q');
    await terminal.waitFor('[ INSERT ]');
    expect(terminal.modes().alternate).toBe(false);
    expect(terminal.screen().slice(0, -1)).toEqual(before.slice(0, -1));
  });
});

test('Esc Esc opens the tree at once, and Enter there moves the position with the words of /goto', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('First.')), say(words('Second.')));
    await terminal.waitFor('Commands: /help');
    await ask(terminal, 'one', 'First.');
    await ask(terminal, 'two', 'Second.');
    terminal.type(KEYS.escape, KEYS.escape);
    await terminal.waitFor(/Enter go {2}e edit/);
    terminal.type('k', 'k', KEYS.enter);
    await terminal.waitFor(/^You are at [0-9a-f]{8} {2}Assistant: First\./m);
    await terminal.waitFor('What you say next is another branch from here.');
    expect(terminal.modes().alternate).toBe(false);
  });
});

test('e in the tree takes a message back into the editor, and what is sent is an alternative', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('First.')), say(words('Other.')));
    await terminal.waitFor('Commands: /help');
    await ask(terminal, 'one', 'First.');
    terminal.type(KEYS.escape, KEYS.escape);
    await terminal.waitFor(/Enter go {2}e edit/);
    terminal.type('k', 'e');
    await terminal.waitFor('y/n  Go there and say it otherwise?');
    terminal.type('y');
    await terminal.waitFor(/^> one$/m);
    terminal.type('!', KEYS.enter);
    await terminal.waitFor('Other.');
    await idle(terminal);
    terminal.type('/branches', KEYS.enter);
    await terminal.waitFor(/1\. \[current\] → "one!"/);
  });
});

test('thinking is folded to a row, and unfolds', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say({ kind: 'thinking', text: 'Is it deep?\nIt is.' }, words('Yes.')));
    await terminal.waitFor('Commands: /help');
    await ask(terminal, 'is it', 'Yes.');
    terminal.type(KEYS.escape);
    await terminal.waitFor('> thinking -- 2 lines');
    terminal.type('[', KEYS.enter);
    await terminal.waitFor(/^│ {3}It is\.$/m);
  });
});

test('a long output is read whole when it is unfolded, with Ctrl-O from the editor', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(bash('c1', 'seq 1 19000'), say(words('Counted.')));
    await terminal.waitFor('Commands: /help');
    await ask(terminal, 'count', 'Counted.');
    terminal.type(KEYS.control('o'));
    await terminal.waitFor(/> bash\(seq 1 19000\) -- 19,000 lines/);
    await terminal.waitFor(/^│ {3}5$/m);
    terminal.type('/15999', KEYS.enter);
    await terminal.waitFor(/^\/15999 {2}1\/1 /m);
    await terminal.waitFor(/^│ {3}15999$/m);
    terminal.type('G');
    await terminal.waitFor(/^. {3}19000$/m);
    terminal.type('i', 'hello');
    await terminal.waitFor(/^> hello$/m);
  });
});

test('j and k scroll by a row, pages and g and G by more, and / finds what is further up', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    const long = Array.from({ length: 90 }, (_, line) => `line ${line + 1} here`).join('\n\n');
    server.script(say(words('A needle is here.')), say(words(long)));
    await terminal.waitFor('Commands: /help');
    await ask(terminal, 'first', 'A needle is here.');
    await ask(terminal, 'go on', 'line 90 here');
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    await terminal.waitFor((rows) => rows.at(-3) === '│ line 90 here');
    terminal.type('k');
    await terminal.waitFor((rows) => rows.at(-4) === '│ line 89 here');
    terminal.type('j', KEYS.pageUp);
    await terminal.waitFor((rows) => rows.includes('│ line 80 here') && !rows.includes('│ line 90 here'));
    terminal.type('g');
    await terminal.waitFor((rows) => rows[0] === '│ > first');
    terminal.type('G');
    await terminal.waitFor('line 90 here');
    terminal.type('/NEEDLE', KEYS.enter);
    await terminal.waitFor('Nothing here has "NEEDLE" in it.');
    terminal.type('/needle', KEYS.enter);
    const found = await terminal.waitFor(/^│ A needle is here\.$/m);
    expect(terminal.inks(found.indexOf('│ A needle is here.'))).toContain('green bold inverse:needle');
    await terminal.waitFor(/^\/needle {2}1\/1 {2}/m);
    terminal.type('n');
    await terminal.waitFor(/^\/needle {2}1\/1 {2}around the end/m);
    terminal.type('y');
    await terminal.waitFor('y once more copies the block');
    terminal.type('y');
    await terminal.waitFor('Copied: 1 line');
    expect(terminal.raw()).toContain(`\x1b]52;c;${Buffer.from('A needle is here.').toString('base64')}\x07`);
  });
});

test(': runs a command by the same table, tells an unknown one, and leaves for what it prints', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('a note', KEYS.enter);
    await terminal.waitFor(/^> a note$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(':branch');
    await terminal.waitFor(/^:branch\n\[ COMMAND \]/m);
    terminal.type('es', KEYS.enter);
    await terminal.waitFor('there is no fork above it');
    expect(terminal.modes().alternate).toBe(false);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(':branhces', KEYS.enter);
    await terminal.waitFor('There is no command :branhces; did you mean :branches?');
    terminal.type(':quit', KEYS.enter);
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expect(terminal.modes().alternate).toBe(false);
  });
});

test.each([
  { columns: 20, rows: 6 },
  { columns: 200, rows: 60 },
])('the transcript is readable in $columns columns and $rows rows', (size) =>
  withChat({ args: ['--model', 'demo'], size }, async (terminal) => {
    await terminal.waitFor((screen) => screen.join('').includes('Commands: /help'));
    terminal.type('数据 👩‍👩‍👧 hello', KEYS.enter);
    await terminal.waitFor((screen) => /what ?I ?can ?do/.test(screen.join('')));
    // In a narrow window the word that something runs is cut.
    await terminal.waitFor((rows) => !rows.some((row) => /^(?:working|stopping)/.test(row)));
    terminal.type(KEYS.escape);
    await terminal.waitFor('NORMAL');
    terminal.type('g');
    const screen = await terminal.waitFor(/^. > 数据/m);
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(size.columns);
    terminal.type('?');
    await terminal.waitFor('Enter');
    terminal.resize(40, 12);
    await terminal.waitFor((rows) => rows.length === 12 && rows.at(-1)?.startsWith('[ NORMAL ]') === true);
    terminal.type('q', 'q');
    await terminal.waitFor('INSERT');
  }),
);

test('an empty conversation has a transcript that says so, and no tree', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.type(KEYS.escape);
    await terminal.waitFor('Nothing has been said here yet.');
    terminal.type('[', ']', 'j', 'k', 'g', 'G', 'y', KEYS.enter, 'n', KEYS.escape);
    await terminal.waitFor('There is no tree yet: say something first.');
    expect(terminal.modes().alternate).toBe(false);
  });
});

test('at the root of a conversation the transcript says that nothing has been said there', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('a note', KEYS.enter);
    await terminal.waitFor('messages are kept as notes');
    terminal.type('/clear', KEYS.enter);
    await terminal.waitFor('nothing was deleted');
    terminal.type(KEYS.escape);
    await terminal.waitFor('Nothing has been said here yet.');
    terminal.type('q');
    await terminal.waitFor('[ INSERT ]');
  });
});

test('what is committed while the transcript is open appears at its end', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('First.')), say(call('c1', 'bash', { command: 'echo slow' })), say(words('Second.')));
    await terminal.waitFor('Commands: /help');
    await ask(terminal, 'one', 'First.');
    terminal.type('two', KEYS.enter);
    await terminal.waitFor(() => server.requests.length === 2);
    // Esc would end the turn.
    terminal.type(KEYS.control('o'));
    await terminal.waitFor('[ NORMAL ]');
    await terminal.waitFor(/^│ Second\.$/m);
  });
});
