import { expect, test } from 'vitest';
import { outlineOf } from '../../../../cli/render/tree/outline.js';
import { overviewLines } from '../../../../cli/render/tree/overview.js';
import type { SkeletonNode } from '../../../../hub/protocol/node.js';
import { lookAt } from '../../../support/look.js';
import { nodeId, skeletonNode, skeletonOf } from '../../../support/skeleton.js';
import { answer, step, user } from '../../../support/trees.js';

const PLAN = skeletonOf(
  user(
    'plan the walk',
    answer(
      'Where to?',
      user('to the sea, by train and then on foot', answer('By train.', user('and back'), user('and on'))),
      user('to the sea, by boat'),
      step('', ['ls'], answer('Nothing here.')),
    ),
  ),
);

function draw(
  nodes: readonly SkeletonNode[],
  { width = 80, position = null as string | null, prices = new Map(), marks = new Map() } = {},
) {
  const lines = overviewLines({ outline: outlineOf(nodes), position, prices, marks }, lookAt(width));
  return `\n${lines.map(({ text }) => text).join('\n')}\n`;
}

test('each branch is one line: its words, then size, age, price and files', () => {
  const prices = new Map<string, number | null>([
    [nodeId(2), 120_000],
    [nodeId(4), null],
  ]);
  const nodes = [...PLAN];
  for (const [at, path] of ['a.ts', 'b.ts', 'a.ts'].entries()) {
    const parent = nodeId(at === 0 ? 6 : 99 + at);
    nodes.push(skeletonNode({ number: 100 + at, parent, role: 'tool', tool: 'edit', preview: path }));
  }
  expect(draw(nodes, { position: nodeId(101), prices, marks: new Map([[nodeId(7), ['boat']]]) })).toBe(`
plan the walk                                3 nodes  just now  $0.1200
 ├── to the sea, by boat #boat               1 node   just now
 ├── [bash:ls]                               2 nodes  just now
 to the sea, by train and then on foot       2 nodes  just now  $?
 ├── and back                                1 node   just now
 and on ●                                    4 nodes  just now           2 files
`);
});

test('branches that begin alike begin with the words in which they differ', () => {
  const long = 'please look at the whole program and tell me, with reasons, ';
  const nodes = skeletonOf(user('begin', user(`${long}what is slow`), user(`${long}what is wrong`)));
  expect(draw(nodes, { width: 60 })).toBe(`
begin                                               just now
 ├── …wrong                                         just now
 …slow                                              just now
`);
});

test('where nobody knows how wide it may be it is as wide as its words', () => {
  expect(draw(PLAN, { width: Number.POSITIVE_INFINITY })).toBe(`
plan the walk                           3 nodes  just now
 ├── to the sea, by boat                1 node   just now
 ├── [bash:ls]                          2 nodes  just now
 to the sea, by train and then on foot  2 nodes  just now
 ├── and on                             1 node   just now
 and back                               1 node   just now
`);
});
