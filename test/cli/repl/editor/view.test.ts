import { expect, test } from 'vitest';
import { editorView } from '../../../../cli/render/screens/editor_view.js';
import type { Completion } from '../../../../cli/repl/editor/completion/menu.js';
import { drawingOf } from '../../../../cli/repl/editor/editor_drawing.js';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { type EditorState, newEditor } from '../../../../cli/repl/editor/state/editor_state.js';
import { lookAt, namedStyle } from '../../../support/look.js';
import { FRAME, keysOf, paste, pressed, withHistory } from './keyboard.js';

const COMPLETION: Completion = {
  commands: [
    { name: 'tree', detail: 'draw the tree', takesArguments: true },
    { name: 'fork', detail: 'start another branch here', takesArguments: true },
    { name: 'quit', detail: 'leave', takesArguments: false },
  ],
  files: () => ['src/render/editor_view.ts', 'src/render/漢字 name.ts', 'src/render/'],
  arguments: () => [],
};

/** The editor after these keys as a person sees it, `|` at the cursor. */
function drawn(keys: string | readonly Key[], { width = 30, rows = 10, from = newEditor() } = {}): string[] {
  const { state } = pressed(keys, from, { ...FRAME, width, completion: COMPLETION });
  return marked(state, { width, rows });
}

function marked(state: EditorState, { width, rows }: { width: number; rows: number }): string[] {
  const { lines, cursor } = editorView(drawingOf(state, 'Say something'), lookAt(width), rows);
  const line = lines[cursor.row] ?? '';
  const before = columnsOf(line, cursor.column);
  return lines.with(
    cursor.row,
    `${before}${' '.repeat(cursor.column - lookAt(80).ruler.width(before))}|${line.slice(before.length)}`,
  );
}

function columnsOf(line: string, columns: number): string {
  const { ruler } = lookAt(80);
  let taken = '';
  for (const piece of ruler.pieces(line)) {
    if (ruler.width(taken + piece) > columns) break;
    taken += piece;
  }
  return taken;
}

test('an empty editor says what it is for', () => {
  expect(drawn('')).toEqual(['> |Say something']);
});

test.each([
  ['a\u200bb', 'a<U+200B>b'],
  ['a\u200db', 'a<U+200D>b'],
  ['a\u{e0041}\u{e0042}b', 'a<U+E0041><U+E0042>b'],
  ['é\u2060', 'é<U+2060>'],
  ['\ufeffx', '<U+FEFF>x'],
  ['漢\u2067字', '漢<U+2067>字'],
  ['می\u200cخواهم', 'می\u200cخواهم'],
  ['👩\u200d🚀!', '👩\u200d🚀!'],
  ['1\ufe0f\u20e3', '1\ufe0f\u20e3'],
])(
  'what would be hidden is shown where no script or emoji needs it, and what is sent stays as pasted: %j',
  (text, shown) => {
    const keys = [paste(text)];
    expect(drawn(keys, { width: 60 })).toEqual([`> ${shown}|`]);
    expect(pressed(keys, newEditor(), { ...FRAME, width: 60 }).state.buffer.text).toBe(text);
  },
);

test('lines are drawn below each other', () => {
  expect(drawn('one<ctrl+j>two<up>')).toEqual(['> one|', '  two']);
});

test('a long line goes on in the next row', () => {
  expect(drawn('0123456789abcdefghij', { width: 13 })).toEqual(['> 0123456789', '  abcdefghij|']);
  expect(drawn('0123456789abcdefghij<home>', { width: 13 })).toEqual(['> |0123456789', '  abcdefghij']);
  expect(drawn('0123456789abcdefghijk', { width: 13 })).toEqual(['> 0123456789', '  abcdefghij', '  k|']);
});

test('a wide character that does not fit goes to the next row', () => {
  expect(drawn('漢字漢字漢字', { width: 10 })).toEqual(['> 漢字漢', '  字漢字|']);
});

test('emoji, accents and tabs take the columns they have', () => {
  expect(drawn('a👨‍👩‍👧b<left>')).toEqual(['> a👨‍👩‍👧|b']);
  expect(drawn('cafe\u0301!<left>')).toEqual(['> cafe\u0301|!']);
  expect(drawn('a\tb\tc<left>')).toEqual(['> a   b   |c']);
});

test('an accent on nothing and marks of direction are made visible', () => {
  expect(drawn('\u0301a')).toEqual(['>  \u0301a|']);
  expect(drawn('a\u202eb')).toEqual(['> a<U+202E>b|']);
});

test('control characters never reach the terminal', () => {
  const { state } = pressed([paste('a')]);
  const odd = { ...state, buffer: { text: 'a\x1b[31m\x07\x85b', cursor: 0, pastes: [] } };
  expect(marked(odd, { width: 30, rows: 5 })).toEqual(['> |a^[[31m^G<85>b']);
});

test('a large paste is shown as one sign', () => {
  const lines = Array.from({ length: 120 }, () => 'x').join('\n');
  expect(drawn([...keysOf('see '), paste(lines), ...keysOf(' it')])).toEqual(['> see [pasted 120 lines] it|']);
  expect(drawn([paste('y'.repeat(600))])).toEqual(['> [pasted 600 characters]|']);
  expect(drawn([paste(lines)], { width: 13 })).toEqual(['> [pasted 12|']);
});

test('a long text shows the rows around the cursor', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const state = pressed(lines.join('<ctrl+j>')).state;
  expect(marked(state, { width: 30, rows: 4 })).toEqual(['^ line 16', '  line 17', '  line 18', '  line 19|']);
  const up = pressed('<up><up><up>', state).state;
  expect(marked(up, { width: 30, rows: 4 })).toEqual(['^ line 15', '  line 16|', '  line 17', 'v line 18']);
  const start = pressed('<ctrl+home>', state).state;
  expect(marked(start, { width: 30, rows: 4 })).toEqual(['> |line 0', '  line 1', '  line 2', 'v line 3']);
  expect(marked(start, { width: 30, rows: 1 })).toEqual(['> |line 0']);
});

test('the commands are offered with what they do', () => {
  expect(drawn('/')).toEqual(['> /|', '> /tree  draw the tree', '  /fork  start another branc…', '  /quit  leave']);
  expect(drawn('/<down>')).toEqual([
    '> /|',
    '  /tree  draw the tree',
    '> /fork  start another branc…',
    '  /quit  leave',
  ]);
});

test('a menu takes no more rows than there are, and shows the selected one', () => {
  expect(drawn('/<down><down>', { rows: 3 })).toEqual(['> /|', '  /fork  start another branc…', '> /quit  leave']);
  expect(drawn('/', { rows: 1 })).toEqual(['> /|']);
});

test('a path that is too long shows its end', () => {
  expect(drawn('@e', { width: 20 })).toEqual(['> @e|', '> …r/editor_view.ts', '  …der/漢字 name.ts', '  src/render/']);
});

test('everything fits into a window of 20 by 6', () => {
  expect(drawn('look at this now: @', { width: 20, rows: 4 })).toEqual([
    '> look at this now:',
    '   @|',
    '> …r/editor_view.ts',
    '  …der/漢字 name.ts',
  ]);
});

test('the search shows what it found and where', () => {
  const from = withHistory('npm test', 'git status');
  expect(drawn('<ctrl+r>npm', { from })).toEqual(['> npm test', 'search: npm|']);
  expect(drawn('<ctrl+r>zzz', { from })).toEqual(['> Say something', 'nothing earlier has: zzz|']);
  const { state } = pressed('<ctrl+r>te', from);
  expect(editorView(drawingOf(state, ''), { ...lookAt(40), style: namedStyle }, 5).lines).toEqual([
    '<user:> >npm <match:te>st',
    '<quiet:search: te>',
  ]);
});

test('tokens, placeholders and details are quiet, and the selected one is strong', () => {
  const look = { ...lookAt(40), style: namedStyle };
  const { state } = pressed([...keysOf('a '), paste('x\n'.repeat(9))]);
  expect(editorView(drawingOf(state, ''), look, 5).lines).toEqual(['<user:> >a <quiet:[pasted 9 lines]>']);
  expect(editorView(drawingOf(newEditor(), 'Say'), look, 5).lines).toEqual(['<user:> ><quiet:Say>']);
  const menu = pressed('/q', newEditor(), { ...FRAME, completion: COMPLETION }).state;
  expect(editorView(drawingOf(menu, ''), look, 5).lines).toEqual(['<user:> >/q', '<strong:> /quit>  <quiet:leave>']);
});
