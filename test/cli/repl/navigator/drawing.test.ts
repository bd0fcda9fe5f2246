import { expect, test } from 'vitest';
import { drawNavigator, type NavigatorRow, type NavigatorView } from '../../../../cli/render/screens/navigator_page.js';
import type { Hit } from '../../../../cli/render/tree/search_hits.js';
import { lookAt, namedStyle } from '../../../support/look.js';

const NODE = {
  ...{ id: '00000000-0000-4000-8000-000000000001', parent: null, seq: 1, role: 'user', tool: null, preview: 'Hello' },
  ...{ created_at_ms: 0, step: null, exit_code: null, archived: false },
} as unknown as NonNullable<NavigatorRow['node']>; // ids are made by their schema alone
const ROW: NavigatorRow = {
  ...{ node: NODE, branching: { depth: 1, bars: [false], isHead: true, isLast: true }, folded: null },
  ...{ atMs: 0, isSelected: false, isPosition: false, isArchived: false, marks: [], differing: null },
};
const VIEW: NavigatorView = {
  ...{ title: 'notes', remark: '2 nodes', rows: [], hits: null, sides: null },
  ...{ preview: null, typing: null, message: null, help: null },
};

const draw = (view: Partial<NavigatorView>, columns: number, rows: number): string[] =>
  drawNavigator({ ...VIEW, ...view }, rows, lookAt(columns)).lines.map((line) => line.trimEnd());

test('while a tree is read a folded branch says that there is more, without how much and how old', () => {
  const within = { ...ROW, folded: { nodes: 12, newestMs: 0 } };
  const unknown = { ...ROW, folded: { nodes: null, newestMs: null } };
  const [, first = '', second = ''] = draw({ rows: [unknown, within] }, 60, 6);
  expect(first).toMatch(/^ {2}└── User: Hello +\+…$/);
  expect(second).toMatch(/^ {2}└── User: Hello +\+12 \S/);
});

test('marks and ages at the right are never cut, whatever letters a mark has', () => {
  for (const isSelected of [false, true]) {
    const rows = draw({ rows: [{ ...ROW, isSelected, marks: ['gipfel 山 👩‍👩‍👧'] }] }, 60, 6);
    expect(rows[1]).toMatch(/ #gipfel 山 👩‍👩‍👧 \d{4}-\d\d-\d\d$/);
    expect(lookAt(60).ruler.width(rows[1] ?? '')).toBeLessThanOrEqual(60);
  }
});

test('how many paths differ stands before the age, and is the first to go where the screen is narrow', () => {
  const rowAt = (differing: number, columns: number): string | undefined =>
    draw({ rows: [{ ...ROW, marks: ['top'], differing }] }, columns, 6)[1];
  expect(rowAt(2, 80)).toMatch(/Hello +#top 2 paths differ \d{4}-\d\d-\d\d$/);
  expect(rowAt(1, 80)).toMatch(/ 1 path differs \d/);
  expect(rowAt(2, 50)).toMatch(/Hello +#top \d{4}-\d\d-\d\d$/);
});

test('the keys stand in two columns, in a narrow window below each other, and can be scrolled', () => {
  expect(draw({ help: 0 }, 79, 12).slice(1, 4)).toEqual([
    'up down j k move                          n N         the next hit, the last',
    'PgUp PgDn   scroll; space too             Enter       go there',
    'g G         first, last                   e           take a message back',
  ]);
  expect(draw({ help: 2 }, 19, 6).slice(1, 5)).toEqual(['  scroll; space too', 'g G', '  first, last', 'left h']);
  expect(draw({ help: 99 }, 19, 6).slice(3, 5)).toEqual(['  preview on, off', 'q Esc       leave']);
});

test('the preview of the selected node is wrapped between words and keeps its indents', () => {
  const preview = ['if so:', '    return what stands', '\tin \x1b[31mred'];
  expect(draw({ preview }, 20, 24).slice(-8)).toEqual([
    '--------------------',
    'if so:',
    '    return what',
    '    stands',
    '  in red',
    '',
    '',
    'Enter go  e edit',
  ]);
});

test('in the preview of a hit the matches are highlighted', () => {
  const hit = { node: NODE.id, role: 'user', tool: null, snippet: 'a Wide sea', matches: [[2, 6]] } as unknown as Hit;
  const hits = { list: [hit], selected: 0, query: 'wide' };
  const { lines } = drawNavigator({ ...VIEW, hits, preview: ['so Wide', 'and Wider'] }, 24, {
    ...lookAt(40),
    style: namedStyle,
  });
  expect(lines.slice(-7, -5)).toEqual(['so <match:Wide>', 'and <match:Wide>r']);
});

test('the last row names the most useful keys, as many as have room, none of them in part', () => {
  const hints = (view: Partial<NavigatorView>, columns: number) => draw(view, columns, 12).at(-1);
  expect(hints({}, 200)).toBe(
    'Enter go  e edit  q leave  ? keys  / search  f filter  h l fold  m mark  d compare  x archive',
  );
  expect(hints({}, 79)).toBe('Enter go  e edit  q leave  ? keys  / search  f filter  h l fold  m mark');
  expect(hints({}, 19)).toBe('Enter go  e edit');
  expect(hints({ help: 0 }, 79)).toBe('j k scroll  any other key: the tree');
  expect(hints({ sides: [] }, 79)).toBe('d or q: back to the tree');
});
