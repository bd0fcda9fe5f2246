import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { waitForEditor } from './seen.js';

const EMPTY = '|Say something, or /help';

/** A chat whose `$EDITOR` is this shell script, the file as `$1`. */
function withEditor(script: string | null, use: (terminal: TestTerminal) => Promise<void>): Promise<void> {
  return withHome(async (home) => {
    mkdirSync(home, { mode: 0o700 });
    const editor = join(home, 'an editor');
    if (script !== null) writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { COGNITION_HOME: home, HOME: home, TERM_PROGRAM: 'vscode', VISUAL: '', EDITOR: `'${editor}'` };
    const chat = { command: process.execPath, args: [PROGRAM, 'chat'], cwd: home, env, reflowsCursorLine: false };
    await withTerminal(chat, async (terminal) => {
      await terminal.waitFor('Commands: /help');
      await use(terminal);
    });
  });
}

/** What a person writes goes on as before: keys are read one by one, pastes come whole. */
async function goesOn(terminal: TestTerminal): Promise<void> {
  expect(terminal.modes()).toMatchObject({ alternate: false, pasteBracketed: true, mouse: false });
  expect(terminal.cursor().visible).toBe(true);
  terminal.type(KEYS.control('e'), KEYS.control('u'), 'goes on');
  await waitForEditor(terminal, 'goes on|');
}

test("what is written in an editor of one's own comes back, and undo gives what was there", async () => {
  await withEditor('cat "$1" > "$1.old"; printf "from outside\\nüber\\n" > "$1"', async (terminal) => {
    terminal.type('a draft', KEYS.control('g'));
    await waitForEditor(terminal, 'from outside/über|');
    terminal.type(KEYS.control('_'));
    await waitForEditor(terminal, 'a draft|');
    terminal.type(KEYS.control('x'), KEYS.control('e'));
    await waitForEditor(terminal, 'from outside/über|');
    terminal.type(KEYS.control('c'));
    await waitForEditor(terminal, EMPTY);
    await goesOn(terminal);
  });
});

test('candidates of the previous text disappear with it', async () => {
  await withEditor('printf "from outside" > "$1"', async (terminal) => {
    terminal.type('/he');
    await terminal.waitFor(/^> \/help /m);
    terminal.type(KEYS.control('g'));
    await waitForEditor(terminal, 'from outside|');
    terminal.type(KEYS.enter);
    await waitForEditor(terminal, EMPTY);
    await terminal.waitFor(/^> from outside$/m);
  });
});

test('a key that is pressed twice opens one editor', async () => {
  await withEditor('echo run >> "$HOME/runs"; wc -l < "$HOME/runs" > "$1"', async (terminal) => {
    terminal.type(KEYS.control('g').repeat(2));
    await waitForEditor(terminal, '1|');
    terminal.type(KEYS.control('g'));
    await waitForEditor(terminal, '2|');
    await goesOn(terminal);
  });
});

test('a text that is emptied outside is empty', async () => {
  await withEditor(': > "$1"', async (terminal) => {
    terminal.type('a draft');
    await waitForEditor(terminal, 'a draft|');
    terminal.type(KEYS.control('g'));
    await waitForEditor(terminal, EMPTY);
    await goesOn(terminal);
  });
});

test('what was only looked at is as it was, its pastes still one sign', async () => {
  await withEditor('grep -c line "$1"', async (terminal) => {
    terminal.type('see ');
    terminal.paste(Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n'));
    await waitForEditor(terminal, 'see [pasted 100 lines]|');
    terminal.type(KEYS.control('g'));
    await terminal.waitFor(/^100$/m);
    terminal.type('!');
    await waitForEditor(terminal, 'see [pasted 100 lines]!|');
  });
});

test('a huge text comes back as one sign, and one that no message may have is refused', async () => {
  await withEditor('yes 漢字 | head -c "$(cat "$1")" > "$1"', async (terminal) => {
    terminal.type('700000', KEYS.control('g'));
    await waitForEditor(terminal, '[pasted 100000 lines]|');
    terminal.type(KEYS.control('_'));
    await waitForEditor(terminal, '700000|');
    terminal.type('00', KEYS.control('g'));
    await terminal.waitFor(/The message is as it was: .* were written, and a message may have 8/);
    await waitForEditor(terminal, '70000000|');
    await goesOn(terminal);
  });
});

test.each([
  ['fails', 'echo changed > "$1"; exit 3'],
  ['is killed', 'kill -9 $$'],
  [
    'leaves the terminal in a mess',
    'printf "\\033[?1049h\\033[?25l\\033[?1000h\\033[?2004l\\033[31m"; stty raw -echo; exit 1',
  ],
  ['is missing', null],
])('an editor that %s leaves the message and the terminal as they were', async (_, script) => {
  await withEditor(script, async (terminal) => {
    terminal.type('a draft', KEYS.control('g'));
    await terminal.waitFor('The editor ended with a failure: the message is as it was.');
    await waitForEditor(terminal, 'a draft|');
    if (script?.includes('1049h') !== true) await goesOn(terminal);
  });
});

test('an editor killed on its own screen leaves nothing behind', async () => {
  const screen = '\\033[?1049h\\033[2J\\033[Hthe editor\\033[?25l\\033[?1003h\\033[31m';
  await withEditor(`stty raw -echo; printf "${screen}"; kill -9 $$`, async (terminal) => {
    terminal.type('a draft', KEYS.control('g'));
    await terminal.waitFor('The editor ended with a failure: the message is as it was.');
    expect(terminal.transcript().join('\n')).toMatch(/Commands: \/help\n(?:Killed\n)?\n?> a draft\n/);
    await goesOn(terminal);
  });
});
