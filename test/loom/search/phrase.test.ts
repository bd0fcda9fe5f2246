import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findPhrase } from '../../../loom/search/phrase.js';

test('a phrase is found where a regular expression finds it', () => {
  const letter = fc.constantFrom('a', 'b', ' ', '\n', '\u00a0', '\u3000');
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 });
  const words = fc.array(word, { minLength: 2, maxLength: 4 });
  const text = fc.string({ unit: letter, maxLength: 40 });
  fc.assert(
    fc.property(text, words, fc.nat(5), (where, phrase, from) => {
      const pattern = new RegExp(phrase.join('\\s+'), 'gu');
      pattern.lastIndex = from;
      const match = pattern.exec(where);
      const expected = match === null ? null : [match.index, match.index + match[0].length];
      expect(findPhrase(where, phrase, from)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test('every blank of \\s counts as a blank', () => {
  for (let unit = 0; unit <= 0xffff; unit += 1) {
    const between = String.fromCharCode(unit);
    expect(findPhrase(`a${between}b`, ['a', 'b'], 0) !== null, unit.toString(16)).toBe(/\s/u.test(between));
  }
});
