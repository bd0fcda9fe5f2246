import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { KEYS, type TestTerminal, withChat, withTerminal } from '../../../support/terminal.js';
import { editorOn, waitForEditor } from './seen.js';

const EMPTY = '|Say something, or /help';
const { left, right, up, down, backspace } = KEYS;
const FAMILY = '👨‍👩‍👧';

interface Size {
  columns: number;
  rows: number;
}

function withEditorAt(size: Size, use: (terminal: TestTerminal) => Promise<void>): Promise<void> {
  return withChat({ size }, async (terminal) => {
    await terminal.waitFor('Say some');
    await terminal.waitFor(/\/help$/m);
    await use(terminal);
  });
}

/** What is typed, and what is seen then in a window of 20 columns, which leaves 17 for the text. */
const ROWS: readonly (readonly [what: string, typed: readonly string[], seen: string])[] = [
  ['a row that is just full', ['0123456789abcdefg'], '0123456789abcdefg|'],
  ['a row and one more', ['0123456789abcdefgh'], '0123456789abcdefg/h|'],
  ['back over the edge', ['0123456789abcdefgh', left], '0123456789abcdefg/|h'],
  ['a wide sign that does not fit', ['0123456789abcdef漢'], '0123456789abcdef/漢|'],
  ['a wide sign that just fits', ['0123456789abcde漢'], '0123456789abcde漢|'],
  ['a mark on the last sign', ['0123456789abcdefe\u0301'], '0123456789abcdefe\u0301|'],
  ['a family at the edge', ['0123456789abc', FAMILY, 'x'], `0123456789abc/${FAMILY}x|`],
  ['families, deleted', [FAMILY, FAMILY, FAMILY, backspace], `${FAMILY}${FAMILY}|`],
  ['words of Chinese', ['我们去北京 ok', KEYS.alt('b'), KEYS.alt('b')], '我们去|北京 ok'],
  ['words of Hebrew', ['שלום עולם', KEYS.alt('b')], 'שלום |עולם'],
  ['words with marks', ['cafe\u0301 noe\u0308l', KEYS.control('w')], 'cafe\u0301 |'],
  ['a flag within a word move', ['🇫🇷🇩🇪', left], '🇫🇷|🇩🇪'],
  ['up through the rows of a line', ['0123456789abcdefghijkl', up], '01234|56789abcdefg/hijkl'],
  ['a column that is kept', ['long line', '\n', 'ab', '\n', 'long line', up, up], 'long line|/ab/long line'],
  ['lines joined', ['ab', '\n', 'cd', KEYS.home, backspace], 'ab|cd'],
  ['a tab', ['\x1b[200~a\tb\x1b[201~', left, left], 'a|   b'],
];

test('texts are cut into rows and walked through by the signs that a person sees', async () => {
  await withEditorAt({ columns: 20, rows: 24 }, async (terminal) => {
    for (const [what, typed, seen] of ROWS) {
      terminal.type(...typed);
      await waitForEditor(terminal, seen).catch((error: unknown) => {
        throw new Error(what, { cause: error });
      });
      terminal.type(KEYS.control('c'));
      await terminal.waitFor('Say some');
    }
  });
});

test.each([
  [{ columns: 80, rows: 24 }, 11],
  [{ columns: 20, rows: 6 }, 2],
])(
  'ten thousand lines scroll within the editor at %j',
  async (size, height) => {
    await withEditorAt(size, async (terminal) => {
      terminal.type('\n'.repeat(9_999), 'end');
      await terminal.waitFor(() => editorOn(terminal).at(-1) === 'end|');
      expect(editorOn(terminal)).toHaveLength(height);
      terminal.type(up, up, 'x');
      await terminal.waitFor(() => editorOn(terminal).includes('x|'));
      expect(editorOn(terminal)).toHaveLength(height);
      expect(terminal.screen().some((row) => row.startsWith('^'))).toBe(true);
      terminal.type(KEYS.alt('<'), 'begin');
      await terminal.waitFor(() => editorOn(terminal)[0] === 'begin|');
      expect(terminal.screen().some((row) => row.startsWith('v'))).toBe(true);
      terminal.type(KEYS.alt('>'), right);
      await terminal.waitFor(() => editorOn(terminal).at(-1) === 'end|');
      terminal.type(KEYS.control('c'));
      await terminal.waitFor('Say some');
      terminal.type(KEYS.control('_'));
      await terminal.waitFor(() => editorOn(terminal).at(-1) === 'end|');
    });
  },
  60_000,
);

test.each([
  { columns: 20, rows: 6 },
  { columns: 200, rows: 60 },
])('everything of the editor works at %j', async (size) => {
  await withEditorAt(size, async (terminal) => {
    terminal.type('one', '\n', 'two ', FAMILY, up, down);
    await terminal.waitFor(() => editorOn(terminal).at(-1)?.startsWith('two') === true);
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('Say some');
    terminal.paste(Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n'));
    await terminal.waitFor(size.columns > 25 ? '[pasted 50 lines]' : '[pasted 50 lines');
    terminal.type(backspace);
    await terminal.waitFor('Say some');
    terminal.type('/qu');
    await terminal.waitFor('/quit');
    terminal.type(KEYS.escape);
    // Right behind Esc another key would be one with Alt.
    await terminal.waitFor((screen) => !screen.join('\n').includes('/quit'));
    terminal.type(KEYS.control('c'), KEYS.control('r'), 'none');
    await terminal.waitFor('none');
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('Say some');
    terminal.type('said', KEYS.enter);
    // What follows it may be as high as the window.
    await terminal.waitFor(() => terminal.transcript().includes('> said'));
  });
});

test('without colour the editor writes none, and tells what is not text by its brackets', async () => {
  await withChat({ env: { NO_COLOR: '1' } }, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.paste(Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n'));
    await waitForEditor(terminal, '[pasted 50 lines]|');
    terminal.type('/', KEYS.control('c'));
    await waitForEditor(terminal, EMPTY);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    expect(terminal.raw()).not.toMatch(/\x1b\[(?:[1-9]\d*)(?:;\d+)*m/);
  });
});

test.each([
  ['a terminal that can do little', ['TERM=dumb'], []],
  ['a screen reader', [], ['--accessible']],
])('%s is written to line by line, and nothing is drawn over', async (_, env, args) => {
  await withHome(async (home) => {
    const chat = {
      command: 'env',
      args: [...env, process.execPath, PROGRAM, 'chat', ...args],
      cwd: dirname(home),
      env: { COGNITION_HOME: home, HOME: dirname(home) },
    };
    await withTerminal(chat, async (terminal) => {
      await terminal.waitFor('/help');
      terminal.type(`a note 漢字 ${FAMILY}`, KEYS.enter, '/help', KEYS.enter);
      await terminal.waitFor('/quit');
      terminal.type('/quit', KEYS.enter);
      expect((await terminal.exited).code).toBe(0);
      expect(terminal.transcript().join('\n')).toContain(`a note 漢字 ${FAMILY}`);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor is a control sequence
      expect(terminal.raw()).not.toMatch(/\x1b\[[0-9;?]*[ABCDHJKhl]/);
    });
  });
});
