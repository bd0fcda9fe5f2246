import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { type TestReader, withReader } from '../../../support/reader.js';
import { ENDED, forked, NOTHING, node, spend, startTurn, times, turnAt } from '../../../support/spending.js';
import { answer, text, user } from '../../../support/trees.js';
import type { TestWriter } from '../../../support/writer.js';

describe('the cost', () => {
  test('of a path includes the shared prefix, and lists the part below the fork', () =>
    withReader(async ({ read }, writer) => {
      const { ids } = await forked(writer);
      for (const leaf of [ids.l, ids.r]) {
        expect(await read('loom.cost_get', { node: node(leaf) })).toEqual({
          ...{ total: times(2), below: { since: ids.a, cost: times(1) }, parts: [] },
        });
      }
    }));

  test('of a tree has each request once, however many branches share it', () =>
    withReader(async ({ read }, writer) => {
      const { tree } = await forked(writer);
      await forked(writer);
      expect(await read('loom.cost_get', { tree })).toEqual({ total: times(3), below: null, parts: [] });
      expect((await read('loom.cost_get', {})).total).toEqual(times(6));
    }));

  test('of sub-sessions is summed for the tree that owns them, apart from its own', () =>
    withReader(async ({ read }, writer) => {
      const { tree: owner, ids } = await forked(writer);
      for (const _ of ['one', 'two']) {
        const { id: tree } = writer.write('loom.tree_create', {
          owner: { tree: TreeId.parse(owner), node: node(ids.a) },
        });
        const turn = startTurn(writer, tree, tree);
        spend(writer, { turn, parent: tree }, {});
      }
      expect((await read('loom.cost_get', { tree: owner })).total).toEqual(times(3));
      const { total, parts } = await read('loom.cost_get', { owner, by: 'model' });
      expect({ total, parts }).toEqual({ total: times(2), parts: [{ key: 'anthropic/sonnet', cost: times(2) }] });
      await expect(read('loom.cost_get', { owner, tree: owner })).rejects.toMatchObject({
        data: { kind: 'invalid_params' },
      });
    }));

  test('of a path can be split at any node of it, and at no other', () =>
    withReader(async ({ read }, writer) => {
      const { tree, ids } = await forked(writer);
      const below = async (since: string | undefined) =>
        (await read('loom.cost_get', { node: node(ids.l), since: node(since) })).below?.cost;
      expect([await below(tree), await below(ids.q), await below(ids.a), await below(ids.l)]).toEqual([
        ...[times(2), times(2), times(1), NOTHING],
      ]);
      await expect(below(ids.r)).rejects.toMatchObject({ data: { kind: 'invalid_params' } });
    }));

  test('of failed attempts is on the branch of the successful one', () =>
    withReader(async ({ read }, writer) => {
      const { tree, ids } = await writer.plant(user('q', answer('a', user('left', answer('l')), user('right'))));
      const turn = startTurn(writer, tree, ids.left);
      const failing = { outcome: 'overloaded' as const, usage: null, price_microdollars: 0 };
      const failed = spend(writer, { turn, parent: ids.left }, failing);
      spend(writer, { turn, parent: ids.left }, { node: node(ids.l) });
      const again = { request: failed.id, ...ENDED, ...failing };
      expect(writer.write('loom.request_end', again)).toEqual({ ...failed, node: ids.l });
      const both = { ...times(1), requests: 2, failed: 1, unknown_usage: 1 };
      expect((await read('loom.cost_get', { node: node(ids.l) })).below?.cost).toEqual(both);
      expect((await read('loom.cost_get', { node: node(ids.right) })).total).toEqual(NOTHING);
    }));

  test('of a request without an answer counts at the node it was sent from', () =>
    withReader(async ({ read }, writer) => {
      const { ids, tree } = await forked(writer);
      const turn = startTurn(writer, tree, ids.left);
      spend(writer, { turn, parent: ids.left }, { outcome: 'network', node: node(writer.newId()) });
      expect((await read('loom.cost_get', { node: node(ids.l) })).total).toEqual({ ...times(3), failed: 1 });
      expect((await read('loom.cost_get', { node: node(ids.r) })).total).toEqual(times(2));
    }));

  test('that is unknown is counted apart and is no part of the sum, and so are estimates', () =>
    withReader(async ({ read }, writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      spend(writer, { turn, parent }, { price_microdollars: null });
      spend(writer, { turn, parent }, { estimate: true });
      spend(writer, { turn, parent }, { price_microdollars: 0 });
      expect((await read('loom.cost_get', { tree })).total).toEqual({
        ...{ ...times(3), price_microdollars: 1_000, unknown_price: 1, estimated: 1 },
      });
      expect((await read('loom.cost_get', { turn })).total.unknown_price).toBe(1);
    }));

  test('is summed by local day, within a period', () =>
    withReader(async ({ read }, writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      const days = ['2026-03-01T23:30:00Z', '2026-03-02T00:30:00Z', '2026-03-05T12:00:00Z'].map(Date.parse);
      for (const day of days) {
        writer.setClock(day);
        spend(writer, { turn, parent }, {});
      }
      const byDay = async (more: object) =>
        (await read('loom.cost_get', { by: 'day', ...more })).parts.map(({ key, cost }) => [key, cost.requests]);
      const utc = [
        ['2026-03-01', 1],
        ['2026-03-02', 1],
        ['2026-03-05', 1],
      ];
      for (const scope of [{}, { tree }, { turn }, { node: parent }]) expect(await byDay(scope)).toEqual(utc);
      expect(await byDay({ utc_offset_minutes: 60 })).toEqual([
        ['2026-03-02', 2],
        ['2026-03-05', 1],
      ]);
      const within = { from_ms: Date.parse('2026-03-02'), until_ms: Date.parse('2026-03-05') };
      for (const scope of [{}, { tree }, { turn }, { node: parent }]) {
        expect(await byDay({ ...scope, ...within })).toEqual([['2026-03-02', 1]]);
      }
    }));

  test('is summed by turn, by tree and by model', () =>
    withReader(async ({ read }, writer) => {
      const { tree } = await forked(writer);
      const other = await turnAt(writer);
      spend(writer, other, {});
      const parts = async (by: 'turn' | 'tree' | 'model') => (await read('loom.cost_get', { by })).parts;
      expect(await parts('tree')).toEqual([
        { key: tree, cost: times(3) },
        { key: other.tree, cost: times(1) },
      ]);
      expect(await parts('model')).toEqual([{ key: 'anthropic/sonnet', cost: times(4) }]);
      expect((await parts('turn')).map(({ cost }) => cost.requests)).toEqual([1, 1, 1, 1]);
    }));

  test('of two scopes at once is refused', () =>
    withReader(async ({ read }, writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      for (const mixed of [{ tree, turn }, { tree, node: parent }, { since: parent }]) {
        await expect(read('loom.cost_get', mixed)).rejects.toMatchObject({ data: { kind: 'invalid_params' } });
      }
    }));

  test('of more requests than one slice includes all of them, also those of one instant', () =>
    withReader(async ({ read }, writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      insertMany(writer, 1_700);
      for (const scope of [{}, { tree }, { turn }, { node: parent }]) {
        expect((await read('loom.cost_get', scope)).total.requests, JSON.stringify(scope)).toBe(1_700);
      }
    }));

  test('of a long path is the sum over all its nodes', () =>
    withReader(async (reader, writer) => {
      const { tree, ids } = await writer.plant(user('top'));
      const turn = startTurn(writer, tree, ids.top);
      let parent = node(ids.top);
      for (let depth = 0; depth < 1_200; depth++) {
        const made = { tree: TreeId.parse(tree), parent, role: 'user' as const, blocks: text('x') };
        parent = writer.write('loom.node_create_text', { ...made, id: node(writer.newId()) }).node.id;
        if (depth % 100 === 0) spend(writer, { turn, parent }, {});
      }
      expect(await sums(reader, parent)).toEqual([12, tree, 12]);
    }));
});

test('costs of random trees are those of a plain list', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(2)), { minLength: 1, maxLength: 12 }), comparesWithList),
    { numRuns: 25 },
  ));

interface ListNode {
  id: NodeId;
  parent: ListNode | null;
  children: number;
  spent: number;
}

/** Each node is given the place of its parent and how many requests led to it; the last of them is answered. */
async function comparesWithList(plan: readonly [number, number][]) {
  await withReader(async ({ read }, writer) => {
    const { tree } = await writer.plant();
    const root: ListNode = { id: node(tree), parent: null, children: 0, spent: 0 };
    const nodes = [root];
    for (const [at, spent] of plan) {
      const parent = nodes[at % nodes.length] ?? root;
      const turn = startTurn(writer, tree, parent.id);
      const id = node(writer.newId());
      for (let count = 1; count <= spent; count++) {
        spend(writer, { turn, parent: parent.id }, count < spent ? { outcome: 'network' } : { node: id });
      }
      const made = { id, tree: TreeId.parse(tree), parent: parent.id, role: 'assistant' as const, blocks: text('x') };
      writer.write('loom.node_create_text', made);
      parent.children += 1;
      nodes.push({ id, parent, children: 0, spent });
    }
    for (const end of nodes) {
      const { total, below } = await read('loom.cost_get', { node: end.id });
      expect([total.requests, below?.since, below?.cost.requests]).toEqual(expected(end));
    }
    const all = nodes.reduce((sum, { spent }) => sum + spent, 0);
    expect((await read('loom.cost_get', { tree: TreeId.parse(tree) })).total.requests).toBe(all);
  });
}

function expected(end: ListNode) {
  const path: ListNode[] = [];
  for (let at: ListNode | null = end; at !== null; at = at.parent) path.push(at);
  const spentOn = (part: readonly ListNode[]) => part.reduce((sum, { spent }) => sum + spent, 0);
  const fork = path.findIndex(({ children }, index) => index > 0 && children > 1);
  const since = fork === -1 ? path.length - 1 : fork;
  return [spentOn(path), path[since]?.id, spentOn(path.slice(0, since))];
}

async function sums({ read }: TestReader, of: NodeId) {
  const { total, below } = await read('loom.cost_get', { node: of });
  return [total.requests, below?.since, below?.cost.requests];
}

/** Requests of the only turn, all started in the same instant. */
function insertMany(writer: TestWriter, count: number) {
  writer.store.run(
    `WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?)
     INSERT INTO requests (id, tree, turn, parent, provider, model, started_at_ms, outcome)
     SELECT randomblob(16), u.tree, u.turn, u.node, 'p', 'm', 1, 'ok' FROM n CROSS JOIN turns u`,
    count,
  );
}
