import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordDifference } from '../../../../cli/render/text/word_difference.js';

const words = fc
  .array(fc.constantFrom('a', 'b', 'c', 'ü', '🎉', 'long-word'), { maxLength: 40 })
  .map((all) => all.join(' '));

test('without what was added it is the first text, without what was removed the second', () =>
  fc.assert(
    fc.property(words, words, (before, after) => {
      const stretches = wordDifference(before, after) ?? [];
      const without = (kind: string) =>
        stretches
          .filter((one) => one.kind !== kind)
          .map(({ text }) => text)
          .join(' ')
          .split(/\s+/)
          .join(' ')
          .trim();
      expect([without('added'), without('removed')]).toEqual([before, after]);
    }),
  ));

test('texts of thousands of words are not compared', () => {
  expect(wordDifference('word '.repeat(3_000), 'word')).toBeNull();
  expect(wordDifference('', '')).toEqual([]);
});
