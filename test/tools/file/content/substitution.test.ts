import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HubError } from '../../../../hub/base/error.js';
import { type Encoding, encode, encodingOf, lineEndsOf, markOf } from '../../../../tools/file/content/encoding.js';
import { lfViewOf } from '../../../../tools/file/content/lf_view.js';
import type { OldContent } from '../../../../tools/file/content/old_content.js';
import { type SubstitutionResult, substitute } from '../../../../tools/file/content/substitution.js';

const UTF_8: Encoding = { name: 'utf-8', markBytes: 0 };
const ENCODINGS: Encoding[] = [
  UTF_8,
  { name: 'utf-8', markBytes: 3 },
  { name: 'utf-16le', markBytes: 2 },
  { name: 'utf-16be', markBytes: 2 },
];
const [, , LITTLE, BIG] = ENCODINGS as [Encoding, Encoding, Encoding, Encoding];

function oldOf(bytes: Buffer): OldContent {
  const encoding = encodingOf(bytes);
  const ends = lineEndsOf(bytes.subarray(encoding.markBytes), encoding);
  return { bytes, sha256: '', sizeBytes: bytes.length, encoding, ends };
}

const replace = (bytes: Buffer, oldText: string, newText: string): SubstitutionResult =>
  substitute(bytes, oldOf(bytes), { name: 'file', oldText, newText });

const replaced = (text: string, oldText: string, newText: string): string =>
  replace(Buffer.from(text), oldText, newText).bytes.toString();

function refusalOf(bytes: Buffer, oldText: string, newText: string): HubError {
  try {
    replace(bytes, oldText, newText);
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

// Each of these has a byte that means a line end in another place: č, ਊ, ഀ, and characters of several units.
const words = fc.array(fc.constantFrom('a', 'b', 'č', 'Ċ', '\u0a0d', '\u0d00', '\u0d0a', '\u0a0a', 'ü', '😀', '\t'), {
  maxLength: 6,
});
const files = fc.record({
  encoding: fc.constantFrom(...ENCODINGS),
  lines: fc.array(fc.record({ words, end: fc.constantFrom('\n', '\r\n') }), { minLength: 1, maxLength: 8 }),
  before: fc.nat(),
  length: fc.integer({ min: 1, max: 20 }),
  isRead: fc.boolean(),
});

test('an edit and its opposite leave every byte as it was, whatever the encoding and the line ends', () => {
  fc.assert(
    fc.property(files, ({ encoding, lines, before, length, isRead }) => {
      const text = `<${lines.map(({ words, end }) => words.join('') + end).join('')}>`;
      const bytes = Buffer.concat([markOf(encoding), encode(text, encoding)]);
      const characters = [...text.replace(/\r\n/g, '\r')].map((one) => (one === '\r' ? '\r\n' : one));
      const from = before % characters.length;
      const there = characters.slice(from, from + length).join('');
      const oldText = isRead ? there.replace(/\r\n/g, '\n') : there;
      const opposite = there.replace(/[^\r\n]/gu, 'z');
      const made = attempt(() => replace(bytes, oldText, `Z${isRead ? opposite.replace(/\r\n/g, '\n') : opposite}Z`));
      if (made === null) return; // it occurs twice
      expect(made.removed.replace(/\r\n/g, '\n')).toBe(there.replace(/\r\n/g, '\n'));
      const back = replace(made.bytes, made.added, made.removed).bytes;
      // When no line of the one kind is left after the edit, nothing says that there were any.
      const hasBoth = oldOf(made.bytes).ends === oldOf(bytes).ends;
      if (hasBoth) expect(back).toEqual(bytes);
      else expect(flat(back, encoding)).toEqual(flat(bytes, encoding));
    }),
    { numRuns: 2_000 },
  );
});

const flat = (bytes: Buffer, encoding: Encoding): Buffer => lfViewOf(bytes, encoding).bytes;

/** Null for a text that does not occur exactly once. */
function attempt(act: () => SubstitutionResult): SubstitutionResult | null {
  try {
    return act();
  } catch (error) {
    if (error instanceof HubError && error.kind === 'conflict') return null;
    throw error;
  }
}

test('bytes that are invalid in the encoding stay as they are around an edit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 }), (one, other) => {
      const around = (text: string) => Buffer.concat([Buffer.from('.'), one, Buffer.from(text), other]);
      const made = attempt(() => replace(around('<old>'), '<old>', '<new>'));
      if (made !== null) expect(made.bytes).toEqual(around('<new>'));
    }),
  );
});

test.each([
  ['LF', '\n', 'lf'],
  ['CRLF', '\r\n', 'crlf'],
])('a character that ends with the byte of a line end is none before %s', (_, end, kind) => {
  for (const encoding of [LITTLE, BIG]) {
    for (const character of ['č', '\u0d00', 'x']) {
      expect(lineEndsOf(encode(`${character}${end}`, encoding), encoding)).toBe(kind);
    }
  }
});

test('with mixed line ends, two passages that differ in line ends only are ambiguous', () => {
  expect(refusalOf(Buffer.from('a\nb\n.\na\r\nb\r\n'), 'a\nb', 'c')).toMatchObject({
    kind: 'conflict',
    message: 'the old text stands 2 times in file: in line 1, 4',
  });
  expect(replaced('a\nb\n.\na\r\nb\r\n', 'a\r\nb', 'c')).toBe('a\nb\n.\nc\r\n');
});

test('with mixed line ends, new lines end like the line that they are inserted into', () => {
  expect(replaced('a\r\nb\n', 'a', 'a\nc')).toBe('a\r\nc\r\nb\n');
  expect(replaced('a\r\nb\n', 'b', 'b\nc')).toBe('a\r\nb\nc\n');
  expect(replaced('a\r\nb\nc', '\nb', '\nd')).toBe('a\r\nd\nc');
  expect(replaced('a\r\nb\nc\r\n', 'a\nb\nc\n', 'd\n')).toBe('d\r\n');
});

test('a text made to be slow to search takes linear time', () => {
  const bytes = Buffer.alloc(16 * 1024 * 1024, 'a');
  const half = 'a'.repeat(500_000);
  expect(refusalOf(bytes, `${half}b${half}`, 'x').kind).toBe('not_found');
  expect(refusalOf(bytes, half, 'x').message).toContain('stands at least 1000 times in file: in line 1');
});

test('the line numbers of many occurrences far into a file are counted in one pass', () => {
  const bytes = Buffer.from(`${'\n'.repeat(15_000_000)}${'here\n'.repeat(2_000)}`);
  expect(refusalOf(bytes, 'here', 'x').message).toContain('in line 15000001, 15000002');
});

test('the refusal of a repeated edit says that the new text is in the file already', () => {
  const again = refusalOf(Buffer.from('one\nnew text\nthree\n'), 'old text', 'new text');
  expect(again).toMatchObject({ kind: 'not_found' });
  expect(again.hint).toContain('or leave it: the new text stands in line 2 already');
});
