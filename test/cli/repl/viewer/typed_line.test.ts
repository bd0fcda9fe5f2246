import { expect, test } from 'vitest';
import type { Completion } from '../../../../cli/repl/editor/completion/menu.js';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { beginLine, remember, shownLine, type TypedHistory, typedKey } from '../../../../cli/repl/viewer/typed_line.js';

const COMPLETION: Completion = {
  commands: [
    { name: 'fork', detail: 'an alternative', takesArguments: true },
    { name: 'back', detail: 'back', takesArguments: true },
    { name: 'branches', detail: 'the branches', takesArguments: false },
  ],
  files: () => [],
  arguments: (command, words) =>
    command === 'fork' && words.length === 0 ? [{ value: '1a2b3c4d', detail: 'a node' }] : [],
};
const NAMES = new Set(['tab', 'up', 'down', 'enter', 'escape', 'backspace', 'home', 'left', 'delete']);

const keyOf = (text: string): Key => {
  const ctrl = text.startsWith('^') && text.length === 2;
  const name = ctrl ? text.slice(1) : text;
  return ctrl || NAMES.has(name) ? { kind: 'key', name, ctrl, alt: false, shift: false } : { kind: 'text', text };
};

/** What a line is after some keys, with `|` at the cursor; or how it ended. */
function after(keys: readonly string[], history: TypedHistory = { '/': [], ':': [] }, sign: '/' | ':' = ':'): string {
  let line = beginLine(sign, history);
  for (const key of keys) {
    const step = typedKey(line, keyOf(key), COMPLETION);
    if (step.kind !== 'goes_on') return step.kind === 'left' ? 'left' : `entered ${step.text}`;
    line = step.line;
  }
  const { text, cursor, menu } = shownLine(line);
  const offered = menu === null ? '' : `  (${menu.items.map(({ label }) => label).join(' ')})`;
  return `${sign}${text.slice(0, cursor)}|${text.slice(cursor)}${offered}`;
}

test('Tab completes a command and what follows it, as where messages are written', () => {
  expect(after(['b', 'tab'])).toBe(':b|  (:back :branches)');
  expect(after(['b', 'tab', 'tab'])).toBe(':back |');
  expect(after(['b', 'tab', 'down', 'tab'])).toBe(':branches|');
  expect(after(['fo', 'tab'])).toBe(':fork |  (1a2b3c4d)');
  expect(after(['fo', 'tab', 'tab'])).toBe(':fork 1a2b3c4d |');
  expect(after(['zz', 'tab'])).toBe(':zz|');
});

test('nothing is offered before the first Tab, so that Enter sends what is written', () => {
  expect(after(['b'])).toBe(':b|');
  expect(after(['b', 'enter'])).toBe('entered b');
  expect(after(['br', 'tab', 'enter'])).toBe('entered branches');
});

test('the arrow up brings what was entered before, and the arrow down the draft again', () => {
  const history: TypedHistory = { '/': ['needle'], ':': ['tree', 'fork 1'] };
  expect(after(['up'], history)).toBe(':fork 1|');
  expect(after(['up', 'up'], history)).toBe(':tree|');
  expect(after(['dra', 'up', 'down'], history)).toBe(':dra|');
  expect(after(['up'], history, '/')).toBe('/needle|');
  expect(after(['up', 'enter'], history)).toBe('entered fork 1');
});

test('Esc closes the candidates, then leaves; so does Ctrl-C, and Backspace at the beginning', () => {
  expect(after(['b', 'tab', 'escape'])).toBe(':b|');
  expect(after(['b', 'tab', 'escape', 'escape'])).toBe('left');
  expect(after(['b', '^c'])).toBe('left');
  expect(after(['b', 'backspace'])).toBe(':|');
  expect(after(['b', 'backspace', 'backspace'])).toBe('left');
});

test('the sign before a typed line cannot be deleted', () => {
  expect(after(['tree', 'home', 'x'])).toBe(':x|tree');
  expect(after(['tree', '^u'])).toBe(':|');
  expect(after(['tree', '^w'])).toBe(':|');
  expect(after(['left', 'left', 'x'])).toBe(':x|');
});

test('line ends become blanks, and a line has an end', () => {
  expect(after(['one\ntwo', '^j'])).toBe(':one two|');
  expect(after(['x'.repeat(5_000)], undefined, '/')).toBe(`/${'x'.repeat(500)}|`);
});

test('the history keeps a repeated entry once, and is bounded', () => {
  const history: TypedHistory = { '/': [], ':': [] };
  for (const text of ['a', 'a', ' ', 'b', ...Array.from({ length: 300 }, (_, at) => `n${at}`)])
    remember(history, ':', text);
  expect(history[':']).toHaveLength(200);
  expect(history[':'].at(-1)).toBe('n299');
});
