import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editorView } from '../../../../cli/render/screens/editor_view.js';
import { drawingOf } from '../../../../cli/repl/editor/editor_drawing.js';
import { createKeyDecoder } from '../../../../cli/repl/editor/keys/key_decoder.js';
import { press } from '../../../../cli/repl/editor/press.js';
import { type EditorState, newEditor } from '../../../../cli/repl/editor/state/editor_state.js';
import { PROGRAM } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { lookAt } from '../../../support/look.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { FRAME } from '../editor/keyboard.js';

interface Size {
  columns: number;
  rows: number;
}

const HISTORY = ['first 漢字', 'two\nlines', 'a long line '.repeat(30), ' 👨‍👩‍👧\n\n\tשלום'];
const { left, right, up, down, home, end, backspace, control, alt } = KEYS;
const MOVES = [left, right, up, down, home, end, alt('b'), alt('f'), alt('<'), alt('>'), '\x1b[1;5D', '\x1b[57418u'];
const EDITS = [
  backspace,
  KEYS.delete,
  ...['w', 'u', 'k', 'y', 't', '_', 'j'].map(control),
  alt('y'),
  alt('d'),
  alt('z'),
];
const TEXTS = [
  ...['a', 'Zoë ', 'e\u0301', '漢字', '👨‍👩‍👧', '🇫🇷', '👍🏽', 'ก็', 'שלום ', '\u202e', '"', '\\', '    ', 'word '],
  'a line that is longer than the narrowest window',
];
const PASTES = ['one\ntwo', '\ttab\n\n', 'x\n'.repeat(9), '漢'.repeat(120), 'y'.repeat(501), '\u0301mark'];

const step: fc.Arbitrary<string | Size> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 5, arbitrary: fc.constantFrom(...MOVES) },
  { weight: 4, arbitrary: fc.constantFrom(...EDITS) },
  { weight: 1, arbitrary: fc.constantFrom(...PASTES).map((text) => `\x1b[200~${text}\x1b[201~`) },
  // A search that finds, or does not, and is given up.
  { weight: 1, arbitrary: fc.constantFrom('lin', '漢', 'nowhere').map((query) => `${control('r')}${query}\x03`) },
  {
    weight: 1,
    arbitrary: fc.record({ columns: fc.integer({ min: 10, max: 110 }), rows: fc.integer({ min: 5, max: 30 }) }),
  },
);

test('whatever is pressed, the screen shows what the editor draws, at any width', async () => {
  await withHome(async (place) => {
    mkdirSync(place, { mode: 0o700 });
    writeFileSync(join(place, 'history.jsonl'), HISTORY.map((text) => `${JSON.stringify([text])}\n`).join(''));
    const cwd = dirname(place);
    const env = { COGNITION_HOME: place, HOME: cwd, TERM_PROGRAM: 'vscode' };
    const chat = { command: process.execPath, args: [PROGRAM, 'chat'], cwd, env, reflowsCursorLine: false };
    await withTerminal(chat, async (terminal) => {
      await terminal.waitFor('Say something');
      await walk(terminal, fc.sample(step, { seed: 20_260, numRuns: 500 }));
    });
  });
}, 120_000);

async function walk(terminal: TestTerminal, steps: readonly (string | Size)[]): Promise<void> {
  const decoder = createKeyDecoder();
  let state = newEditor(HISTORY.map((text) => [text]));
  let size: Size = { columns: 80, rows: 24 };
  for (const [at, next] of steps.entries()) {
    if (typeof next !== 'string') {
      size = next;
      terminal.resize(size.columns, size.rows);
    } else {
      terminal.type(next);
      for (const key of decoder.take(next)) state = press(state, key, { ...FRAME, width: size.columns }).state;
    }
    const wanted = drawn(state, size);
    await terminal
      .waitFor(() => isShown(terminal, wanted))
      .catch((error: unknown) => {
        console.log(
          JSON.stringify(terminal.raw().slice(-1500)),
          terminal.screen(),
          terminal.cursor(),
          wanted.cursor,
          steps.slice(at - 6, at + 1),
        );
        expect(shown(terminal, wanted), `step ${at}: ${JSON.stringify(next)} at ${JSON.stringify(size)}`).toEqual(
          wanted,
        );
        throw error;
      });
  }
}

interface Drawn {
  lines: string[];
  cursor: { row: number; column: number };
}

/** What the editor draws in the part of the screen that it is given. */
function drawn(state: EditorState, { columns, rows }: Size): Drawn {
  const room = rows - 2;
  const most = Math.max(1, Math.min(room - 1, Math.ceil(room / 2)));
  const { lines, cursor } = editorView(drawingOf(state, 'Say something, or /help'), lookAt(columns), most);
  return { lines: lines.map((line) => line.trimEnd()), cursor };
}

/** The same rows as they are on the screen, which the cursor tells. */
function shown(terminal: TestTerminal, { lines, cursor }: Drawn): Drawn {
  const { row, column } = terminal.cursor();
  const first = row - cursor.row;
  const screen = terminal.screen();
  return { lines: lines.map((_, at) => screen[first + at] ?? ''), cursor: { row: cursor.row, column } };
}

function isShown(terminal: TestTerminal, wanted: Drawn): boolean {
  return JSON.stringify(shown(terminal, wanted)) === JSON.stringify(wanted);
}
