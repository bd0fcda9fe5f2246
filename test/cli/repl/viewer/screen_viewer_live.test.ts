import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle, type ScreenTalk, withTalkOnScreen } from '../screen/screen_talk.js';

const LINES = (count: number, name: string): string =>
  Array.from({ length: count }, (_, line) => `${name} ${line + 1} stands here`).join('\n\n');

/** Says something whose answer is not ended, and opens the transcript meanwhile: Esc would end the turn. */
async function openWhileItComes({ terminal, server }: ScreenTalk, coming: string): Promise<void> {
  server.script(breaking('hang', words(coming)));
  terminal.type('go on', KEYS.enter);
  await server.hanging();
  await terminal.waitFor(/working \d/);
  terminal.type(KEYS.control('o'));
  await terminal.waitFor('[ NORMAL ]');
}

/** Leaves, and ends the turn that hangs. */
async function leaveAndStop(terminal: TestTerminal): Promise<void> {
  terminal.type('q');
  await terminal.waitFor('[ INSERT ]');
  terminal.type(KEYS.escape);
  await idle(terminal);
}

test('an answer is seen as it comes, and who looks at the end goes along', async () => {
  await withTalkOnScreen([], async (talk) => {
    const { terminal } = talk;
    await terminal.waitFor('Commands: /help');
    await openWhileItComes(talk, `${LINES(40, 'row')}\n\n**last** words`);
    const screen = await terminal.waitFor(/^│ last words$/m);
    expect(screen.at(-3)).toBe('│ last words');
    expect(screen).toContain('│ row 40 stands here');
    await leaveAndStop(terminal);
    await terminal.waitFor('last words');
  });
});

test('who reads above is not moved by what comes, and finds it committed at the end', async () => {
  await withTalkOnScreen([], async (talk) => {
    const { terminal, server, folder } = talk;
    // Again and again: what it printed before one began to read is not told.
    const command = 'until [ -e go ]; do echo begun; sleep 0.02; done; seq 1 5';
    server.script(say(words(LINES(30, 'first'))), bash('c1', command), say(words(LINES(30, 'second'))));
    await terminal.waitFor('Commands: /help');
    // In 80 columns there is no room for the tokens.
    terminal.resize(140, 24);
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('first 30 stands here');
    await idle(terminal);
    terminal.type('two', KEYS.enter);
    await terminal.waitFor('begun');
    terminal.type(KEYS.control('o'));
    await terminal.waitFor('[ NORMAL ]');
    // The call that runs, with what it has printed.
    terminal.type('G');
    await terminal.waitFor(/^. > bash\(until/m);
    await terminal.waitFor(/^. {3}begun$/m);
    terminal.type('g');
    const before = await terminal.waitFor((rows) => rows[0] === '│ > one');
    writeFileSync(join(folder, 'go'), '');
    // The status row tells that the second request has been counted.
    await terminal.waitFor((rows) => /\[ i:\d+\(c:\d+\) o:\d+ /.test(rows.at(-1) ?? ''));
    const after = terminal.screen();
    expect(after.slice(0, -2)).toEqual(before.slice(0, -2));
    terminal.type('G');
    await terminal.waitFor(/^│ second 30 stands here$/m);
    terminal.type('/first 17', KEYS.enter);
    await terminal.waitFor(/^\/first 17 {2}1\/1 /m);
    terminal.type('q');
    await terminal.waitFor('[ INSERT ]');
    const lines = terminal.transcript();
    const places = ['> one', 'first 30 stands here', '> two', 'second 30 stands here'].map((line) =>
      lines.indexOf(line),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(lines.filter((line) => line === 'second 30 stands here')).toHaveLength(1);
  });
});

test('what another terminal has answered is seen below where one stands', async () => {
  await withTalkOnScreen([], async ({ terminal, server, another }) => {
    server.script(say(words('First.')), breaking('hang', words('Told to another.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('First.');
    await idle(terminal);
    terminal.type(KEYS.escape);
    await terminal.waitFor(/^│ First\.$/m);
    await another(['@'], async (second) => {
      await second.waitFor('First.');
      second.type('two', KEYS.enter);
      await terminal.waitFor(/^. Told to another\.$/m);
      second.type(KEYS.escape);
      await idle(second);
    });
    terminal.type('q');
    await terminal.waitFor('It goes on below');
    await terminal.waitFor('Another terminal: two');
  });
});
