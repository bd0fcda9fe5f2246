import { expect, test } from 'vitest';
import { unsent } from '../../../../cli/repl/editor/actions/history_keys.js';
import { press } from '../../../../cli/repl/editor/press.js';
import { textOfContent } from '../../../../cli/repl/editor/state/buffer.js';
import { newEditor } from '../../../../cli/repl/editor/state/editor_state.js';
import { FRAME, keysOf, paste, pressed, seen, sent, typing, withHistory } from './keyboard.js';

test.each([
  ['hello', 'hello|'],
  ['hello<left><left>X', 'helX|lo'],
  ['hello<ctrl+a>X<ctrl+e>Y', 'XhelloY|'],
  ['hello<home><right><delete>', 'h|llo'],
  ['one two three<alt+b><alt+b>', 'one |two three'],
  ['one two three<ctrl+a><alt+f><alt+f>', 'one two| three'],
  ['one two<ctrl+left><ctrl+left><ctrl+right>', 'one| two'],
  ['src/main.ts<alt+b>', 'src/main.|ts'],
  ['src/main.ts<alt+backspace>', 'src/main.|'],
  ['look at src/main.ts<ctrl+w>', 'look at |'],
  ['one two<ctrl+a><alt+d>', '| two'],
  ['one two<ctrl+u>', '|'],
  ['one two<left><left><left><ctrl+k>', 'one |'],
  ['one two<ctrl+w><ctrl+y><ctrl+y>', 'one twotwo|'],
  ['ab<ctrl+t>', 'ba|'],
  ['a<ctrl+d>', 'a|'],
  ['ab<left><ctrl+d>', 'a|'],
  ['漢字かな<alt+b>', '漢字|かな'],
  ['a👨‍👩‍👧b<left><backspace>', 'a|b'],
  ['é<backspace>', '|'],
  ['🇫🇷🇩🇪<left><backspace>', '|🇩🇪'],
  ['a<up>b', 'ab|'],
  ['a<f7>b<insert>', 'ab|'],
])('the keys %s give %s', (keys, text) => {
  expect(typing(keys)).toBe(text);
});

test.each([
  ['a<alt+enter>b', 'a\nb|'],
  ['a<shift+enter>b', 'a\nb|'],
  ['a<ctrl+j>b', 'a\nb|'],
  ['a\\<enter>b', 'a\nb|'],
  ['a\\<ctrl+j>b<up><end><enter>', 'a\n|\nb'],
])('the keys %s start a new line', (keys, text) => {
  expect(typing(keys)).toBe(text);
});

test('Enter sends what was written and leaves an empty editor', () => {
  const { state, effects } = pressed('one<ctrl+j>two<enter>');
  expect(effects).toEqual([{ kind: 'submit', how: 'now', text: 'one\ntwo', content: ['one\ntwo'] }]);
  expect(seen(state)).toBe('|');
});

test('two backslashes before Enter are sent', () => {
  expect(sent(pressed('a\\\\<enter>').effects)).toEqual(['now: a\\\\']);
});

test('blanks alone are not sent', () => {
  expect(pressed('  <ctrl+j> <enter>').effects).toEqual([]);
});

test('Alt-Enter lets a message wait where the frame says so', () => {
  expect(sent(pressed('later<alt+enter>', newEditor(), { ...FRAME, altEnter: 'queue' }).effects)).toEqual([
    'queue: later',
  ]);
});

test.each([
  ['<ctrl+c>', { kind: 'interrupt', cleared: false }],
  ['draft<ctrl+c>', { kind: 'interrupt', cleared: true }],
  ['<ctrl+d>', { kind: 'leave' }],
  ['<escape>', { kind: 'escape' }],
  ['<ctrl+g>', { kind: 'edit_outside' }],
  ['<ctrl+x><ctrl+e>', { kind: 'edit_outside' }],
  ['<ctrl+o>', { kind: 'expand' }],
  ['<ctrl+l>', { kind: 'redraw' }],
  ['<ctrl+z>', { kind: 'suspend' }],
  ['<shift+tab>', { kind: 'switch_mode' }],
  ['<tab>', { kind: 'tab' }],
  ['<pageup>', { kind: 'page', by: -1 }],
  ['<pagedown>', { kind: 'page', by: 1 }],
])('the keys %s are for somebody else', (keys, effect) => {
  expect(pressed(keys).effects).toEqual([effect]);
});

test('Ctrl-C clears the text, and undo gives it back', () => {
  expect(typing('draft<ctrl+c>')).toBe('|');
  expect(typing('draft<ctrl+c><ctrl+_>')).toBe('draft|');
});

test('undo takes back word by word, and redo gives them again', () => {
  const words = 'one two three'.split('').map((text) => ({ kind: 'text' as const, text }));
  const { state } = pressed(words);
  expect(typing('<ctrl+_>', state)).toBe('one two |');
  expect(typing('<ctrl+_><ctrl+x><ctrl+u><ctrl+_>', state)).toBe('|');
  expect(typing('<ctrl+_><ctrl+_><alt+z>', state)).toBe('one two |');
  expect(typing('<ctrl+_>x<alt+z>', state)).toBe('one two x|');
});

test('kills in a row are yanked as one', () => {
  expect(typing('one two three<ctrl+w><ctrl+w><ctrl+y>')).toBe('one two three|');
  expect(typing('one two<ctrl+a><alt+d><alt+d><ctrl+y>')).toBe('one two|');
});

test('Alt-Y goes through what was killed before', () => {
  expect(typing('one<ctrl+w>two<ctrl+w>three<ctrl+w><ctrl+y><alt+y>')).toBe('two|');
  expect(typing('one<ctrl+w>two<ctrl+w>three<ctrl+w><ctrl+y><alt+y><alt+y><alt+y>')).toBe('three|');
  expect(typing('one<alt+y>')).toBe('one|');
});

test('Ctrl-U at the start of a line and Ctrl-K at its end join lines', () => {
  expect(typing('a<ctrl+j>b<home><ctrl+u>')).toBe('a|b');
  expect(typing('a<ctrl+j>b<up><end><ctrl+k>')).toBe('a|b');
});

test('the arrows go through lines, and keep to a column', () => {
  expect(typing('long line<ctrl+j>ab<ctrl+j>long line<up>')).toBe('long line\nab|\nlong line');
  expect(typing('long line<ctrl+j>ab<ctrl+j>long line<up><up>')).toBe('long line|\nab\nlong line');
  expect(typing('漢字<ctrl+j>abcd<up>')).toBe('漢字|\nabcd');
  expect(typing('漢字<ctrl+j>abc<up>')).toBe('漢|字\nabc');
});

test('the arrows go through the rows of a long line', () => {
  const narrow = { ...FRAME, width: 13 };
  expect(typing('0123456789abcdefghij0123<up>', newEditor(), narrow)).toBe('0123456789abcd|efghij0123');
  expect(typing('0123456789abcdefghij0123<up><up><down>', newEditor(), narrow)).toBe('0123456789abcd|efghij0123');
  expect(typing('0123456789abc<up><end>', newEditor(), narrow)).toBe('0123456789abc|');
});

test('up goes back through the history and down returns to the draft', () => {
  const state = withHistory('first', 'second');
  expect(typing('draft<up>', state)).toBe('second|');
  expect(typing('draft<up><up><up>', state)).toBe('first|');
  expect(typing('draft<up><up><down><down><down>', state)).toBe('draft|');
});

test('what was changed in the history stays there until something is sent', () => {
  const state = withHistory('first', 'second');
  expect(typing('<up>!<up><down>', state)).toBe('second!|');
  expect(typing('<up>!<up><down><enter><up><up>', state)).toBe('second|');
});

test('sending a message of the history gives the draft back', () => {
  const { state, effects } = pressed('draft<up><enter>', withHistory('first'));
  expect(sent(effects)).toEqual(['now: first']);
  expect(seen(state)).toBe('draft|');
});

test('Ctrl-C on a message of the history gives the draft back, and undo that message', () => {
  const state = withHistory('first');
  expect(typing('draft<left><up>!<ctrl+c>', state)).toBe('draf|t');
  expect(typing('draft<left><up>!<ctrl+c><ctrl+_>', state)).toBe('first!|');
  expect(typing('<up>!<ctrl+c>', state)).toBe('|');
  expect(typing('<up>!<ctrl+c><ctrl+_>', state)).toBe('first!|');
});

test('what is unsent is the draft while one only looks at what was sent', () => {
  const state = withHistory('first', 'second');
  const unsentAfter = (keys: string) => textOfContent(unsent(pressed(keys, state).state));
  expect(unsentAfter('draft')).toBe('draft');
  expect(unsentAfter('draft<up><up>')).toBe('draft');
  expect(unsentAfter('<up>')).toBe('');
  expect(unsentAfter('draft<ctrl+r>first<enter>')).toBe('draft');
  expect(unsentAfter('draft<up>!')).toBe('second!');
  expect(unsentAfter('draft<up>!<down>')).toBe('draft');
});

test('a message that was sent is in the history once, and not when it begins with a blank', () => {
  const { state } = pressed('one<enter>one<enter> secret<enter>two<enter>');
  expect(state.history.map(({ text }) => text)).toEqual(['one', 'two']);
});

const LINES = Array.from({ length: 120 }, (_, index) => `line ${index}`).join('\n');

test('a paste of three lines is text', () => {
  expect(typing([paste('one\ntwo\nthree')])).toBe('one\ntwo\nthree|');
});

test('a large paste is one sign, and all of it is sent', () => {
  const { state } = pressed([...keysOf('see '), paste(LINES), ...keysOf(' there')]);
  expect(state.buffer.text).toHaveLength('see '.length + 1 + ' there'.length);
  const { effects } = pressed('<enter>', state);
  expect(effects).toEqual([
    { kind: 'submit', how: 'now', text: `see ${LINES} there`, content: ['see ', { paste: LINES }, ' there'] },
  ]);
});

test('a large paste is deleted as one, and undo gives it back', () => {
  const { state } = pressed([...keysOf('see '), paste(LINES)]);
  expect(typing('<backspace>', state)).toBe('see |');
  expect(sent(pressed('<backspace><ctrl+_><enter>', state).effects)).toEqual([`now: see ${LINES}`]);
  expect(typing('<alt+backspace>', state)).toBe('see |');
});

test('a large paste survives the history, the draft and the kill ring', () => {
  const { state } = pressed([...keysOf('see '), paste(LINES)]);
  expect(sent(pressed('<up><down><enter>', state).effects)).toEqual([`now: see ${LINES}`]);
  expect(sent(pressed('<enter><up><enter>', state).effects)).toEqual([`now: see ${LINES}`, `now: see ${LINES}`]);
  expect(sent(pressed('<ctrl+u>other<enter><ctrl+y><enter>', state).effects)).toEqual([
    'now: other',
    `now: see ${LINES}`,
  ]);
});

test('a lone surrogate is not read as a paste', () => {
  const { state } = pressed([{ kind: 'text', text: 'a\udc00b' }, paste(LINES)]);
  expect(sent(pressed('<enter>', state).effects)).toEqual([`now: a\ufffdb${LINES}`]);
});

test('the search goes back through the history', () => {
  const state = withHistory('git status', 'npm test', 'git log', 'ls');
  expect(typing('<ctrl+r>git<enter>', state)).toBe('git log|');
  expect(typing('<ctrl+r>git<ctrl+r><enter>', state)).toBe('git status|');
  expect(typing('<ctrl+r>git<ctrl+r><ctrl+s><enter>', state)).toBe('git log|');
  expect(typing('<ctrl+r>gitx<backspace><enter>', state)).toBe('git log|');
  expect(typing('<ctrl+r>GIT<enter>', state)).toBe('|');
  expect(typing('<ctrl+r>npm<left>!', state)).toBe('npm tes!|t');
});

test('a search that is given up leaves the draft', () => {
  const state = withHistory('git status');
  expect(typing('draft<ctrl+r>git<escape>', state)).toBe('draft|');
  expect(typing('draft<ctrl+r>git<ctrl+c>', state)).toBe('draft|');
  expect(typing('draft<ctrl+r>git<enter><down>', state)).toBe('draft|');
});

test('a search for what is nowhere says so and keeps what it had', () => {
  const { state } = pressed('x', pressed('<ctrl+r>git', withHistory('git status')).state);
  expect(state.search).toEqual({ query: 'gitx', found: 0, isFailing: true });
});

test('an emoji whose parts come one by one is one sign', () => {
  let state = newEditor();
  for (const text of '👨‍👩‍👧') state = press(state, { kind: 'text', text }, FRAME).state;
  expect(typing('<backspace>', state)).toBe('|');
});

test('a long text is one sign even where the terminal does not mark a paste', () => {
  const text = 'x'.repeat(600);
  const { state } = pressed([{ kind: 'text', text }]);
  expect(state.buffer.text).toHaveLength(1);
  expect(sent(pressed('<enter>', state).effects)).toEqual([`now: ${text}`]);
});

test('a message with a line that nobody would read comes back as one sign', () => {
  const line = '漢'.repeat(6_000);
  const { state, effects } = pressed('<up><enter>', withHistory(line));
  expect(sent(effects)).toEqual([`now: ${line}`]);
  expect(pressed('<up>', state).state.buffer.text).toHaveLength(1);
});

test('Up takes back what waits only where nothing is written', () => {
  const waiting = { ...FRAME, takesBack: true };
  expect(pressed('<up>', newEditor(), waiting).effects).toEqual([{ kind: 'take_back' }]);
  expect(pressed('word<up>', newEditor(), waiting).effects).toEqual([]);
  expect(pressed('<up>', newEditor(), FRAME).effects).toEqual([]);
});
