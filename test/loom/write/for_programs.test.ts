import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { refusal } from '../../support/refusal.js';
import { answer, text, user } from '../../support/trees.js';
import { withWriter } from '../../support/writer.js';

const node = (id: string | undefined): NodeId => NodeId.parse(id);

test('a mark is moved only if it is where the caller thinks, and a call that comes twice is no conflict', () =>
  withWriter(async (writer) => {
    const { tree: id, ids } = await writer.plant(user('a', answer('b'), answer('c')));
    const tree = TreeId.parse(id);
    const [a, b, c] = [node(ids.a), node(ids.b), node(ids.c)];
    const set = (to: NodeId | null, expected: NodeId | null) =>
      writer.write('loom.mark_set', { tree, name: 'best', node: to, expected }).mark?.node ?? null;
    expect(refusal(() => set(b, a))).toMatchObject({
      ...{
        kind: 'conflict',
        message: 'the mark "best" is not set, not where it was expected',
        details: { node: null },
      },
    });
    expect([set(b, null), set(b, null)]).toEqual([b, b]);
    expect(refusal(() => set(c, null))).toMatchObject({ details: { node: b } });
    expect(set(c, b)).toBe(c);
    expect(refusal(() => set(null, b)).kind).toBe('conflict');
    expect([set(null, c), set(null, c)]).toEqual([null, null]);
  }));

test('nodes that a program brings from elsewhere keep their time; the future is refused, and a retry must say the same', () =>
  withWriter((writer) => {
    const { id: tree } = writer.write('loom.tree_create', {});
    const said = {
      id: node(writer.newId()),
      tree,
      parent: node(tree),
      role: 'user' as const,
      blocks: text('long ago'),
    };
    const first = writer.write('loom.node_create_text', { ...said, created_at_ms: 1_000 });
    expect(first.node.created_at_ms).toBe(1_000);
    expect(writer.write('loom.node_create_text', { ...said, created_at_ms: 1_000 })).toEqual(first);
    expect(writer.write('loom.node_create_text', said)).toEqual(first);
    expect(refusal(() => writer.write('loom.node_create_text', { ...said, created_at_ms: 2 })).kind).toBe('conflict');
    const next = { ...said, id: node(writer.newId()), created_at_ms: Number.MAX_SAFE_INTEGER };
    expect(refusal(() => writer.write('loom.node_create_text', next)).message).toMatch(
      /^created_at_ms is later than now/,
    );
    const step = {
      tree,
      parent: said.id,
      id: node(writer.newId()),
      blocks: text('yes'),
      calls: [],
      created_at_ms: 2_000,
    };
    expect(writer.write('loom.step_create', step).nodes[0]?.created_at_ms).toBe(2_000);
    expect(refusal(() => writer.write('loom.step_create', { ...step, created_at_ms: 3 })).kind).toBe('conflict');
  }));

test('what a program says of a node is part of its hash, of a retry and of a copy, and nodes without it hash as before', () =>
  withWriter((writer) => {
    const { id: tree } = writer.write('loom.tree_create', {});
    const said = { tree, parent: node(tree), role: 'user' as const, blocks: text('said'), created_at_ms: 1_000 };
    const id = node(writer.newId());
    const meta = { z: 1, a: 'text', 'b.c': false };
    const first = writer.write('loom.node_create_text', { ...said, id, meta });
    expect(first.node.meta).toEqual(meta);
    expect(writer.write('loom.node_create_text', { ...said, id, meta: { 'b.c': false, a: 'text', z: 1 } })).toEqual(
      first,
    );
    for (const other of [{ meta: { ...meta, z: 2 } }, {}]) {
      expect(refusal(() => writer.write('loom.node_create_text', { ...said, id, ...other })).kind).toBe('conflict');
    }
    const plain = writer.write('loom.node_create_text', { ...said, id: node(writer.newId()) });
    expect('meta' in plain.node).toBe(false);
  }));
