import { describe, expect, test } from 'vitest';
import type { ResultOf } from '../../../../hub/protocol/methods/method_table.js';
import { RequestId } from '../../../../hub/protocol/usage.js';
import { withReader } from '../../../support/reader.js';
import { refusal } from '../../../support/refusal.js';
import { ask, ENDED, forked, NOTHING, node, spend, startTurn, times, turnAt, USED } from '../../../support/spending.js';
import { stepParts } from '../../../support/trees.js';
import { withWriter } from '../../../support/writer.js';

describe('a request', () => {
  test('is recorded before it is sent, and has its usage and cost when it has ended', () =>
    withReader(async ({ read }, writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      const { request } = ask(writer, turn, parent);
      expect(request).toMatchObject({
        ...{ tree, turn, parent, node: null, provider: 'anthropic', model: 'sonnet', ended_at_ms: null },
        ...{ outcome: 'running', usage: null, price_microdollars: null, estimate: false },
      });
      const ended = writer.write('loom.request_end', { request: request.id, ...ENDED });
      expect(ended).toMatchObject({ ...request, ended_at_ms: expect.any(Number), ...ENDED });
      expect(await read('loom.request_list', { turn })).toEqual({ requests: [ended], cursor: null });
      expect(await read('loom.fsck', {})).toMatchObject({ problems: [] });
    }));

  test('is started and ended once by a retry, and under its id nothing else is', () =>
    withWriter(async (writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      const { params, request } = ask(writer, turn, parent);
      expect(writer.write('loom.request_start', params)).toEqual(request);
      for (const change of [{ model: 'opus' }, { provider: 'openai' }, { parent: node(tree) }]) {
        expect(refusal(() => writer.write('loom.request_start', { ...params, ...change })).kind).toBe('conflict');
      }
      const ending = { request: request.id, ...ENDED };
      const ended = writer.write('loom.request_end', ending);
      expect(writer.write('loom.request_end', ending)).toEqual(ended);
      const others = [
        { outcome: 'stopped' as const },
        { price_microdollars: null },
        { estimate: true },
        { usage: null },
        { usage: { ...USED, tokens_out: 6 } },
        { node: parent },
      ];
      for (const change of others) {
        expect(refusal(() => writer.write('loom.request_end', { ...ending, ...change })).kind).toBe('conflict');
      }
      expect(writer.write('loom.request_start', params)).toEqual(ended);
    }));

  test('has its node when the step is committed, though its bill was written before', () =>
    withReader(async ({ read }, writer) => {
      const { parent, turn } = await turnAt(writer);
      const { request } = ask(writer, turn, parent);
      const { blocks } = stepParts('look', ['ls']);
      const [id, call] = [node(writer.newId()), node(writer.newId())];
      const calls = [{ call: 'call-look-0', id: call }];
      writer.write('loom.turn_record_answer', { turn, parent, id, blocks, settings: null, calls });
      const ended = writer.write('loom.request_end', { request: request.id, ...ENDED, node: id });
      expect(ended.node).toBe(null);
      expect((await read('loom.cost_get', { node: parent })).total).toEqual(times(1));
      writer.restart();
      expect((await read('loom.request_list', { turn })).requests).toEqual([{ ...ended, node: id }]);
      expect(await read('loom.cost_get', { node: call })).toEqual({
        ...{ total: times(1), below: { since: ended.tree, cost: times(1) }, parts: [] },
      });
      expect((await read('loom.cost_get', { node: parent })).total).toEqual(NOTHING);
    }));

  test('is interrupted when its hub dies, and its cost is unknown', () =>
    withReader(async ({ read }, writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      const { request } = ask(writer, turn, parent);
      expect((await read('loom.cost_get', { tree })).total).toEqual({ ...NOTHING, requests: 1, running: 1 });
      writer.restart();
      const { requests } = await read('loom.request_list', { tree });
      expect(requests).toEqual([{ ...request, outcome: 'interrupted' }]);
      expect((await read('loom.cost_get', { tree })).total).toEqual({
        ...{ ...NOTHING, requests: 1, failed: 1, unknown_price: 1, unknown_usage: 1 },
      });
      const late = refusal(() => writer.write('loom.request_end', { request: request.id, ...ENDED }));
      expect(late.message).toBe(`request ${request.id} has ended (interrupted)`);
    }));

  test('is not started by a turn that has ended, but may end after it', () =>
    withWriter(async (writer) => {
      const { parent, turn } = await turnAt(writer);
      const { request } = ask(writer, turn, parent);
      writer.write('loom.turn_end', { turn, state: 'stopped' });
      expect(refusal(() => ask(writer, turn, parent)).message).toBe(`turn ${turn} has ended (stopped)`);
      const end = { ...ENDED, outcome: 'stopped' as const };
      expect(writer.write('loom.request_end', { request: request.id, ...end })).toMatchObject(end);
    }));

  test('is refused where its parent or its node is of another tree', () =>
    withWriter(async (writer) => {
      const [one, other] = [await turnAt(writer), await turnAt(writer)];
      expect(refusal(() => ask(writer, one.turn, other.parent)).kind).toBe('not_found');
      const { request } = ask(writer, one.turn, one.parent);
      const ending = { request: request.id, ...ENDED, node: other.parent };
      expect(refusal(() => writer.write('loom.request_end', ending)).kind).toBe('not_found');
      expect(
        refusal(() => writer.write('loom.request_end', { ...ending, request: RequestId.parse(one.turn) })).kind,
      ).toBe('not_found');
    }));

  test('is listed newest first, page by page', () =>
    withReader(async ({ read }, writer) => {
      const { tree, parent, turn } = await turnAt(writer);
      const made = [1, 2, 3, 4, 5].map(() => spend(writer, { turn, parent }, {}).id).reverse();
      for (const of of [{ tree }, { turn }]) {
        const listed: string[] = [];
        for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
          const page: ResultOf<'loom.request_list'> = await read('loom.request_list', { ...of, cursor, limit: 2 });
          listed.push(...page.requests.map(({ id }) => id));
          cursor = page.cursor;
        }
        expect(listed).toEqual(made);
      }
      for (const of of [{}, { tree, turn }]) {
        await expect(read('loom.request_list', of)).rejects.toMatchObject({ data: { kind: 'invalid_params' } });
      }
    }));
});

describe('the stored requests', () => {
  test('are purged with their tree, and no others', () =>
    withReader(async ({ read }, writer) => {
      const [doomed, kept] = [await forked(writer), await forked(writer)];
      const { confirm } = writer.write('loom.tree_purge', { tree: doomed.tree });
      writer.write('loom.tree_purge', { tree: doomed.tree, confirm });
      expect((await read('loom.cost_get', { by: 'tree' })).parts).toEqual([{ key: kept.tree, cost: times(3) }]);
      expect(writer.store.get('SELECT count(*) AS n FROM requests')).toEqual({ n: 3 });
    }));

  test('are not exported, as they were paid for in this home', () =>
    withReader(async ({ read }, writer) => {
      const { tree } = await forked(writer);
      const { records } = await read('loom.tree_export', { tree });
      expect([...new Set(records.map(({ kind }) => kind))]).toEqual(['tree', 'node']);
      await withReader(async (otherReader, other) => {
        other.write('loom.tree_import', { tree, records, done: true });
        expect((await otherReader.read('loom.cost_get', { tree })).total).toEqual(NOTHING);
      });
    }));

  test.each([
    ['UPDATE requests SET tree = tree + 1 WHERE request = 1', /^request .* belongs to no turn of its tree$/],
    [
      'UPDATE requests SET parent = (SELECT min(seq) FROM nodes) WHERE tree = 2 AND request = 4',
      /^request .* does not point at nodes of its tree$/,
    ],
    [
      'UPDATE requests SET node_id = (SELECT id FROM nodes ORDER BY seq LIMIT 1) WHERE request = 4',
      /^request .* does not point at nodes of its tree$/,
    ],
    ['UPDATE inputs SET node = 1', /^input .* does not point at its node$/],
    ['UPDATE inputs SET dropped_at_ms = 1', /^input .* was taken and taken back$/],
  ])('and points astray after %s is named by fsck', (damage, problem) =>
    withReader(async ({ read }, writer) => {
      await forked(writer);
      const { tree, ids } = await forked(writer);
      const turn = startTurn(writer, tree, ids.l);
      const input = {
        id: node(writer.newId()),
        turn,
        kind: 'steer' as const,
        blocks: [{ type: 'text' as const, text: 'x' }],
      };
      writer.write('loom.input_add', input);
      writer.write('loom.input_take', { turn, input: input.id, parent: node(ids.l) });
      expect((await read('loom.fsck', {})).problems).toEqual([]);
      writer.store.run(damage);
      const { problems } = await read('loom.fsck', {});
      expect(problems.map((found) => found.problem)).toEqual([expect.stringMatching(problem)]);
    }),
  );
});
