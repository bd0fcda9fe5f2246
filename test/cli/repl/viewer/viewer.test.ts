import { expect, test } from 'vitest';
import { confirmationOf } from '../../../../cli/repl/editor/keys/confirmation.js';
import { colonCommand } from '../../../../cli/repl/viewer/colon_command.js';
import type { ViewedBlock } from '../../../../cli/repl/viewer/path_blocks.js';
import { shownLine } from '../../../../cli/repl/viewer/typed_line.js';
import { type Around, pressed } from '../../../../cli/repl/viewer/viewer_keys.js';
import {
  atEnd,
  chosenAt,
  EMPTY_VIEW,
  isAtEnd,
  type Rows,
  scrolled,
  seenRows,
  type Viewing,
  withBlocks,
} from '../../../../cli/repl/viewer/viewport.js';
import { NodeId } from '../../../../hub/protocol/node.js';

const NODE = NodeId.parse('00000000-0000-4000-8000-000000000000');

/** Blocks of so many rows each. */
function viewOf(heights: readonly number[]): Viewing {
  const blocks = heights.map(
    (high, at): ViewedBlock => ({
      ...{ key: `b${at}`, node: NODE, at, more: null, startsFolded: false },
      shown: { kind: 'message', text: Array.from({ length: high }, (_, row) => `${at}.${row}`).join('\n') },
    }),
  );
  return withBlocks(EMPTY_VIEW, blocks, { start: 0, end: heights.length, length: heights.length });
}

const rowsOf = (height: number): Rows => ({
  height,
  of(view, block) {
    const { shown } = view.blocks[block] ?? { shown: null };
    const lines = shown?.kind === 'message' ? shown.text.split('\n') : [''];
    return lines.map((text) => ({ text, indent: 0, joint: '\n' }));
  },
  gap: () => 0,
  marks: () => new Map(),
  hits: () => [],
  width: 80,
});

const around = (rows: Rows): Around => ({
  rows,
  completion: { commands: [], files: () => [], arguments: () => [] },
  history: { '/': [], ':': [] },
  modes: { network: false, isPlanning: false, thinking: null },
});

const seen = (view: Viewing, rows: Rows): string =>
  seenRows(view, rows)
    .map(({ text }) => text)
    .join(' ');
const type = (text: string) => ({ kind: 'text' as const, text });

test('scrolling goes by rows through blocks, and ends with the last row at the bottom', () => {
  const rows = rowsOf(3);
  const start = chosenAt({ ...viewOf([2, 3, 1]), top: { block: 0, row: 0 } }, 0, rows);
  expect(seen(start, rows)).toBe('0.0 0.1 1.0');
  const one = scrolled(start, 1, rows);
  expect(seen(one, rows)).toBe('0.1 1.0 1.1');
  const far = scrolled(one, 1_000, rows);
  expect(seen(far, rows)).toBe('1.1 1.2 2.0');
  expect(isAtEnd(far, rows)).toBe(true);
  expect(seen(scrolled(far, -2, rows), rows)).toBe('0.1 1.0 1.1');
  expect(seen(scrolled(far, -1_000, rows), rows)).toBe('0.0 0.1 1.0');
});

test('the chosen block is always in sight', () => {
  const rows = rowsOf(4);
  const heights = [1, 6, 2, 1, 9, 3, 1];
  for (let by = -25; by <= 25; by += 1) {
    const view = scrolled(atEnd(viewOf(heights), rows), by, rows);
    expect(seenRows(view, rows).map(({ block }) => block)).toContain(view.chosen);
  }
  for (let block = -1; block <= heights.length; block += 1) {
    const view = chosenAt(atEnd(viewOf(heights), rows), block, rows);
    expect(seenRows(view, rows).map((row) => row.block)).toContain(view.chosen);
  }
});

test('fewer rows than the screen has are shown from the first on', () => {
  const rows = rowsOf(10);
  expect(seen(atEnd(viewOf([1, 2]), rows), rows)).toBe('0.0 1.0 1.1');
  expect(seen(atEnd(viewOf([]), rows), rows)).toBe('');
  expect(scrolled(viewOf([]), 5, rows).chosen).toBe(0);
});

test('what is chosen stays chosen when blocks are read above it', () => {
  const rows = rowsOf(3);
  const view = chosenAt(viewOf([1, 1, 1]), 1, rows);
  const more = viewOf([1, 1, 1]).blocks.map((block) => ({ ...block, key: `above ${block.key}` }));
  const extended = withBlocks(view, [...more, ...view.blocks], { start: 0, end: 6, length: 6 });
  expect(extended.blocks[extended.chosen]?.key).toBe('b1');
});

test('keys that come as one text each do their part, and a line that is begun takes the rest', () => {
  const rows = rowsOf(3);
  const { view, action } = pressed(atEnd(viewOf([2, 2, 2]), rows), type('k[/needle k'), around(rows));
  expect(action).toBeNull();
  expect(view.typing === null ? null : shownLine(view.typing)).toMatchObject({
    sign: '/',
    text: 'needle k',
    cursor: 8,
  });
  const enter = { kind: 'key' as const, name: 'enter', ctrl: false, alt: false, shift: false };
  expect(pressed(view, enter, around(rows)).action).toEqual({ kind: 'search', query: 'needle k', by: -1 });
});

test('the leader key takes one letter, asks before it acts, and a letter that means nothing is text', () => {
  const rows = rowsOf(3);
  const view = viewOf([1]);
  const asking = pressed(view, type(' x'), around(rows));
  expect(asking).toMatchObject({ action: null, view: { asking: { question: 'Execute the plan?', isReady: false } } });
  expect(pressed(asking.view, type('y'), around(rows)).action).toBeNull();
  const ready = {
    ...asking.view,
    asking: { ...confirmationOf('Execute the plan?', 'execute' as const), isReady: true },
  };
  expect(pressed(ready, type('y'), around(rows)).action).toEqual({ kind: 'leader', leader: 'execute' });
  expect(pressed(ready, type('n'), around(rows))).toMatchObject({ action: null, view: { asking: null } });
  expect(pressed(ready, type('k'), around(rows)).action).toEqual({ kind: 'text' });
  expect(pressed(view, type(' j'), around(rows))).toMatchObject({ action: { kind: 'text' }, view: { leader: 'none' } });
  expect(pressed(view, type(' ?'), around(rows)).view.help).toBe(true);
});

test.each([
  ['clear', { kind: 'line', line: '/clear' }],
  ['exec', { kind: 'line', line: '/execute' }],
  ['/goto 1a2b', { kind: 'line', line: '/goto 1a2b' }],
  ['edit-plan', { kind: 'edit_plan' }],
  ['!ls -l', { kind: 'line', line: '!ls -l' }],
  ['q', { kind: 'line', line: '/quit' }],
  ['cleer', { kind: 'unknown', word: 'There is no command :cleer; did you mean :clear?' }],
  ['zzzz', { kind: 'unknown', word: 'There is no command :zzzz; list them with :help' }],
])('after a colon %j is understood', (text, command) => {
  expect(colonCommand(text, ['clear', 'execute', 'goto', 'quit', 'help'])).toEqual(command);
});
