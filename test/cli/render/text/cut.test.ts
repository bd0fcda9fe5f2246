import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rulerFor } from '../../../../cli/render/look/choose_ruler.js';
import { plainRuler } from '../../../../cli/render/look/ruler.js';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { cut } from '../../../../cli/render/text/cut.js';
import { lookAt } from '../../../support/look.js';

const look = lookAt(80);

test.each([
  ['a text that fits', 'hello', 5, 'hello'],
  ['a text that does not', 'hello world', 8, 'hello w…'],
  ['a cut at a blank', 'hello world', 7, 'hello…'],
  ['wide characters', '数据结构', 5, '数据…'],
  ['a wide character that would stand half over the edge', '数据结构', 6, '数据…'],
  ['an emoji of several code points', 'ab👩‍👩‍👧cd', 4, 'ab…'],
  ['combining marks', 'e\u0301e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301…'],
  ['no room at all', 'hello', 0, ''],
])('%s', (...[, text, columns, shown]) => {
  expect(cut(text, columns, look)).toBe(shown);
});

test('in ASCII the end of a cut is three dots', () => {
  expect(cut('hello world', 8, lookAt(80, 'ascii'))).toBe('hello...');
});

test('a heap of combining marks does not go on for ever', () => {
  const heap = `x${'\u0301'.repeat(10_000)} and more text behind it`;
  expect(cut(heap, 10, look).length).toBeLessThan(100);
});

test('a cut text is never wider than its columns', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
      expect(wideRuler.width(cut(text, columns, look))).toBeLessThanOrEqual(columns);
    }),
  );
});

test('only text that needs it loads the measuring of all of Unicode', async () => {
  expect(await rulerFor(['plain text', 'and a drawn … one'])).toBe(plainRuler);
  expect(await rulerFor(['plain text', '数据'])).toBe(wideRuler);
});
