import { expect, test } from 'vitest';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { idle, withTalkOnScreen } from '../screen/screen_talk.js';

/** The rows of the editor, below the transcript and above the status, which is empty while no conversation is open. */
function written(terminal: TestTerminal): string[] {
  const screen = terminal.screen();
  const rows = screen.slice(screen.findLastIndex((row) => row.startsWith('> ')));
  return rows.filter((row) => !row.startsWith('[ '));
}

function said(body: Record<string, unknown> | undefined): string {
  const messages: unknown = body?.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return JSON.stringify(last);
}

test('a paste of three lines waits in the editor, and is one message', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    terminal.paste('one\ntwo\nthree');
    await terminal.waitFor(/^ *three/m);
    expect(written(terminal).map((row) => row.trim())).toEqual(['> one', 'two', 'three']);
    expect(server.requests).toEqual([]);
    terminal.type(KEYS.enter);
    await terminal.waitFor('Hello.');
    expect(said(server.requests[0]?.body)).toContain('one\\ntwo\\nthree');
    expect(server.requests).toHaveLength(1);
  });
});

test('a paste of 10,000 lines is one sign in the editor, deleted as one, and sent whole', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    const text = Array.from({ length: 10_000 }, (_, at) => `line ${at}`).join('\n');
    terminal.paste(text);
    await terminal.waitFor(/10,?000 lines/);
    terminal.type('\x7f');
    await terminal.waitFor('Say something');
    terminal.paste(text);
    await terminal.waitFor(/10,?000 lines/);
    terminal.type(' and what is this?', KEYS.enter);
    await terminal.waitFor('Hello.');
    await idle(terminal);
    expect(said(server.requests[0]?.body)).toContain('line 9999 and what is this?');
    // The prompt is still at the bottom, once.
    expect(terminal.screen().filter((row) => row.includes('Say something'))).toHaveLength(1);
  });
});

test('an emoji family and Chinese are written, deleted and moved over as whole signs', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    terminal.type('a👩‍👩‍👧数b');
    await terminal.waitFor('数b');
    terminal.type(KEYS.left, KEYS.left, '\x7f', 'X');
    await terminal.waitFor('> aX数b');
    terminal.type('\x7f', KEYS.enter);
    await terminal.waitFor('Hello.');
    expect(said(server.requests[0]?.body)).toContain('a数b');
  });
});

test('lines are edited, undone and recalled with the keys that hands know', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    terminal.type('second word', KEYS.control('a'), 'first ');
    await terminal.waitFor('> first second word');
    terminal.type(KEYS.control('e'), KEYS.control('w'));
    await terminal.waitFor(/> first second *$/m);
    terminal.type(KEYS.control('y'), KEYS.control('u'));
    await terminal.waitFor('Say something');
    terminal.type(KEYS.control('y'));
    await terminal.waitFor('> first second word');
    terminal.type('\n', 'below', KEYS.enter);
    await terminal.waitFor('Hello.');
    await idle(terminal);
    expect(said(server.requests[0]?.body)).toContain('first second word\\nbelow');
    terminal.type('a draft', KEYS.up, KEYS.up);
    await terminal.waitFor((screen) => screen.filter((row) => row.trim() === 'below').length === 2);
    terminal.type(KEYS.down, KEYS.down);
    await terminal.waitFor('> a draft');
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('Say something');
    terminal.type(KEYS.control('r'), 'seco');
    await terminal.waitFor((screen) => screen.filter((row) => row.includes('first second word')).length >= 2);
    terminal.type('\x1b');
    await terminal.waitFor('Say something');
  });
});
