import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf, createGrowingBlocks } from '../../../cli/web/page/text/markdown_blocks.js';
import { safeAddress, withCharacters } from '../../../cli/web/page/text/plain_text.js';

const BLOCKS = [
  '# a heading\n\n',
  'a paragraph with **words** and `code`\n\n',
  'two lines\nof one\n\n',
  '- one\n- two\n\n  in two\n- three\n\n',
  '1. one\n2. two\n\n',
  '> a quote\n> of two\n\n',
  '```ts\nconst a = 1;\n\n\nconst b = 2;\n```\n\n',
  '    indented\n\n    code\n\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  '<div>\nraw\n</div>\n\n',
  '<!-- a comment\n\nof two -->\n\n',
  'a [link][far] and [x](https://example.org)\n\n',
  '[far]: https://example.org "far"\n\n',
  'setext\n===\n\n',
  '---\n\n',
  '- [ ] to do\n- [x] done\n\n',
  '~~~\nopen fence\n',
  '\n\n',
  'é 👩‍👧 \u202e\n',
];

/** Tokens without the links that lexers keep beside them. */
function plain(tokens: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(tokens));
}

test('a text that is streamed in any pieces gives the blocks of the whole text', () => {
  const texts = fc.array(fc.constantFrom(...BLOCKS), { maxLength: 14 }).map((blocks) => blocks.join(''));
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(texts, cuts, (text, sizes) => {
      const read = createGrowingBlocks();
      let length = 0;
      for (let turn = 0; length < text.length; turn += 1) {
        length += sizes[turn % sizes.length] ?? 1;
        read(text.slice(0, length));
      }
      const { chunks, rest } = read(text);
      expect(plain([...chunks.flat(), ...rest])).toEqual(plain(blocksOf(text)));
    }),
    { numRuns: 1_000 },
  );
});

test('finished blocks stay the same objects, and another text begins anew', () => {
  const read = createGrowingBlocks();
  const blocks = Array.from({ length: 60 }, (_, index) => `block ${index}\n\n`);
  const before = read(blocks.slice(0, 50).join(''));
  const after = read(blocks.join(''));
  expect(before.chunks.length).toBeGreaterThan(0);
  expect(after.chunks[0]).toBe(before.chunks[0]);
  expect(read('other').chunks).toEqual([]);
});

test('only addresses of the web and of mail become links', () => {
  const refused = [
    'javascript:x',
    'JaVaScRiPt:x',
    'java\tscript:x',
    '\u0001javascript:x',
    'data:text/html,x',
    '//host',
    '#x',
    '',
  ];
  expect(refused.map(safeAddress)).toEqual(refused.map(() => null));
  expect(safeAddress('https://example.org/a')).toBe('https://example.org/a');
  expect(safeAddress('mailto:ada@example.org')).toBe('mailto:ada@example.org');
});

test('references stand for their characters, once', () => {
  expect(withCharacters('&lt;b&gt; &amp;lt; &#39;&#x1F600; &unknown; &#0; &#99999999;')).toBe(
    "<b> &lt; '😀 &unknown; &#0; &#99999999;",
  );
});
