import fc from 'fast-check';
import { expect, test } from 'vitest';
import { branchesOffPath, branchingOf, headsOnPath, rowsOf } from '../../../../cli/repl/navigator/listed_nodes.js';
import { openNavigation, rowOf, scrolled, withWholeTree } from '../../../../cli/repl/navigator/navigator_state.js';
import { createTreeShape, type TreeShape } from '../../../../cli/repl/navigator/tree_shape.js';
import { NONE } from '../../../../cli/web/page/core/node_table.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { type TestReader, withReader } from '../../../support/reader.js';
import { stepParts } from '../../../support/trees.js';
import type { TestWriter } from '../../../support/writer.js';

/** A tree grown at random: where each piece hangs, what it is, and which branches are archived. */
const planArbitrary = fc.record({
  pieces: fc.array(fc.record({ at: fc.nat(), kind: fc.constantFrom('user', 'silent', 'talking') }), { maxLength: 30 }),
  archived: fc.array(fc.nat(), { maxLength: 2 }),
  position: fc.nat(),
  rows: fc.integer({ min: 1, max: 8 }),
});
type Plan = typeof planArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** The tree, and the ids of all nodes in it. */
function planted({ pieces, archived }: Plan, { write }: TestWriter) {
  const tree = TreeId.parse(write('loom.tree_create', {}).id);
  const ends = [NodeId.parse(tree)];
  const all = [...ends];
  for (const [index, { at, kind }] of pieces.entries()) {
    const place = { tree, parent: ends[at % ends.length] ?? NodeId.parse(tree) };
    if (kind === 'user') {
      const blocks = [{ type: 'text' as const, text: `message ${index}` }];
      const { node } = write('loom.node_create_text', { ...place, role: 'user', blocks });
      ends.push(node.id);
      all.push(node.id);
      continue;
    }
    const { blocks, calls } = stepParts(`step ${index}`, ['ls', 'pwd']);
    const shown = kind === 'silent' ? blocks.filter(({ type }) => type === 'call') : blocks;
    const { nodes } = write('loom.step_create', { ...place, blocks: shown, calls } as never); // the schema parses it
    ends.push(nodes.at(-1)?.id ?? place.parent);
    all.push(...nodes.map(({ id }) => id));
  }
  for (const place of archived) {
    const node = all[1 + (place % Math.max(1, all.length - 1))];
    if (node !== undefined) write('loom.branch_archive', { tree, node });
  }
  return { tree, all };
}

/** What is read around a node, beside the whole tree. */
async function bothOf(plan: Plan, { read }: TestReader, writer: TestWriter) {
  const { tree, all } = planted(plan, writer);
  const position = all[plan.position % all.length] ?? NodeId.parse(tree);
  const near = await read('loom.tree_get_near', { tree, node: position, rows: plan.rows });
  const whole = createTreeShape();
  whole.add(await read('loom.tree_get_shape', { tree }));
  const { node } = await read('loom.node_get', { node: position });
  return { near, whole, position: whole.indexOf(node.seq), all };
}

type Near = Awaited<ReturnType<typeof bothOf>>['near'];

function earlyOf(near: Near) {
  const shape = createTreeShape();
  shape.add(near);
  const anchor = shape.indexOf(near.node);
  const { above, below, begins, ends, node_count: nodeCount } = near;
  const partial = { anchor, above, below, begins, ends, nodeCount };
  return openNavigation({ shape, partial, position: near.hidden ? NONE : anchor, preferred: anchor });
}

/** What a list shows of these rows. */
const drawn = (
  shape: TreeShape,
  rows: Iterable<number>,
  { folded, trunk }: { folded: ReadonlySet<number>; trunk: ReadonlySet<number> },
) =>
  [...rows].map((index) => ({
    seq: shape.seqOf(index),
    ...{
      branching: branchingOf(shape, index, { trunk, levelsMax: 100 }),
      isFolded: folded.has(index) && shape.sizeOf(index) > 1,
    },
  }));

test('the rows that are read around a node are those of the whole tree, without a gap', async () => {
  await withReader((reader, writer) =>
    fc.assert(
      fc.asyncProperty(planArbitrary, async (plan) => {
        const { near, whole, position, all } = await bothOf(plan, reader, writer);
        expect(near.hidden).toBe(position === NONE);
        expect(near.node_count).toBe(all.length);
        const anchor = whole.indexOf(near.node);
        if (position !== NONE) expect(anchor).toBe(position);
        const folded = branchesOffPath(whole, anchor);
        const trunk = headsOnPath(whole, anchor);
        const rows = rowsOf(whole, { filter: 'all', marked: new Set(), folded, trunk });
        const at = rows.indexOf(anchor);
        const partial = earlyOf(near);
        const expected = rows.subarray(at - near.above, at + near.below + 1);
        expect(drawn(partial.shape, partial.rows, partial)).toEqual(drawn(whole, expected, { folded, trunk }));
        expect(near.above).toBe(near.begins ? at : plan.rows);
        expect(near.below).toBe(near.ends ? rows.length - at - 1 : plan.rows);
      }),
      { numRuns: 100 },
    ),
  );
}, 60_000);

test('when the rest of the tree has been read, the selected row keeps its place', async () => {
  await withReader((reader, writer) =>
    fc.assert(
      fc.asyncProperty(planArbitrary, fc.integer({ min: 1, max: 9 }), async (plan, height) => {
        const { near, whole } = await bothOf(plan, reader, writer);
        const before = scrolled(earlyOf(near), height);
        const after = scrolled(withWholeTree(before, whole), height);
        expect(after.partial).toBeNull();
        expect(whole.seqOf(after.selected)).toBe(before.shape.seqOf(before.selected));
        expect(rowOf(after) - after.top).toBe(rowOf(before) - before.top);
      }),
      { numRuns: 50 },
    ),
  );
}, 60_000);

test('the ancestors of the end of a very long conversation are given as far as they were read', async () => {
  await withReader(async ({ read }, { write }) => {
    const tree = TreeId.parse(write('loom.tree_create', {}).id);
    let node = NodeId.parse(tree);
    for (let number = 0; number < 4_100; number += 1) {
      const blocks = [{ type: 'text' as const, text: `message ${number}` }];
      node = write('loom.node_create_text', { tree, parent: node, role: 'user', blocks }).node.id;
    }
    const near = await read('loom.tree_get_near', { tree, node, rows: 10 });
    expect(near).toMatchObject({ above: 10, below: 0, begins: false, ends: true, node_count: 4_101 });
    expect(earlyOf(near).rows).toHaveLength(11);
  });
}, 60_000);
