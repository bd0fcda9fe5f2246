import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM } from '../../../support/cli.js';
import { breaking, say } from '../../../support/model/script.js';
import type { ModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withChat } from '../../../support/terminal.js';
import { idle, type ScreenTalk, withTalkOnScreen } from '../screen/screen_talk.js';
import { editorOn, waitForEditor } from './seen.js';

const EMPTY = '|Say something, or /help';
const START = '\x1b[200~';
const END = '\x1b[201~';
const LINES = Array.from({ length: 200 }, (_, at) => `line ${at}`);

/** The text of the newest message of a person that the model was sent. */
function said(server: ModelServer): string {
  const messages: unknown = server.requests.at(-1)?.body.messages;
  const last: unknown = Array.isArray(messages) ? messages.findLast(isOfUser) : null;
  const content: unknown = last !== null && typeof last === 'object' && 'content' in last ? last.content : null;
  if (typeof content === 'string') return content;
  const block: unknown = Array.isArray(content) ? content.at(-1) : null;
  return block !== null && typeof block === 'object' && 'text' in block ? String(block.text) : '';
}

function isOfUser(message: unknown): boolean {
  return message !== null && typeof message === 'object' && 'role' in message && message.role === 'user';
}

/** Sends what is written, and resolves with what the model got. */
async function sent(terminal: TestTerminal, server: ModelServer): Promise<string> {
  const before = server.requests.length;
  terminal.type(KEYS.enter);
  await terminal.waitFor(() => server.requests.length > before);
  await waitForEditor(terminal, EMPTY);
  await idle(terminal);
  expect(server.requests.length).toBe(before + 1);
  return said(server);
}

/** What comes between the marks, what is seen of it, and what is sent. */
const PASTES: readonly (readonly [what: string, bytes: string, seen: string, sent: string])[] = [
  ['lines that end as those of Windows', 'one\r\ntwo\r\n', 'one/two/|', 'one\ntwo\n'],
  ['lines that end as those of old Macs', 'one\rtwo', 'one/two|', 'one\ntwo'],
  ['lines that end as those of Unix', 'one\ntwo', 'one/two|', 'one\ntwo'],
  ['tabs', 'a\tb\r\tc', 'a   b/    c|', 'a\tb\n\tc'],
  ['blanks at its begin and end', '  a  \r  b ', '  a/  b |', '  a  \n  b '],
  ['control characters', 'a\0\x07\x1b[31mred\x1b[0m\x7f\x1b]0;t\x07\x0cb', 'aredb|', 'aredb'],
  ['its own end', `a${END}\rb`, 'a/b|', 'a\nb'],
  ['a command in its second line', 'look:\r/quit', 'look://quit|', 'look:\n/quit'],
  ['accents in both ways to write them', 'e\u0301 \u00e9', 'e\u0301 é|', 'e\u0301 \u00e9'],
  ['marks of direction', '\u2067שלום\u2069', '<U+2067>שלום<U+2069>|', '\u2067שלום\u2069'],
  ['many lines', LINES.join('\r'), '[pasted 200 lines]|', LINES.join('\n')],
  ['a long line', 'x'.repeat(900), '[pasted 900 characters]|', 'x'.repeat(900)],
];

test('what is sent is what was pasted, with one kind of line end and without what a terminal acts on', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    for (const [what, bytes, seen, wanted] of PASTES) {
      terminal.type(START, bytes, END);
      await waitForEditor(terminal, seen);
      expect(await sent(terminal, server), what).toBe(wanted);
    }
    expect(terminal.raw()).not.toContain('\u2067');
    expect(terminal.raw()).not.toContain('\x07');
  });
}, 60_000);

test('a large paste is one sign that is moved over, deleted, killed, undone and recalled whole', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    terminal.type('see ', START, LINES.join('\r'), END, ' there');
    await waitForEditor(terminal, 'see [pasted 200 lines] there|');
    terminal.type(KEYS.alt('b'), KEYS.left, KEYS.left);
    await waitForEditor(terminal, 'see |[pasted 200 lines] there');
    terminal.type(KEYS.delete);
    await waitForEditor(terminal, 'see | there');
    terminal.type(KEYS.control('_'));
    await waitForEditor(terminal, 'see |[pasted 200 lines] there');
    terminal.type(KEYS.alt('d'));
    await waitForEditor(terminal, 'see | there');
    terminal.type(KEYS.end, ' ', KEYS.control('y'));
    await waitForEditor(terminal, 'see  there [pasted 200 lines]|');
    terminal.type(KEYS.control('_'), KEYS.control('_'), KEYS.control('_'));
    await waitForEditor(terminal, 'see |[pasted 200 lines] there');
    expect(await sent(terminal, server)).toBe(`see ${LINES.join('\n')} there`);
    terminal.type(KEYS.up);
    await waitForEditor(terminal, 'see [pasted 200 lines] there|');
    expect(await sent(terminal, server)).toBe(`see ${LINES.join('\n')} there`);
  });
});

test('a paste while an answer comes in waits in the editor, and steers when it is sent', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(breaking('hang', words('Once upon a time')), say(words('The end.')));
    await terminal.waitFor('Say something');
    terminal.type('tell me a story', KEYS.enter);
    await terminal.waitFor('Once upon a time');
    terminal.paste(LINES.join('\n'));
    await waitForEditor(terminal, '[pasted 200 lines]|');
    expect(server.requests).toHaveLength(1);
    terminal.type(KEYS.enter);
    await terminal.waitFor('steers: line 0');
    await waitForEditor(terminal, EMPTY);
  });
});

test('a paste whose end never comes says how to get out of it, and keeps what came', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Say something');
    terminal.type(START, 'half a paste\rand more', KEYS.enter, 'typed');
    await terminal.waitFor('a paste is coming in, Ctrl-C ends it');
    // Alone: among other characters it would be one of those that were pasted.
    terminal.type(KEYS.control('c'));
    // It ends the paste, and then does what it always does.
    await terminal.waitFor('Cleared. Ctrl-_ brings it back.');
    terminal.type(KEYS.control('_'));
    await terminal.waitFor('half a paste');
    expect(editorOn(terminal).slice(0, 2)).toEqual(['half a paste', 'and more']);
    expect(terminal.screen().join('\n')).not.toContain('is coming in');
    expect(server.requests).toEqual([]);
  });
});

test('lines that a terminal without marks pastes are one message as well', async () => {
  const pasteThem = async ({ terminal, server }: ScreenTalk): Promise<void> => {
    await terminal.waitFor('Say something');
    terminal.type('one\rtwo\r\rthree\r');
    await waitForEditor(terminal, 'one/two//three/|');
    expect(server.requests).toEqual([]);
    expect(await sent(terminal, server)).toBe('one\ntwo\n\nthree\n');
    // More than a terminal hands over at once.
    const many = Array.from({ length: 3_000 }, (_, at) => `line ${at}`);
    terminal.type(many.join('\r'));
    await waitForEditor(terminal, '[pasted 3000 lines]|');
    expect(await sent(terminal, server)).toBe(many.join('\n'));
    terminal.type('a line', KEYS.enter);
    await terminal.waitFor(() => server.requests.length === 3);
    expect(said(server)).toBe('a line');
  };
  await withTalkOnScreen([], pasteThem, { STY: '1.screen' });
});

test('where pastes are marked, lines that come together were typed one after the other', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('First.')), say(words('Second.')));
    await terminal.waitFor('Say something');
    terminal.type('/mark here', KEYS.enter, '/fork', KEYS.enter, 'one', KEYS.enter);
    await terminal.waitFor('First.');
    expect(said(server)).toBe('one');
  });
});

test('five megabytes are pasted, taken back, edited around and kept whole', async () => {
  const text = Array.from({ length: 80_000 }, (_, at) => `${at} ${'x'.repeat(55)} 漢`).join('\n');
  await withChat({}, async (terminal, { home, folder }) => {
    await terminal.waitFor('Say something');
    terminal.paste(text);
    await waitForEditor(terminal, '[pasted 80000 lines]|');
    terminal.type(KEYS.control('w'));
    await waitForEditor(terminal, EMPTY);
    terminal.type('see ', KEYS.control('y'), '!');
    await waitForEditor(terminal, 'see [pasted 80000 lines]!|');
    terminal.type(KEYS.enter);
    await waitForEditor(terminal, EMPTY);
    const env = { ...process.env, COGNITION_HOME: home };
    const args = [PROGRAM, 'export', '@', '--format', 'json'];
    const kept = () => {
      const { stdout } = spawnSync(process.execPath, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
      return stdout.toString().includes(JSON.stringify(`see ${text}!`));
    };
    // Drawing all of it takes the terminal longer than keeping it.
    await expect.poll(kept, { timeout: 90_000, interval: 1_000 }).toBe(true);
  });
}, 120_000);
