import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clean, cleanLine, cleanPrinted, createCleaner, overwritten } from '../../../../cli/render/text/clean.js';

test.each([
  ['colours and cursor movements', '\x1b[31mred\x1b[0m \x1b[2Jgone\x1b[10;20H', 'red gone'],
  ['the same in C1 form', '\x9b31mred\x9b0m', 'red'],
  ['a title', '\x1b]0;evil title\x07text', 'text'],
  ['a write to the clipboard', '\x1b]52;c;ZXZpbA==\x1b\\text', 'text'],
  ['a title in C1 form', '\x9d0;evil\x9ctext', 'text'],
  ['a device control string', '\x1bPq#0;2;0;0;0\x1b\\text', 'text'],
  ['a reset', 'a\x1bcb', 'ab'],
  ['a change of character set', 'a\x1b(0b', 'ab'],
  ['bells, backspaces and deletes', 'a\x07\x08\x7fb', 'ab'],
  ['a lone escape at the end', 'text\x1b', 'text'],
])('clean removes %s', (_, text, cleaned) => {
  expect(clean(text)).toBe(cleaned);
});

test('a string that is never ended hides nothing of what follows', () => {
  expect(clean('\x1b]0;title and the rest\nof the message')).toBe(']0;title and the rest\nof the message');
});

test('signs that reorder a line are made visible', () => {
  expect(clean('user\u202e drowssap \u2066x\u2069')).toBe('user<U+202E> drowssap <U+2066>x<U+2069>');
});

test('line ends become one kind, and tabs stay', () => {
  expect(clean('a\r\nb\rc\td\u2028e')).toBe('a\nb\nc\td\ne');
});

test('ordinary text of any language stays as it is', () => {
  const text = 'naïve 数据 👩‍👩‍👧 नमस्ते שלום\n\tindented';
  expect(clean(text)).toBe(text);
});

test('on one line every run of blanks becomes one', () => {
  expect(cleanLine('  a\n\n b\tc\x1b[1m \x1b[0m d ')).toBe('a b c d');
});

test('no control sequence passes, whatever the input', () => {
  const pieces = fc.constantFrom(
    '\x1b',
    '[',
    ']',
    '31m',
    '\x9b',
    '\x9d',
    '\x07',
    '\\',
    'P',
    '\r',
    '\u202e',
    'a',
    '\n',
    '\x9c',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (list) => {
      expect(clean(list.join(''))).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

const SEQUENCE_PIECES = [
  ...[
    '\x1b',
    '[',
    ']',
    '31m',
    '\x9b',
    '\x9d',
    '\x07',
    '\\',
    'P',
    '\r',
    '\u202e',
    'a',
    '\n',
    '\x9c',
    '\x1b]0;title',
    '\x1b\\',
  ],
  ...['\x1b(', ' ', '\u2028', '数', '👩', '\x1b[1;2', 'K', '\x00', '\t'],
];

function cleanedInPieces(pieces: readonly string[]): string {
  const cleaner = createCleaner();
  return pieces.map((piece) => cleaner.take(piece)).join('') + cleaner.end();
}

test('a text that comes in pieces is cleaned as if it had come whole, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...SEQUENCE_PIECES), { maxLength: 30 }),
      fc.array(fc.nat(60), { maxLength: 12 }),
      (list, cuts) => {
        const whole = list.join('');
        const edges = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
        const pieces = edges.slice(1).map((edge, index) => whole.slice(edges[index], edge));
        expect(cleanedInPieces(pieces)).toBe(clean(whole));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('every single cut through a long text of all sequences gives the same', () => {
  const whole = SEQUENCE_PIECES.join('x') + SEQUENCE_PIECES.join('');
  for (let cut = 0; cut <= whole.length; cut++) {
    expect(cleanedInPieces([whole.slice(0, cut), whole.slice(cut)])).toBe(clean(whole));
  }
  expect(cleanedInPieces([...whole].map((character) => character))).toBe(clean(whole));
});

test('what is plain is printed at once, and what was begun waits for its end', () => {
  const cleaner = createCleaner();
  expect(cleaner.take('50 %\r')).toBe('50 %');
  expect(cleaner.take('100 %\r\nred: \x1b[3')).toBe('\n100 %\nred: ');
  expect(cleaner.take('1mtext\x1b]0;ti')).toBe('text');
  expect(cleaner.take('tle\x07.')).toBe('.');
  expect(cleaner.end()).toBe('');
});

test('a string that does not end is held back only so long', () => {
  const cleaner = createCleaner();
  expect(cleaner.take(`\x1b]${'a'.repeat(65_536)}`)).toBe('');
  expect(cleaner.take('b')).toBe(`]${'a'.repeat(65_536)}b`);
  expect(clean(`\x1b]${'a'.repeat(65_537)}\x07`)).toBe(`]${'a'.repeat(65_537)}`);
  expect(clean(`\x1b]${'a'.repeat(65_536)}\x07`)).toBe('');
});

test('a text made to slow the search down is cleaned all the same', () => {
  const hostile = '\x1b]'.repeat(500_000) + '\x9d'.repeat(500_000) + '\x1b['.repeat(500_000);
  expect(clean(hostile)).not.toContain('\x1b');
});

test('printed output is reduced to what a terminal would show, however it comes in pieces', () => {
  expect(cleanPrinted('first\n10%\r20%\r\x1b[K30%\r\nlast\r')).toBe('first\n30%\nlast');
  expect(cleanPrinted('a\r\r\nb\r\r\r\n\rc')).toBe('a\nb\nc');
  const piece = fc.constantFrom('\r', '\n', '\r\n', 'word', '10%', ' ', '\x1b[K', '\x1b[', '\x1b', '\u2028', '数');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const cleaner = createCleaner('return');
      const seen = pieces.reduce((text, one) => overwritten(text + cleaner.take(one)), '');
      expect(cleanPrinted(seen + cleaner.end())).toBe(cleanPrinted(pieces.join('')));
      expect(cleanPrinted(pieces.join(''))).not.toContain('\r');
    }),
    { numRuns: 2_000 },
  );
  expect(cleanPrinted(`${'\r'.repeat(1_000_000)}x${'10%\r'.repeat(300_000)}100%`)).toBe('100%');
});
