import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  branchesOffPath,
  branchingOf,
  compareNodes,
  headsOnPath,
  rowsOf,
} from '../../../../cli/repl/navigator/listed_nodes.js';
import { createTreeShape, type TreePage, type TreeShape } from '../../../../cli/repl/navigator/tree_shape.js';
import { NONE } from '../../../../cli/web/page/core/node_table.js';
import { pathTo, sharedLength, treeIndex } from '../../../../loom/tree.js';

/** Parents by index: each node grows from one before it. */
const parentsArbitrary = fc
  .array(fc.nat(), { maxLength: 60 })
  .map((numbers) => numbers.map((number, at) => number % (at + 1)));

function pageOf(parents: readonly number[], kinds = ''): TreePage {
  const count = parents.length + 1;
  return {
    seq: Array(count).fill(1),
    parent: [0, ...parents.map((parent, at) => at + 1 - parent)],
    kind: kinds || `r${'u'.repeat(parents.length)}`,
    at: Array(count).fill(10),
    ...{ archived: [], ranks: [] },
  };
}

function shapeFrom(parents: readonly number[], kinds = ''): TreeShape {
  const shape = createTreeShape();
  shape.add(pageOf(parents, kinds));
  return shape;
}

function oracleOf(parents: readonly number[]) {
  return treeIndex([
    { id: '0', parent: null },
    ...parents.map((parent, at) => ({ id: String(at + 1), parent: String(parent) })),
  ]);
}

const NOTHING = new Set<number>();
const ALL = { filter: 'all', marked: NOTHING, folded: NOTHING, trunk: NOTHING } as const;

/** The nodes in the order of a drawing: each with all that grew from it, oldest branch first. */
function drawn(oracle: ReturnType<typeof oracleOf>): number[] {
  const order: number[] = [];
  const waiting = [0];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    order.push(index);
    waiting.push(...[...oracle.childrenOf(index)].reverse());
  }
  return order;
}

test('a tree in numbers has the children, sizes and ages of the tree itself', () => {
  fc.assert(
    fc.property(parentsArbitrary, (parents) => {
      const shape = shapeFrom(parents);
      const oracle = oracleOf(parents);
      for (let index = 0; index <= parents.length; index += 1) {
        const below = [...oracle.nodes.keys()].filter((one) => pathTo(oracle, one).includes(index));
        expect(shape.childCount(index)).toBe(oracle.childrenOf(index).length);
        expect(shape.sizeOf(index)).toBe(below.length);
        expect(shape.newestMs(index)).toBe(Math.max(...below.map((one) => shape.atMs(one))));
        expect(shape.indexOf(shape.seqOf(index))).toBe(index);
      }
    }),
  );
});

test('rows come in the order of a drawing, and folded branches are one row', () => {
  fc.assert(
    fc.property(parentsArbitrary, fc.nat(), (parents, at) => {
      const shape = shapeFrom(parents);
      const oracle = oracleOf(parents);
      expect([...rowsOf(shape, ALL)]).toEqual(drawn(oracle));
      const place = at % shape.count();
      const folded = branchesOffPath(shape, place);
      const rows = [...rowsOf(shape, { ...ALL, folded })];
      const isShown = (index: number): boolean =>
        pathTo(oracle, index)
          .slice(0, -1)
          .every((above) => !folded.has(above));
      expect(rows).toEqual(drawn(oracle).filter(isShown));
      // Whoever stands there is seen.
      expect(rows).toContain(place);
    }),
  );
});

test('a page at a time gives the same tree as all at once', () => {
  fc.assert(
    fc.property(parentsArbitrary, fc.nat(), (parents, cut) => {
      const whole = pageOf(parents);
      const at = cut % (parents.length + 2);
      const shape = createTreeShape();
      for (const [from, to] of [
        [0, at],
        [at, whole.kind.length],
      ] as const) {
        shape.add({
          ...whole,
          // The first of a page is told from zero.
          seq: whole.seq.slice(from, to).map((one, place) => (place === 0 ? from + 1 : one)),
          parent: whole.parent.slice(from, to),
          kind: whole.kind.slice(from, to),
          at: whole.at.slice(from, to).map((one, place) => (place === 0 ? (from + 1) * 10 : one)),
        });
      }
      const expected = shapeFrom(parents);
      expect([...rowsOf(shape, ALL)]).toEqual([...rowsOf(expected, ALL)]);
      expect(shape.newestMs(0)).toBe(expected.newestMs(0));
    }),
  );
});

test('two nodes are compared from their lowest common ancestor', () => {
  fc.assert(
    fc.property(parentsArbitrary, fc.nat(), fc.nat(), (parents, one, other) => {
      const shape = shapeFrom(parents);
      const oracle = oracleOf(parents);
      const [left, right] = [one % shape.count(), other % shape.count()];
      const [pathLeft, pathRight] = [pathTo(oracle, left), pathTo(oracle, right)];
      const asNodes = (path: number[]) => path.map((id) => ({ id: String(id) }));
      const shared = sharedLength(asNodes(pathLeft), asNodes(pathRight));
      expect(compareNodes(shape, left, right)).toEqual({
        ancestor: pathLeft[shared - 1],
        left: pathLeft.slice(shared),
        right: pathRight.slice(shared),
      });
    }),
  );
});

test('an answer that only calls tools is represented by its parent', () => {
  const shape = shapeFrom([0, 1, 2, 3], 'ruAtu');
  expect(shape.count()).toBe(4);
  expect([...rowsOf(shape, ALL)].map((index) => shape.kindOf(index)).join('')).toBe('rutu');
  expect(shape.indexOf(3)).toBe(1);
  expect(shape.parentOf(2)).toBe(1);
});

test('filters list messages, tools, ends of branches or what is marked', () => {
  const shape = shapeFrom([0, 1, 2, 1], 'rutau');
  const kinds = (filter: 'messages' | 'tools' | 'leaves' | 'marks', marked: number[] = []) =>
    [...rowsOf(shape, { ...ALL, filter, marked: new Set(marked) })].map((index) => shape.kindOf(index)).join('');
  expect(kinds('messages')).toBe('uau');
  expect(kinds('tools')).toBe('t');
  expect(kinds('leaves')).toBe('au');
  expect(kinds('marks')).toBe('');
  expect(kinds('marks', [shape.seqOf(2)])).toBe('t');
});

test('the guides before a row show which branches go on below', () => {
  const shape = shapeFrom([0, 1, 2, 2, 1]);
  const lines = [...rowsOf(shape, ALL)].map((index) => branchingOf(shape, index, { trunk: NOTHING, levelsMax: 10 }));
  expect(lines).toEqual([
    { depth: 0, bars: [], isHead: false, isLast: true },
    { depth: 0, bars: [], isHead: false, isLast: true },
    { depth: 1, bars: [true], isHead: true, isLast: false },
    { depth: 2, bars: [true, true], isHead: true, isLast: false },
    { depth: 2, bars: [true, false], isHead: true, isLast: true },
    { depth: 1, bars: [false], isHead: true, isLast: true },
  ]);
});

test('the path to the position has no guides, and the branches that leave it come before it goes on', () => {
  const shape = shapeFrom([0, 1, 2, 2, 1]);
  const trunk = headsOnPath(shape, 3);
  const rows = [...rowsOf(shape, { ...ALL, trunk })];
  expect(rows).toEqual([0, 1, 5, 2, 4, 3]);
  expect(rows.map((index) => branchingOf(shape, index, { trunk, levelsMax: 10 }))).toEqual([
    { depth: 0, bars: [], isHead: false, isLast: true },
    { depth: 0, bars: [], isHead: false, isLast: true },
    { depth: 1, bars: [true], isHead: true, isLast: false },
    { depth: 0, bars: [], isHead: false, isLast: true },
    { depth: 1, bars: [true], isHead: true, isLast: false },
    { depth: 0, bars: [], isHead: false, isLast: true },
  ]);
  // Below the position nothing is chosen yet.
  const above = headsOnPath(shape, 1);
  expect([...rowsOf(shape, { ...ALL, trunk: above })]).toEqual([0, 1, 2, 3, 4, 5]);
  expect(branchingOf(shape, 5, { trunk: above, levelsMax: 10 })).toMatchObject({ depth: 1, bars: [false] });
});

test('a fork of 200,000 branches and a chain of as many nodes need no recursion', () => {
  const count = 200_000;
  for (const parents of [Array(count).fill(0), Array.from({ length: count }, (_, at) => at)]) {
    const shape = shapeFrom(parents);
    expect(rowsOf(shape, ALL)).toHaveLength(count + 1);
    expect(shape.sizeOf(0)).toBe(count + 1);
    expect(compareNodes(shape, 0, count).right.length).toBeGreaterThan(0);
    expect(shape.headOf(count)).not.toBe(NONE);
  }
});
