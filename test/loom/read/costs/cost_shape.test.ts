import { expect, test } from 'vitest';
import { withReader } from '../../../support/reader.js';
import { ask, forked, node, spend, startTurn, turnAt, USED } from '../../../support/spending.js';

const cacheWrite = USED.tokens_cache_write_5m + USED.tokens_cache_write_1h;

test('each ended request of a tree counts at the node of its answer', () =>
  withReader(async ({ read }, writer) => {
    const { tree, ids } = await forked(writer);
    await forked(writer);
    const { seq, ...shape } = await read('loom.cost_shape', { tree });
    const answers = await Promise.all(
      [ids.a, ids.l, ids.r].map(async (id) => (await read('loom.node_get', { node: node(id) })).node.seq),
    );
    expect(seq).toEqual(answers);
    expect(shape).toEqual({
      ...{ model: [0, 0, 0], models: ['anthropic/sonnet'], tokens_in: [10, 10, 10], tokens_out: [5, 5, 5] },
      ...{ tokens_cache_read: [100, 100, 100], tokens_cache_write: [cacheWrite, cacheWrite, cacheWrite] },
      ...{ price_microdollars: [1_000, 1_000, 1_000], cursor: null },
    });
  }));

test('a request without an answer counts where it was sent from, one that runs not at all, and what nobody knows is null', () =>
  withReader(async ({ read }, writer) => {
    const { tree, parent, turn } = await turnAt(writer);
    spend(writer, { turn, parent }, { outcome: 'overloaded', usage: null, price_microdollars: null });
    ask(writer, turn, parent);
    const { node: sent } = await read('loom.node_get', { node: parent });
    expect(await read('loom.cost_shape', { tree })).toEqual({
      ...{ seq: [sent.seq], model: [0], models: ['anthropic/sonnet'], tokens_in: [null], tokens_out: [null] },
      ...{ tokens_cache_read: [null], tokens_cache_write: [null], price_microdollars: [null], cursor: null },
    });
  }));

test('the pages of a cost shape are the whole, whatever their size', () =>
  withReader(async ({ read }, writer) => {
    const { tree, ids } = await forked(writer);
    const turn = startTurn(writer, tree, ids.l);
    for (let index = 0; index < 202; index += 1) spend(writer, { turn, parent: ids.l }, { price_microdollars: index });
    const whole = await read('loom.cost_shape', { tree });
    expect(whole.seq).toHaveLength(205);
    for (const limit of [7, 200, 205, 20_000]) {
      const prices: (number | null)[] = [];
      let cursor: string | null = null;
      do {
        const page: typeof whole = await read('loom.cost_shape', { tree, limit, cursor });
        expect(page.seq.length).toBeLessThanOrEqual(limit);
        prices.push(...page.price_microdollars);
        cursor = page.cursor;
      } while (cursor !== null);
      expect(prices).toEqual(whole.price_microdollars);
    }
  }));

test('a tree that nothing was asked in has empty columns', () =>
  withReader(async ({ read }, writer) => {
    const { id: tree } = writer.write('loom.tree_create', {});
    expect(await read('loom.cost_shape', { tree })).toMatchObject({ seq: [], models: [], cursor: null });
  }));
