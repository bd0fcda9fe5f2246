import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { withoutInk } from '../../../../cli/render/text/colour_runs.js';
import { type TextRow, textOfRows, wrapWords } from '../../../../cli/render/text/wrap_words.js';

const wrapped = (line: string, columns: number): TextRow[] => wrapWords(line, columns, wideRuler);
const rows = (line: string, columns: number): string[] => wrapped(line, columns).map(({ text }) => text);

test('prose is broken between its words', () => {
  expect(rows('The quick brown fox jumps over the lazy dog', 16)).toEqual([
    'The quick brown',
    'fox jumps over',
    'the lazy dog',
  ]);
  expect(rows('short', 16)).toEqual(['short']);
  expect(rows('', 16)).toEqual(['']);
});

test('a list item hangs below its text, also one in another', () => {
  expect(rows('- one item that is long', 12)).toEqual(['- one item', '  that is', '  long']);
  expect(rows('  12. an item of a list', 14)).toEqual(['  12. an item', '      of a', '      list']);
  expect(rows('> said by a person', 10)).toEqual(['> said by', '  a person']);
  expect(rows('    four blanks before it', 14)).toEqual(['    four', '    blanks', '    before it']);
});

test('in a narrow window nothing hangs', () => {
  expect(rows('      deep in it', 8)).toEqual(['', 'deep in', 'it']);
});

test('what is longer than a row is broken where the row ends, and begins a row of its own', () => {
  expect(rows('see https://example.org/a/long/path?q=1 there', 16)).toEqual([
    'see',
    'https://example.',
    'org/a/long/path?',
    'q=1 there',
  ]);
  expect(rows('- https://example.org/a', 12)).toEqual(['- https://ex', '  ample.org/', '  a']);
});

test('between the characters of East Asia a row may end anywhere, but no row begins with what closes', () => {
  expect(rows('数据库在哪里？在这里。', 8)).toEqual(['数据库在', '哪里？在', '这里。']);
  expect(rows('一二三四。五', 8)).toEqual(['一二三', '四。五']);
  expect(rows('read 数据 of it', 8)).toEqual(['read 数', '据 of it']);
});

test('no sign of several code points is cut apart', () => {
  expect(rows('👩‍👩‍👧👩‍👩‍👧 é', 7).join('|')).not.toMatch(/\u200d\||\|\u200d|\|\u0301/);
  expect(rows('é'.repeat(5), 3)).toEqual(['ééé', 'éé']);
});

test('colours go on in the next row, and end with each row', () => {
  expect(rows('\x1b[36mone two three\x1b[39m four', 8)).toEqual([
    '\x1b[36mone two\x1b[0m',
    '\x1b[36mthree\x1b[39m',
    'four',
  ]);
  expect(rows('\x1b[1m\x1b[36mone\x1b[39m two\x1b[22m', 5)).toEqual([
    '\x1b[1m\x1b[36mone\x1b[39m\x1b[0m',
    '\x1b[1mtwo\x1b[22m',
  ]);
});

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replace(/[^\x21-\x7e]/g, 'x')),
  fc.constantFrom(
    '数据',
    '。',
    '（中）',
    '👩‍👩‍👧',
    'e\u0301',
    'https://example.org/some/where',
    '-',
    '12.',
    '\x1b[36m',
    '\x1b[39m',
    '\x1b[1m',
    '\x1b[22m',
  ),
);
const line = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', '', '   ')), { maxLength: 30 })
  .map((parts) => parts.flat().join(''));

test('joined again the rows are the line, and none is wider than the screen', () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 2, max: 40 }), (text, columns) => {
      const cut = wrapped(text, columns);
      expect(textOfRows(cut)).toBe(withoutInk(text));
      // Some terminals draw the three people of this family one after the other.
      const widest = Math.max(...cut.map((row) => wideRuler.width(withoutInk(row.text))));
      expect(widest).toBeLessThanOrEqual(columns);
    }),
  );
});
