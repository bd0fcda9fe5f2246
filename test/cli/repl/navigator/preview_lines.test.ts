import { expect, test } from 'vitest';
import { excerptOf } from '../../../../cli/repl/navigator/preview_lines.js';

const LINES = Array.from({ length: 100 }, (_, at) => `line ${at}`);

test('an excerpt begins with the text, or with the line before the words that are sought', () => {
  const text = LINES.join('\n');
  expect(excerptOf(text, '')).toEqual(LINES.slice(0, 20));
  expect(excerptOf(text, 'LINE 50')).toEqual(LINES.slice(0, 20));
  expect(excerptOf(text, 'line 50')).toEqual(LINES.slice(49, 69));
  expect(excerptOf(text, 'line 99')).toEqual(LINES.slice(98));
  expect(excerptOf(text, 'nowhere')).toEqual(LINES.slice(0, 20));
  expect(excerptOf('', 'x')).toEqual(['']);
  expect(excerptOf('\n\nx', 'x')).toEqual(['', 'x']);
});

test('the excerpt of a long line begins with a word shortly before the match', () => {
  const text = `${'word '.repeat(10_000)}needle ${'word '.repeat(10_000)}`;
  const [line = ''] = excerptOf(text, 'needle');
  expect(line).toMatch(/^(word ){39}needle (word )+/);
  expect(line).toHaveLength(4_000);
  const glued = `${'👩‍👩‍👧'.repeat(1_000)}needle`;
  expect(excerptOf(glued, 'needle')).toEqual(['needle']);
});
