import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';

const SIGNS = ['a', ' ', '数', '👩‍👩‍👧', '🇩🇪', 'e\u0301', '\u0301', '\u200d', '가', '👍🏽', '…', '\r\n'];
const textArbitrary = fc.array(fc.constantFrom(...SIGNS), { maxLength: 600 }).map((signs) => signs.join(''));

test('a long text is cut into the same pieces as a short one, and measured the same', () => {
  fc.assert(
    fc.property(textArbitrary, (text) => {
      const pieces = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment.slice(0, 64));
      expect([...wideRuler.pieces(text)]).toEqual(pieces);
      expect(wideRuler.width(text)).toBe(stringWidth(text));
    }),
  );
});

test('a heap of marks, and a text of a million signs, are walked once', () => {
  expect([...wideRuler.pieces(`e${'\u0301'.repeat(100_000)}x`)]).toHaveLength(2);
  expect(wideRuler.width('数据'.repeat(500_000))).toBe(2_000_000);
});
