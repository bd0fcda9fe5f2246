import { expect, test } from 'vitest';
import { branchesAt } from '../../../../cli/position/branches_at.js';
import { renderBranches } from '../../../../cli/render/tree/branches.js';
import { renderComparison } from '../../../../cli/render/tree/compare.js';
import { renderLeaves } from '../../../../cli/render/tree/leaves.js';
import { outlineOf } from '../../../../cli/render/tree/outline.js';
import type { SkeletonNode } from '../../../../hub/protocol/node.js';
import { lookAt, NOW_MS } from '../../../support/look.js';
import { nodeId, skeletonNode, skeletonOf } from '../../../support/skeleton.js';
import { answer, step, user } from '../../../support/trees.js';

// 1 a, 2 b, then 3 c with 4 d below it, 5 e with 6 its silent answer and 7 its command.
const nodes = skeletonOf(user('a', answer('b', user('c', answer('d')), user('e', step('', ['ls'])))));

function branches(from: number, skeleton: readonly SkeletonNode[] = nodes): string {
  return renderBranches(branchesAt(outlineOf(skeleton), nodeId(from)), lookAt(80));
}

test('below a fork its branches are listed, the current one first', () => {
  expect(branches(7)).toBe(`Current node has 2 branches:
  1. [current] → "e"  00000005  2 nodes  just now
  2. → "c"            00000003  2 nodes  just now
`);
});

test('at a node with children those are listed, and none is current', () => {
  expect(branches(2)).toBe(`Current node has 2 branches:
  1. → "c"  00000003  2 nodes  just now
  2. → "e"  00000005  2 nodes  just now
`);
  expect(branches(1)).toBe(`Current node has 1 branch:
  1. → Assistant: b  00000002  5 nodes  just now
`);
});

test('the newest branch comes before older ones', () => {
  const aged = nodes.map((node, number) => (number === 7 ? node : { ...node, created_at_ms: NOW_MS - 3_600_000 }));
  expect(branches(2, aged)).toBe(`Current node has 2 branches:
  1. → "e"  00000005  2 nodes  just now
  2. → "c"  00000003  2 nodes  1 h ago
`);
});

test('in 80 columns long words are cut, and id, size and age stay', () => {
  const long = skeletonOf(
    user('list all the markdown files in the folder of the recipes, and what is in them'),
    user('b'),
  );
  expect(branches(1, long)).toBe(`Current node has 2 branches:
  1. [current] → "list all the markdown files in…"  00000001  1 node  just now
  2. → "b"                                          00000002  1 node  just now
`);
});

test('in 60 columns size and age leave where too little would be left of the words', () => {
  const alike = skeletonOf(answer('I write it in the folder.'), answer('I write it elsewhere.'));
  const text = renderBranches(branchesAt(outlineOf(alike), nodeId(1)), lookAt(60));
  expect(text).toBe(`Current node has 2 branches:
  1. [current] → Assistant: I write it in the…  00000001
  2. → Assistant: I write it elsewhere.         00000002
`);
});

test('words that have room only when the columns stand closer are whole', () => {
  const tight = skeletonOf(user('of the words here not one is cut off'), user('b'));
  expect(branches(1, tight)).toBe(`Current node has 2 branches:
  1. [current] → "of the words here not one is cut off" 00000001 1 node just now
  2. → "b"                                              00000002 1 node just now
`);
});

test('branches that begin with the same words are told apart by the words in which they differ', () => {
  const same = 'Please read the whole description of the recipes, then bake a';
  const forked = skeletonOf(
    user(`${same} cake with apples`),
    user(`${same} cake with pears`),
    user(`${same} loaf`),
    user(same),
  );
  expect(branches(1, forked)).toBe(`Current node has 4 branches:
  1. [current] → "…a cake with apples"  00000001  1 node  just now
  2. → "…a cake with pears"             00000002  1 node  just now
  3. → "…a loaf"                        00000003  1 node  just now
  4. → "…a"                             00000004  1 node  just now
`);
});

test('a tree without a fork is reported as such', () => {
  expect(branches(1, skeletonOf(user('a')))).toBe('Current node has no branches, and there is no fork above it.\n');
});

test('leaves tell how they differ, and where you stand', () => {
  const leaf = (number: number, differs: string, length: number) => ({
    node: skeletonNode({ number, parent: nodeId(0), role: 'user', preview: 'end' }),
    ...{ fork: nodeId(0), differs, length },
  });
  const leaves = [leaf(7, 'e', 2), leaf(4, 'c and\nthen \x1b[31md', 12)];
  expect(renderLeaves(leaves, nodeId(7), lookAt(80))).toBe(`●  00000007  just now  2 nodes   e
   00000004  just now  12 nodes  c and then d
`);
  expect(renderLeaves(leaves, null, lookAt(20))).toBe(`   00000007  e
   00000004  c and…
`);
});

test('leaves that differ late are told apart by the words in which they differ', () => {
  const leaf = (number: number, differs: string) => ({
    node: skeletonNode({ number, parent: nodeId(0), role: 'user', preview: 'end' }),
    ...{ fork: nodeId(0), differs, length: 1 },
  });
  const same = 'Please read the whole description of the recipes, then bake a';
  const leaves = [leaf(7, `${same} cake`), leaf(4, `${same} loaf`), leaf(5, 'Eat')];
  expect(renderLeaves(leaves, null, lookAt(80))).toBe(`   00000007  just now  1 node  …cake
   00000004  just now  1 node  …loaf
   00000005  just now  1 node  Eat
`);
});

test('a comparison tells the common ancestor and what each side has alone', () => {
  const compared = nodes.map(({ id, role, tool, preview, exit_code }) => ({
    ...{ id, role, tool, preview, exit_code },
    created_at_ms: 0,
  }));
  const [, , ancestor, ...rest] = compared;
  if (ancestor === undefined) throw new Error('the picture has three nodes');
  const change = { path: 'a.txt', kind: 'changed' as const, lines: { added: 2, removed: 1 } };
  const files = { changed: 1, changes: [change], patch: null };
  const comparison = {
    ancestor,
    a: {
      id: nodeId(4),
      alone: rest.slice(0, 2),
      files,
      cost: null,
      seconds: 3,
      check: { command: 'npm test', exitCode: 1 },
    },
    b: { id: nodeId(2), alone: [], files: null, cost: null, seconds: 0, check: null },
    answers: { a: 'The cause is a typo.\nMend it.', b: 'The cause is a wrong path.\nMend it.' },
  };
  expect(renderComparison(comparison, lookAt(80))).toBe(`Common ancestor: 00000002 Assistant: b

Only in 00000004: 2 nodes
  00000003 User: c
  00000004 Assistant: d
  M  a.txt  +2 -1
  last command: npm test, exit 1

Only in 00000002: 0 nodes

Their answers, word by word:
  The cause is a [-typo.-]
  {+wrong path.+}
  Mend it.
`);
});
