import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forkPointOf, type Item, leavesOf, pathTo, runEnd, runOf, sharedLength, treeIndex } from '../../loom/tree.js';

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

const indexIn = (item: Item) => Number(item.id);

test('a path begins at the root, ends at its node and goes from parent to child', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a }) => {
      expect(pathTo(treeIndex(tree), indexIn(a)).map((index) => tree[index])).toEqual(pathIn(tree, a));
    }),
  );
});

test('children and leaves follow from the parents', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a }) => {
      expect(treeIndex(tree).childrenOf(indexIn(a))).toEqual(childrenIn(tree, a).map(indexIn));
      expect(leavesOf(tree)).toEqual(tree.filter((item) => childrenIn(tree, item).length === 0));
    }),
  );
});

test('the shared nodes of two paths are those on both', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a, b }) => {
      const [left, right] = [pathIn(tree, a), pathIn(tree, b)];
      expect(left.slice(0, sharedLength(left, right))).toEqual(left.filter((item) => right.includes(item)));
    }),
  );
});

test('a fork point is the nearest node above with several children', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a }) => {
      const above = pathIn(tree, a).slice(0, -1).reverse();
      const fork = above.find((item) => childrenIn(tree, item).length > 1);
      expect(forkPointOf(treeIndex(tree), indexIn(a))).toEqual(fork && indexIn(fork));
    }),
  );
});

test('a run goes from its start through only children to a fork or an end', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a }) => {
      const shape = treeIndex(tree);
      const end = runEnd(shape, indexIn(a));
      const run = [...runOf(shape, indexIn(a), end)];
      expect(run[0]).toBe(indexIn(a));
      expect(shape.childrenOf(end)).not.toHaveLength(1);
      for (const [place, index] of run.slice(0, -1).entries())
        expect(shape.childrenOf(index)).toEqual([run[place + 1]]);
    }),
  );
});

test('the children of a left out node become those of its parent, and its id finds the parent', () => {
  fc.assert(
    fc.property(treeWithTwo, ({ tree, a, b }) => {
      const isKept = (item: Item) => item.parent === null || (item !== a && item !== b);
      const shape = treeIndex(tree, (item) => !isKept(item));
      expect(shape.nodes).toEqual(tree.filter(isKept));
      for (const item of tree) {
        const kept = pathIn(tree, item).filter(isKept);
        const index = shape.indexOf(item.id) ?? -1;
        expect(pathTo(shape, index).map((one) => shape.nodes[one])).toEqual(kept);
      }
    }),
  );
});

test('a chain 200,000 deep is walked without a stack overflow', () => {
  const chain = Array.from({ length: 200_000 }, (_, index) => ({
    id: `${index}`,
    parent: index === 0 ? null : `${index - 1}`,
  }));
  const shape = treeIndex(chain);
  expect(pathTo(shape, 199_999)).toHaveLength(200_000);
  expect(runEnd(shape, 0)).toBe(199_999);
  expect(forkPointOf(shape, 199_999)).toBe(undefined);
});

test('an id that is not in the tree has no index', () => {
  expect(treeIndex([{ id: 'a', parent: null }]).indexOf('x')).toBe(undefined);
});
