import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainRuler, type Ruler } from '../../../../cli/render/look/ruler.js';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { clipLine, fitBlock } from '../../../../cli/render/screens/live_block.js';
import { cautiousWidth } from '../../../../cli/render/text/cautious_width.js';
import { wrapHard } from '../../../../cli/render/text/wrap_words.js';

const RED = '\x1b[31m';
const END = '\x1b[39m';

function wrapRows(line: string, columns: number, ruler: Ruler): string[] {
  return wrapHard(line, columns, ruler).map(({ text }) => text);
}

test('a row is clipped between characters, and its colours end with it', () => {
  expect(clipLine('plain text', 5, plainRuler)).toBe('plain');
  expect(clipLine('数据 x', 3, wideRuler)).toBe('数');
  expect(clipLine(`${RED}red words${END} more`, 5, wideRuler)).toBe(`${RED}red w${END}\x1b[0m`);
  expect(clipLine('a\tb\r\nc', 9, wideRuler)).toBe('a b  c');
  // Some terminals draw the family as three, side by side.
  expect(clipLine('👩‍👩‍👧 x', 5, wideRuler)).toBe('');
});

test('of a block the rows nearest to its end stay, but never without the cursor', () => {
  const lines = ['1', '2', '3', '4', '5'];
  const size = { columns: 10, rows: 2 };
  expect(fitBlock({ lines, cursor: null }, size, plainRuler)).toEqual({ lines: ['4', '5'], cursor: null });
  expect(fitBlock({ lines, cursor: { row: 1, column: 99 } }, size, plainRuler)).toEqual({
    lines: ['2', '3'],
    cursor: { row: 0, column: 10 },
  });
  expect(fitBlock({ lines: [], cursor: { row: 4, column: 4 } }, size, plainRuler)).toEqual({ lines: [], cursor: null });
});

test('a line is wrapped as a terminal does it, with its colours in every row', () => {
  expect(wrapRows('abcdef', 4, plainRuler)).toEqual(['abcd', 'ef']);
  expect(wrapRows('a数据', 4, wideRuler)).toEqual(['a数', '据']);
  expect(wrapRows(`${RED}abcdef${END}gh`, 4, wideRuler)).toEqual([`${RED}abcd\x1b[0m`, `${RED}ef${END}gh`]);
});

test('no row is wider than it may be, and wrapping loses nothing', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '数', '👩‍👩‍👧', '🇩🇪', 'e\u0301', '❤️', '1'), maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 40 }), (line, columns) => {
      const rows = wrapRows(line, columns, wideRuler);
      expect(rows.join('')).toBe(line);
      for (const row of [...rows, clipLine(line, columns, wideRuler)]) {
        expect(cautiousWidth(row, wideRuler)).toBeLessThanOrEqual(columns);
      }
    }),
  );
});
