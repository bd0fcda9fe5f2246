import { expect, test } from 'vitest';
import { renderBlock } from '../../../../cli/render/screens/viewer_block.js';
import { lookAt } from '../../../support/look.js';

const rows = (kind: 'message' | 'answer' | 'thinking', text: string, width: number): string[] =>
  renderBlock({ kind, text }, false, lookAt(width)).map((row) => row.text);

test('prose is broken between words, code where a row is full', () => {
  const text = 'Some words of prose.\n\n```ts\nconst value = "abc def ghi";\n```\n\nMore words of prose.';
  expect(rows('answer', text, 17)).toEqual([
    'Some words of',
    'prose.',
    '',
    '```ts',
    'const value = "a',
    'bc def ghi";',
    '```',
    '',
    'More words of',
    'prose.',
  ]);
});

test('what a person said stands below the sign before it, and a tab is four columns', () => {
  expect(rows('message', 'one two three\n\tfour', 12)).toEqual(['> one two', '  three', '      four']);
});

test('thinking is drawn below a row that counts its lines', () => {
  expect(rows('thinking', 'Is it deep enough?\nIt is.', 30)).toEqual([
    '> thinking -- 2 lines',
    '  Is it deep enough?',
    '  It is.',
  ]);
});

test('what a call gave is broken where a row is full', () => {
  const call = { tool: 'bash', input: { command: 'ls' }, output: 'aaa bbb ccc ddd', failed: false, remark: null };
  const block = { kind: 'call' as const, call: { ...call, durationMs: null, size: null } };
  expect(
    renderBlock(block, false, lookAt(12))
      .map((row) => row.text)
      .slice(1),
  ).toEqual(['  aaa bbb c', 'cc ddd']);
});

test('of a text of millions of characters the head and the tail are drawn, and a note says how much is left out', () => {
  const text = Array.from({ length: 400_000 }, (_, line) => `line ${line}`).join('\n');
  const drawn = rows('message', text, 60);
  expect(drawn[0]).toBe('> line 0');
  expect(drawn.at(-1)).toBe('line 399999');
  const gap = drawn.findIndex((row) => row.includes('not shown here'));
  expect(drawn[gap]).toMatch(/^\(\d\.\d MiB are not shown here: \/export has all of it\)$/);
  // Whole lines stand around it.
  expect(drawn[gap - 1]).toMatch(/^ {2}line \d{5}$/);
  expect(drawn[gap + 1]).toMatch(/^line 39\d{4}$/);
});
