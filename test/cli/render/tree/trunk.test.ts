import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf as drawnRuns, drawTree } from '../../../../cli/render/tree/draw_tree.js';
import { outlineOf } from '../../../../cli/render/tree/outline.js';
import { branchingOf, headsOfTrunk } from '../../../../cli/repl/navigator/listed_nodes.js';
import { createTreeShape } from '../../../../cli/repl/navigator/tree_shape.js';
import { createTrunkMemory, runsOf as pageRuns } from '../../../../cli/web/page/core/runs.js';
import { addNode, createColumns, indexOf } from '../../../../cli/web/page/core/tree_columns.js';
import type { SkeletonNode } from '../../../../hub/protocol/node.js';
import { runOf, straightOn } from '../../../../loom/tree.js';
import { lookAt } from '../../../support/look.js';
import { nodeId, skeletonNode, skeletonOf } from '../../../support/skeleton.js';
import { answer, user } from '../../../support/trees.js';

interface TestNode {
  seq: number;
  parent: number | null;
  kind: 'r' | 'u' | 'A' | 't';
}

const ROLES = { r: 'root', u: 'user', A: 'assistant', t: 'tool' } as const;

/** Any tree in which some nodes are calls below an answer that only calls tools. */
const trees = fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 80 }).map((list) => {
  const nodes: TestNode[] = [{ seq: 1, parent: null, kind: 'r' }];
  const settled = [1];
  for (const [up, isCall] of list) {
    const parent = settled[up % settled.length] ?? 1;
    const seq = nodes.length + 1;
    if (isCall) nodes.push({ seq, parent, kind: 'A' }, { seq: seq + 1, parent: seq, kind: 't' });
    else nodes.push({ seq, parent, kind: 'u' });
    settled.push(nodes.length);
  }
  return { nodes, settled };
});

/** The nodes in the first column of `show`. */
function shown(nodes: readonly TestNode[], here: number): number[] {
  const outline = outlineOf(
    nodes.map(({ seq, parent, kind }) => ({
      ...skeletonNode({
        number: seq,
        parent: parent === null ? null : nodeId(parent),
        role: ROLES[kind],
        preview: kind === 'A' ? '' : String(seq),
      }),
      step: kind === 'A' ? { id: nodeId(seq), index: 0, size: 2 } : null,
    })),
  );
  const drawing = { outline, position: nodeId(here), nested: false, ids: false, marks: new Map() };
  return [...drawnRuns(drawing, lookAt(80))]
    .filter(({ indent }) => indent.trim() === '')
    .flatMap(({ start, end }) => [...runOf(outline, start, end)].map((index) => outline.nodes[index]?.seq ?? 0));
}

/** The nodes in the first column of the navigator. */
function navigated(nodes: readonly TestNode[], here: number): number[] {
  const shape = createTreeShape();
  shape.add({
    seq: nodes.map(({ seq }, at) => seq - (nodes[at - 1]?.seq ?? 0)),
    parent: nodes.map(({ seq, parent }) => (parent === null ? 0 : seq - parent)),
    kind: nodes.map(({ kind }) => kind).join(''),
    ...{ at: nodes.map(() => 1), archived: [], ranks: [] },
  });
  const trunk = headsOfTrunk(shape, shape.indexOf(here));
  return Array.from({ length: shape.count() }, (_, index) => index)
    .filter((index) => branchingOf(shape, index, { trunk, levelsMax: 1 }).depth === 0)
    .map((index) => shape.seqOf(index));
}

/** The nodes without an indent on the page; answers that only call tools have no row. */
function onPage(nodes: readonly TestNode[], here: number): number[] {
  const columns = createColumns();
  for (const node of nodes) addNode(columns, { ...node, at: 1 });
  const runs = pageRuns(columns, indexOf(columns, here), createTrunkMemory());
  return nodes
    .filter(({ seq, kind }) => kind !== 'A' && runs.indent[runs.runOf[indexOf(columns, seq)] ?? 0] === 0)
    .map(({ seq }) => seq);
}

test('show, navigator and page have the same trunk in any tree, wherever one stands', () => {
  fc.assert(
    fc.property(trees, fc.nat(), ({ nodes, settled }, at) => {
      const here = settled[at % settled.length] ?? 1;
      const trunk = shown(nodes, here);
      expect(navigated(nodes, here)).toEqual(trunk);
      expect(onPage(nodes, here)).toEqual(trunk);
      expect(trunk).toContain(here);
    }),
    { numRuns: 300 },
  );
});

test('where one stands goes before what is heavier, and of equal branches the first goes on', () => {
  const weights = [3, 5, 5];
  const weightOf = (branch: number): number => weights[branch] ?? 0;
  expect(straightOn([0, 1, 2], { leads: () => false, weightOf })).toBe(1);
  expect(straightOn([0, 1, 2], { leads: (branch) => branch === 0, weightOf })).toBe(0);
  expect(straightOn([], { leads: () => true, weightOf })).toBeUndefined();
});

test('a branch is as heavy as what is drawn of it, and an archived one goes straight on only alone', () => {
  const nodes = skeletonOf(user('a', user('one'), user('two', answer('b')), user('three', answer('c'))));
  const rows = (all: SkeletonNode[]): string[] =>
    [
      ...drawTree({ outline: outlineOf(all), position: null, nested: false, ids: false, marks: new Map() }, lookAt(80)),
    ].slice(1);
  expect(rows(nodes)).toEqual([
    ' User: a',
    ' ├── User: one',
    ' ├── User: three',
    ' │   Assistant: c',
    ' User: two',
    ' Assistant: b',
  ]);
  const archived = nodes.map((node) => (node.preview === 'two' ? { ...node, archived: true } : node));
  expect(rows(archived)).toEqual([
    ...[
      ' User: a',
      ' ├── User: one',
      ' ├── User: two (archived)',
      ' │   Assistant: b',
      ' User: three',
      ' Assistant: c',
    ],
  ]);
});
