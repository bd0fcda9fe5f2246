import { expect, test } from 'vitest';
import { formatAge } from '../../../../cli/render/text/age.js';
import { count, formatBytes } from '../../../../cli/render/text/ids_and_counts.js';
import { renderList, treeWords } from '../../../../cli/render/tree/tree_list.js';
import { type Tree, TreeId } from '../../../../hub/protocol/node.js';
import { lookAt, NOW_MS } from '../../../support/look.js';
import { treeNamed } from '../../../support/nodes.js';

const MINUTE_MS = 60_000;
const other = TreeId.parse('12345678-0000-4000-8000-000000000000');
const trees = [
  treeNamed('parser rewrite', { messages: 1_234, branches: 3, agoMs: 2 * MINUTE_MS }),
  { ...treeNamed(null, { title: 'why does the 数据 test fail', messages: 1, agoMs: 50 * 60 * MINUTE_MS }), id: other },
  { ...treeNamed(null), id: other },
];

const here = (list: readonly Tree[]) => list.map((tree) => ({ tree, folder: null }));

test('the list marks the current tree and tells name or first words, messages, branches, age', () => {
  expect(renderList(here(trees), trees[0]?.id ?? null, lookAt(100))).toBe(
    `* abcdef01  parser rewrite               1,234 messages  3 branches  2 min ago
  12345678  why does the 数据 test fail  1 message       1 branch    2 d ago
  12345678  (empty)                      0 messages      1 branch    just now
`,
  );
});

test('trees that work elsewhere stand below their folder', () => {
  const [first, second, third] = trees.map((tree) => ({ tree, folder: null as string | null }));
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
  const listed = [first, { ...second, folder: '~/old' }, { ...third, folder: '~/old' }];
  expect(renderList(listed, null, lookAt(100))).toBe(
    `  abcdef01  parser rewrite               1,234 messages  3 branches  2 min ago
~/old:
  12345678  why does the 数据 test fail  1 message       1 branch    2 d ago
  12345678  (empty)                      0 messages      1 branch    just now
`,
  );
});

test('in 20 columns each tree has two short lines', () => {
  expect(renderList(here(trees.slice(0, 2)), trees[0]?.id ?? null, lookAt(20))).toBe(
    `* abcdef01 parser r…
  1,234 messages, 3…
  12345678 why does…
  1 message, 1 bran…
`,
  );
});

test('names are cut for a person and whole for a program', () => {
  const long = [treeNamed('x'.repeat(120))];
  expect(renderList(here(long), null, lookAt(100))).toContain(`${'x'.repeat(47)}…  0 messages`);
  expect(renderList(here(long), null, lookAt(Number.POSITIVE_INFINITY))).toContain(`${'x'.repeat(120)}  0 messages`);
});

test.each([
  ['a moment', 20_000, 'just now'],
  ['minutes', 5 * MINUTE_MS, '5 min ago'],
  ['hours', 5 * 60 * MINUTE_MS, '5 h ago'],
  ['days', 5 * 24 * 60 * MINUTE_MS, '5 d ago'],
  ['a long time', 100 * 24 * 60 * MINUTE_MS, '2026-08-10'],
  ['a clock that was set back', -5 * MINUTE_MS, 'just now'],
])('an age of %s', (_, agoMs, said) => {
  expect(formatAge(NOW_MS - agoMs, NOW_MS)).toBe(said);
});

test('numbers come with their nouns', () => {
  expect([
    count(1, 'branch'),
    count(0, 'branch'),
    count(100_000, 'node'),
    formatBytes(1_000),
    formatBytes(3 << 20),
  ]).toEqual(['1 branch', '0 branches', '100,000 nodes', '1000 bytes', '3.0 MiB']);
});

test('a tree of commands alone says how many there are', () => {
  const tree = treeNamed(null);
  expect([1, 2, 3].map((node_count) => treeWords({ ...tree, node_count }))).toEqual([
    '(empty)',
    '(1 node, no message yet)',
    '(2 nodes, no message yet)',
  ]);
});
