import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  childrenOf,
  commonAncestor,
  foldRuns,
  forkPointOf,
  type Item,
  leavesOf,
  pathTo,
  type Run,
  shapeOf,
} from '../../loom/tree.js';

// Each number chooses the parent of the next node among those before it.
const items = fc
  .array(fc.nat(), { maxLength: 40 })
  .map((choices): Item[] => [
    { id: '0', parent: null },
    ...choices.map((choice, index) => ({ id: `${index + 1}`, parent: `${choice % (index + 1)}` })),
  ]);
const treeWithTwo = items.chain((tree) =>
  fc.record({ tree: fc.constant(tree), a: fc.constantFrom(...tree), b: fc.constantFrom(...tree) }),
);

/** The same questions, asked the slow and obvious way. */
const parentIn = (tree: Item[], item: Item) => tree.find(({ id }) => id === item.parent);
const childrenIn = (tree: Item[], item: Item) => tree.filter(({ parent }) => parent === item.id);
const pathIn = (tree: Item[], item: Item): Item[] => {
  const parent = parentIn(tree, item);
  return parent === undefined ? [item] : [...pathIn(tree, parent), item];
};

test('a path begins at the root, ends at its node and goes from parent to child', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a }) => {
      expect(pathTo(shapeOf(tree), a.id)).toEqual(pathIn(tree, a));
    }),
  );
});

test('children and leaves are those that the parents say', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a }) => {
      expect(childrenOf(shapeOf(tree), a.id)).toEqual(childrenIn(tree, a));
      expect(leavesOf(shapeOf(tree))).toEqual(tree.filter((item) => childrenIn(tree, item).length === 0));
    }),
  );
});

test('the lowest common ancestor is the last node that two paths share', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a, b }) => {
      const other = new Set(pathIn(tree, b));
      const shared = pathIn(tree, a).filter((item) => other.has(item));
      expect(commonAncestor(shapeOf(tree), a.id, b.id)).toBe(shared.at(-1));
    }),
  );
});

test('a fork point is the nearest node above with several children, else the root', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a }) => {
      const above = pathIn(tree, a).slice(0, -1).reverse();
      const fork = above.find((item) => childrenIn(tree, item).length > 1) ?? tree[0];
      expect(forkPointOf(shapeOf(tree), a.id)).toEqual(fork);
    }),
  );
});

test('folded runs hold every node once, fork only at their ends and never end in one branch', () => {
  const runsIn = (run: Run<Item>): Run<Item>[] => [run, ...run.branches.flatMap(runsIn)];
  fc.assert(
    fc.property(items, (tree) => {
      const top = foldRuns(shapeOf(tree), '0');
      const runs = top === undefined ? [] : runsIn(top);
      expect(runs.flatMap(({ nodes }) => nodes.map(({ id }) => Number(id))).sort((x, y) => x - y)).toEqual([
        ...tree.keys(),
      ]);
      for (const { nodes, branches } of runs) {
        expect(branches).not.toHaveLength(1);
        const ends = [...nodes.slice(1), ...branches.map((branch) => branch.nodes[0])];
        expect(ends.slice(0, nodes.length - 1).every((item, index) => item?.parent === nodes[index]?.id)).toBe(true);
        expect(branches.every((branch) => branch.nodes[0]?.parent === nodes.at(-1)?.id)).toBe(true);
      }
    }),
  );
});

test('a fold is drawn from a small tree as one expects', () => {
  const names = ({ nodes, branches }: Run<Item>): unknown => [
    nodes.map(({ id }) => id).join(''),
    ...branches.map(names),
  ];
  const tree = ['a-', 'ba', 'cb', 'dc', 'ec', 'fe'].map(([id = '', parent]) => ({
    id,
    parent: parent === '-' ? null : (parent ?? null),
  }));
  const run = foldRuns(shapeOf(tree), 'a');
  expect(run === undefined ? [] : names(run)).toEqual(['abc', ['d'], ['ef']]);
});

test('a chain 200,000 deep is walked without running out of stack', () => {
  const chain = Array.from({ length: 200_000 }, (_, index) => ({
    id: `${index}`,
    parent: index === 0 ? null : `${index - 1}`,
  }));
  const shape = shapeOf(chain);
  expect(pathTo(shape, '199999')).toHaveLength(200_000);
  expect(foldRuns(shape, '0')?.nodes).toHaveLength(200_000);
  expect(forkPointOf(shape, '199999')?.id).toBe('0');
});

test('a node that is not in the tree has no path, no fork point and no fold', () => {
  const shape = shapeOf([{ id: 'a', parent: null }]);
  expect([pathTo(shape, 'x'), forkPointOf(shape, 'x'), foldRuns(shape, 'x'), commonAncestor(shape, 'a', 'x')]).toEqual([
    [],
    undefined,
    undefined,
    undefined,
  ]);
});
