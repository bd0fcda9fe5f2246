import { expect, test } from 'vitest';
import { styleFor } from '../../../../cli/render/look/style.js';
import { wideRuler } from '../../../../cli/render/look/wide_ruler.js';
import { renderBlock, searchedText } from '../../../../cli/render/screens/viewer_block.js';
import { hitsIn, loosened, markedRow, searchPattern } from '../../../../cli/render/text/text_search.js';
import { wrapWords } from '../../../../cli/render/text/wrap_words.js';
import { lookAt, namedStyle } from '../../../support/look.js';

/** What a search finds in a text, each hit with brackets around it. */
function found(text: string, query: string, columns = 20): string[] {
  const rows = wrapWords(text, columns, wideRuler);
  const marks = hitsIn(rows, searchPattern(query)).flatMap(({ parts }) => parts);
  return rows.map((row, at) => {
    let shown = row.text;
    for (const { start, end } of marks.filter((mark) => mark.row === at).reverse()) {
      shown = `${shown.slice(0, start)}[${shown.slice(start, end)}]${shown.slice(end)}`;
    }
    return shown;
  });
}

test('small letters find both, a capital finds only itself', () => {
  expect(found('One one ONE', 'one')).toEqual(['[One] [one] [ONE]']);
  expect(found('One one ONE', 'One')).toEqual(['[One] one ONE']);
  expect(found('ÄRGER ärger', 'ärger')).toEqual(['[ÄRGER] [ärger]']);
  expect(found('İstanbul', 'stan')).toEqual(['İ[stan]bul']);
});

test('a hit that goes over the end of a row stands out in both', () => {
  expect(found('- a list of many words here', 'many words', 16)).toEqual(['- a list of [many]', '  [words] here']);
  expect(found('abcdefghijkl', 'fghi', 6)).toEqual(['abcde[f]', '[ghi]jkl']);
});

test('an accent is found however it is written, and no sign is found in half', () => {
  expect(found('cafe\u0301 caf\u00e9', 'caf\u00e9')).toEqual(['[cafe\u0301] [caf\u00e9]']);
  expect(found('cafe\u0301', 'cafe')).toEqual(['cafe\u0301']);
  expect(found('👩‍👧 👧', '👧')).toEqual(['👩‍👧 [👧]']);
  expect(found('在数据里', '数据')).toEqual(['在[数据]里']);
});

test.each(['a.b', '(', '[x]', '\\', '*', 'a|b', '^$', 'a-b', '{1}', '/'])('%j is looked for as it stands', (query) => {
  expect(found(`_${query}_`, query)).toEqual([`_[${query}]_`]);
});

test('the searchable text of a block contains every match of its drawing', () => {
  const look = lookAt(60);
  const block = { kind: 'answer' as const, text: 'There **are** three\nof `them`: [here](https://a.example)' };
  for (const query of ['there are three of', 'them: here', 'a.example']) {
    expect(hitsIn(renderBlock(block, false, look), searchPattern(query))).toHaveLength(1);
    expect(loosened(searchedText(block, look))).toContain(loosened(query));
  }
});

test('the colours of a row go on behind what stands out in it', () => {
  const mark = { start: 2, end: 5, isCurrent: false };
  expect(markedRow('\x1b[36mone two\x1b[39m', [mark], namedStyle)).toBe('\x1b[36mon<match:e t>wo\x1b[39m');
  expect(markedRow('\x1b[36mone two\x1b[39m', [{ ...mark, isCurrent: true }], namedStyle)).toBe(
    '\x1b[36mon<here:<match:e t>>\x1b[0m\x1b[36mwo\x1b[39m',
  );
});

test('without colours the current hit is in brackets, and the others are unmarked', async () => {
  const style = await styleFor(false);
  const marks = [
    { start: 4, end: 7, isCurrent: false },
    { start: 8, end: 11, isCurrent: true },
  ];
  expect(markedRow('one two two too', marks, style)).toBe('one two[two]too');
});
