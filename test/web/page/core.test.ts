import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NONE, type ShapeNode } from '../../../cli/web/page/core/node_table.js';
import { type OutlineRows, ROW, rowsOf } from '../../../cli/web/page/core/outline_rows.js';
import { createTrunkMemory, type Runs, runsOf } from '../../../cli/web/page/core/runs.js';
import { addNode, type Columns, createColumns, indexOf } from '../../../cli/web/page/core/tree_columns.js';
import { ancestorOf, childrenOf, isBelow, leafBelow, pathTo, turnOf } from '../../../cli/web/page/core/walk.js';

const KINDS = ['u', 'a', 'A', 't', 'T', 's'];

/** Any tree: each node below one that came before it. */
const trees = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...KINDS)), { maxLength: 120 }).map((list): ShapeNode[] => [
  { seq: 1, parent: null, kind: 'r', at: 100 },
  ...list.map(([up, kind], index) => ({
    seq: (index + 2) * 3,
    parent: index === 0 ? 1 : parentSeq(up % (index + 1)),
    kind,
    at: 100 + index,
  })),
]);

function parentSeq(index: number): number {
  return index === 0 ? 1 : (index + 1) * 3;
}

function grow(nodes: readonly ShapeNode[]): Columns {
  const columns = createColumns();
  for (const node of nodes) addNode(columns, node);
  return columns;
}

/** The outline by `seq`, which no order of arrival changes. */
function outline(columns: Columns, here = NONE, isOpen: (run: number) => boolean = () => true): string[] {
  const runs = runsOf(columns, here, createTrunkMemory());
  const rows = rowsOf(columns, runs, isOpen);
  return Array.from(rows.node, (node, row) => {
    const run = rows.run[row] ?? NONE;
    return [
      columns.seq[node],
      runs.indent[run],
      rows.flags[row],
      rows.through[row],
      runs.weight[run],
      runs.leaves[run],
    ].join(' ');
  });
}

function chain(length: number, kindAt: (index: number) => string): ShapeNode[] {
  return Array.from({ length }, (_, index) => ({
    ...{ seq: index + 1, parent: index === 0 ? null : index },
    ...{ kind: index === 0 ? 'r' : kindAt(index), at: index },
  }));
}

test('a tree that is taken in any order of events gives the outline of the whole', () => {
  const shuffled = trees.chain((nodes) =>
    fc.tuple(fc.constant(nodes), fc.shuffledSubarray(nodes, { minLength: nodes.length })),
  );
  fc.assert(
    fc.property(shuffled, fc.nat(), ([nodes, order], at) => {
      const [whole, live] = [grow(nodes), grow([...order, ...order])];
      const here = nodes[at % nodes.length]?.seq ?? 0;
      expect(outline(live, indexOf(live, here))).toEqual(outline(whole, indexOf(whole, here)));
      expect(live.waiting.size).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('indents are at most log2 of the nodes, and every node stands in one run', () => {
  fc.assert(
    fc.property(trees, (nodes) => {
      const columns = grow(nodes);
      const runs = runsOf(columns, NONE, createTrunkMemory());
      expect(Math.max(...runs.indent)).toBeLessThanOrEqual(Math.log2(nodes.length));
      expect(runs.length.reduce((sum, one) => sum + one, 0)).toBe(nodes.length);
      expect(runs.weight[0]).toBe(nodes.length);
      expect(runs.leaves[0]).toBe(nodes.filter(({ seq }) => nodes.every(({ parent }) => parent !== seq)).length);
    }),
  );
});

test('the branch to where one stands goes straight on', () => {
  fc.assert(
    fc.property(trees, fc.nat(), (nodes, at) => {
      const columns = grow(nodes);
      const here = at % columns.count;
      const runs = runsOf(columns, here, createTrunkMemory());
      expect(runs.indent[runs.runOf[here] ?? NONE]).toBe(0);
      expect(pathTo(columns, leafBelow(runs, here))).toContain(here);
    }),
  );
});

test('what goes straight on stays so while other branches grow heavier', () => {
  const columns = grow(chain(6, () => 'u'));
  const memory = createTrunkMemory();
  const trunk = (runs: Runs): number => columns.seq[leafBelow(runs, 0)] ?? NONE;
  expect(trunk(runsOf(columns, NONE, memory))).toBe(6);
  for (let seq = 7; seq < 40; seq += 1) addNode(columns, { seq, parent: seq === 7 ? 3 : seq - 1, kind: 'u', at: seq });
  expect(trunk(runsOf(columns, NONE, memory))).toBe(6);
  for (let seq = 40; seq < 60; seq += 1) addNode(columns, { seq, parent: 6, kind: 'u', at: seq });
  expect(trunk(runsOf(columns, NONE, memory))).toBe(40);
  expect(trunk(runsOf(columns, NONE, createTrunkMemory()))).toBe(39);
  // Who goes there takes the trunk along.
  expect(trunk(runsOf(columns, indexOf(columns, 39), memory))).toBe(39);
  expect(trunk(runsOf(columns, NONE, memory))).toBe(39);
});

describe('a chain of 100,000', () => {
  test('has rows without recursion, in any order of events', () => {
    const nodes = chain(100_000, (index) => (index % 4 === 1 ? 'u' : 'a'));
    for (const order of [nodes, nodes.toReversed()]) {
      const columns = grow(order);
      expect(columns.count).toBe(100_000);
      const rows = rowsOf(columns, runsOf(columns, NONE, createTrunkMemory()), () => true);
      expect(rows.count).toBe(25_000);
      expect(pathTo(columns, indexOf(columns, 100_000))).toHaveLength(100_000);
    }
  });

  test('of forks indents nothing but single nodes', () => {
    const nodes = chain(50_000, () => 'u').flatMap((node) => [
      { ...node, seq: node.seq * 2, parent: node.parent === null ? null : node.parent * 2 },
      { ...node, kind: 'u', seq: node.seq * 2 + 1, parent: node.seq * 2 },
    ]);
    const columns = grow(nodes);
    const runs = runsOf(columns, NONE, createTrunkMemory());
    expect(Math.max(...runs.indent.subarray(0, 1000))).toBe(1);
    expect(rowsOf(columns, runs, () => true).count).toBe(100_000);
  });
});

test('a folded run hides what is below it', () => {
  const nodes = [
    ...chain(4, () => 'u'),
    { seq: 5, parent: 2, kind: 'u', at: 5 },
    { seq: 6, parent: 5, kind: 'a', at: 6 },
  ];
  const columns = grow(nodes);
  const runs = runsOf(columns, NONE, createTrunkMemory());
  const seqs = (rows: OutlineRows): unknown[] => Array.from(rows.node, (node) => columns.seq[node]);
  expect(seqs(rowsOf(columns, runs, () => true))).toEqual([2, 5, 3, 4]);
  const folded = rowsOf(columns, runs, (run) => run === 0);
  expect(seqs(folded)).toEqual([2, 5, 3]);
  expect(Array.from(folded.flags, (flags) => (flags & ROW.folded) !== 0)).toEqual([false, false, true]);
  expect(seqs(rowsOf(columns, runs, () => false))).toEqual([2]);
});

test('a walk finds what stands above, below and beside a node', () => {
  const columns = grow([...chain(4, (index) => (index === 2 ? 'a' : 'u')), { seq: 5, parent: 2, kind: 'u', at: 5 }]);
  const runs = runsOf(columns, NONE, createTrunkMemory());
  const at = (seq: number): number => indexOf(columns, seq);
  expect(columns.seq[ancestorOf(columns, at(4), at(5))]).toBe(2);
  expect(ancestorOf(columns, at(4), at(2))).toBe(at(2));
  expect(childrenOf(columns, at(2)).map((node) => columns.seq[node])).toEqual([3, 5]);
  expect(isBelow(runs, at(4), 0)).toBe(true);
  expect(isBelow(runs, at(2), runs.runOf[at(5)] ?? NONE)).toBe(false);
  expect(turnOf(columns, runs, at(4))).toBe(at(4));
  expect(turnOf(columns, runs, at(3))).toBe(at(3));
});

test('an empty tree has no rows', () => {
  const columns = createColumns();
  expect(rowsOf(columns, runsOf(columns, NONE, createTrunkMemory()), () => true).count).toBe(0);
});
