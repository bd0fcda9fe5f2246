import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainStyle, styleFor } from '../../../../cli/render/look/style.js';
import { type MarkdownStream, streamingMarkdown } from '../../../../cli/render/markdown/markdown_stream.js';
import { codeInk } from '../../../../cli/render/node/code_highlight.js';
import { wrapWords } from '../../../../cli/render/text/wrap_words.js';
import { lookAt, namedStyle } from '../../../support/look.js';

function plain(width = 80): MarkdownStream {
  return streamingMarkdown({
    look: () => lookAt(width),
    ink: (language) => codeInk(language, plainStyle),
    wrap: 'hard',
  });
}

/** With line breaks between words. */
function inWords(width = 80): MarkdownStream {
  return streamingMarkdown({
    look: () => lookAt(width),
    ink: null,
    wrap: (line, { width, ruler }) => wrapWords(line, width, ruler).map(({ text }) => text),
  });
}

function drawn(text: string, width = 80, stream = plain(width)): string {
  return [...stream.push(text), ...stream.end()].join('\n');
}

function styled(text: string): string {
  const look = () => ({ ...lookAt(80), style: namedStyle });
  const stream = streamingMarkdown({ look, ink: (language) => codeInk(language, namedStyle), wrap: 'hard' });
  return [...stream.push(text), ...stream.end()].join('\n');
}

const SAMPLE = `# A heading

Some *slanted*, **strong**, ~~struck~~ and \`code\` words, a [link](https://a.example/x) and <https://b.example>.
A second line.

Setext
------

1. one
2. two
   - inner **bold**
   - [x] done

     more of it
3. three

* a
* b \`\`\` c

> quoted
> > twice

| name | number |
|------|-------:|
| 数据 | 1 |
| b | 22 |

\`\`\`ts
const a = 1; /* open
still */ const b = \`x\`;

\`\`\`

---
<b>html</b> &amp; \\*escaped\\* 👩‍👩‍👧 end`;

test('markdown is drawn as text that is readable without colour', () => {
  expect(drawn(SAMPLE)).toBe(`# A heading

Some slanted, strong, ~~struck~~ and code words, a link (https://a.example/x) and https://b.example.
A second line.

## Setext

1. one
2. two
   - inner bold
   - [x] done

     more of it
3. three

- a
- b \`\`\` c

> quoted
> > twice

name  number
----  ------
数据       1
b         22

\`\`\`ts
const a = 1; /* open
still */ const b = \`x\`;

\`\`\`

----------------------------------------
<b>html</b> & *escaped* 👩‍👩‍👧 end`);
});

test('colours say what the marks said', () => {
  expect(styled(SAMPLE)).toBe(`<strong:# A heading>

Some <strong:slanted>, <strong:strong>, ~~struck~~ and <tool:code> words, a link <quiet:(https://a.example/x)> and https://b.example.
A second line.

<strong:## Setext>

1. one
2. two
   - inner <strong:bold>
   - [x] done

     more of it
3. three

- a
- b \`\`\` c

<quiet:>> quoted
<quiet:>> <quiet:>> twice

<strong:name  number>
<quiet:----  ------>
数据       1
b         22

<quiet:\`\`\`ts>
<user:const> a = <tool:1>; <quiet:/* open>
<quiet:still */> <user:const> b = <good:\`x\`>;

<quiet:\`\`\`>

<quiet:---------------------------------------->
<b>html</b> & *escaped* 👩‍👩‍👧 end`);
});

const MARKS =
  '# |- |1. |  |    |> |```|```ts\n|~~~|\n|\n\n|*|**|_|`|[a](b)|[|](|<b>|数据|👩‍👩‍👧|e\u0301|words and words |---\n|===\n|\t|\r|\r\n|' +
  '\x1b[31m|\x1b]0;x|\x07|\u202e|\\|&amp;|https://a.example|[x] |\ud83d|10) |';
const piece = fc.constantFrom(...MARKS.split('|'), '| a | b |\n', '|---|---|\n', 'x'.repeat(3_000));

test.each([
  ['as they are', plain],
  ['broken between words', inWords],
])('however a stream is cut, the same lines are finished by it: %s', (_, openStream) => {
  const hostile = fc
    .array(fc.oneof(piece, fc.string({ unit: 'grapheme' })), { maxLength: 60 })
    .map((all) => all.join(''));
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  fc.assert(
    fc.property(hostile, cuts, (text, places) => {
      const stream = openStream();
      const at = [...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
      let lines: string[] = [];
      at.forEach((end, place) => {
        lines = [...lines, ...stream.push(text.slice(at[place - 1] ?? 0, end))];
        stream.live();
      });
      expect([...lines, ...stream.end()].join('\n')).toBe(drawn(text, 80, openStream()));
    }),
    { numRuns: 1_000 },
  );
});

test('what is not finished is shown as it looks so far, in rows of the width', () => {
  const stream = plain(12);
  expect(stream.push('one\n\nsome **strong** words and mo')).toEqual(['one']);
  expect(stream.live()).toEqual(['', 'some strong', ' words and ', 'mo']);
  expect(stream.push('re\n\n')).toEqual(['', 'some strong words and more']);
  expect(stream.live()).toEqual([]);
  expect(stream.push('```js\nlet a;\nlet')).toEqual(['', '```js', 'let a;']);
  expect(stream.live()).toEqual(['let']);
  expect(stream.end()).toEqual(['let']);
});

test('nothing of a table is left out where it is too wide: cells go on below, and in a narrow window each is a line', () => {
  const table = '| name | what it is for |\n|--|--|\n| first | a long text in a cell |\n| 数据 | x |\n';
  expect(drawn(table, 24)).toBe(
    ['name   what it is for', '-----  ----------------', 'first  a long text in a', '       cell', '', '数据   x'].join(
      '\n',
    ),
  );
  expect(drawn(table, 12)).toBe(
    ['name: first', 'what it is for: a long text in a cell', '', 'name: 数据', 'what it is for: x'].join('\n'),
  );
  expect(drawn('| name | what it is for |\n|--|--|\n', 12)).toBe('name\nwhat it is for');
  expect(drawn('| page | price |\n|---|--:|\n| [docs](https://a.example/one/long/address) | 5 |\n', 34)).toBe(
    [
      'page                        price',
      '--------------------------  -----',
      'docs                            5',
      '(https://a.example/one/lon',
      'g/address)',
    ].join('\n'),
  );
});

test('colours add nothing to the text of a table', async () => {
  const style = await styleFor(true);
  const stream = streamingMarkdown({ look: () => ({ ...lookAt(24), style }), ink: null, wrap: 'hard' });
  const table = '| name | what `it` is for |\n|--|--|\n| **first** | a long `text in a` cell |\n';
  const lines = [...stream.push(table), ...stream.end()];
  expect(lines.map(stripVTControlCharacters).join('\n')).toBe(drawn(table, 24));
  expect(lines[0]).toContain('\x1b[1m');
});

test('a table that is too long to wait for its end goes on below its heading, as a table', () => {
  const rows = Array.from({ length: 500 }, (_, row) => `| ${row} | file_${row}.ts | a file of many |\n`);
  const lines = drawn(['| no | name | what |\n', '|---:|---|---|\n', ...rows, '\nend'].join('')).split('\n');
  expect(lines.filter((line) => line.includes('|'))).toEqual([]);
  expect(lines.filter((line) => / file_\d+\.ts +a file of many$/.test(line))).toHaveLength(500);
  expect(lines.slice(-2)).toEqual(['', 'end']);
  const headings = lines.filter((line) => /^ *no {2}name +what$/.test(line)).length;
  expect(headings).toBeGreaterThan(1);
  expect(lines).toHaveLength(500 + 2 * headings + 2);
});

test('the boxes of tasks are shown in a quote as elsewhere', () => {
  expect(drawn('> - [ ] open\n> - [x] done **well**\n>   - inner\n> - no task')).toBe(
    ['> - [ ] open', '> - [x] done well', '>   - inner', '> - no task'].join('\n'),
  );
});

test('what never ends is finished line by line, at the cost of its length', () => {
  const fence = plain();
  fence.push('```python\n');
  let finished = 0;
  for (let line = 0; line < 20_000; line += 1)
    finished += fence.push(`print("a line of a megabyte of code", ${line})\n`).length;
  expect(finished).toBe(20_000);
  const paragraph = plain();
  let characters = 0;
  for (let piece = 0; piece < 40_000; piece += 1) characters += paragraph.push('five ').join('').length;
  expect(characters).toBeGreaterThan(190_000);
  expect(
    drawn(`${'['.repeat(50_000)}\n\n${'*a '.repeat(20_000)}\n\n${'> '.repeat(3_000)}x\n\n${'- '.repeat(3_000)}x`),
  ).toContain('[[[');
});
