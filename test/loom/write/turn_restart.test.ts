import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { NodeId, TurnId } from '../../../hub/protocol/node.js';
import { connectTo, killHub, withHome } from '../../support/hub.js';
import { openStorage } from '../../support/opened_storage.js';
import { text } from '../../support/trees.js';

type Call = Awaited<ReturnType<typeof openStorage>>['call'];

type Turn = ResultOf<'loom.turn_start'>;
type Input = ResultOf<'loom.input_add'>;

/** A turn with a request under way and one input that waits, whose storage ends without another word but the last ones. */
async function leaveTurn(home: string, last: (call: Call, left: { turn: Turn; input: Input }) => unknown = () => null) {
  const { call, close } = await openStorage(home);
  const { id: tree } = await call('loom.tree_create', { name: 'left' as never }); // a brand that the schema gives
  const { node } = await call('loom.node_create_text', {
    ...{ tree, parent: NodeId.parse(tree), role: 'user', blocks: text('go') },
  });
  const turn = await call('loom.turn_start', { tree, node: node.id });
  const draft = { turn: turn.id, parent: node.id, provider: 'anthropic', model: 'sonnet' };
  const request = await call('loom.request_start', draft);
  const input = await call('loom.input_add', {
    ...{ turn: turn.id, kind: 'steer', blocks: [{ type: 'text', text: 'and faster' }] },
  });
  await last(call, { turn, input });
  await close();
  return { tree, turn, request, input };
}

test('after a restart pending inputs stand below the tip of their turn, and known costs are listed', () =>
  withHome(async (home) => {
    const { tree, turn, request, input } = await leaveTurn(home);
    const client = await connectTo(home);
    try {
      expect(await client.call('loom.turn_get', { turn: turn.id })).toEqual({
        turn: { ...turn, state: 'interrupted', tip: input.id, ended_at_ms: expect.any(Number) },
        ...{ inputs: [], questions: [], parked: null },
      });
      const { node } = await client.call('loom.node_get', { node: input.id });
      expect(node).toMatchObject({ parent: turn.tip, role: 'user', blocks: input.blocks });
      expect((await client.call('loom.request_list', { tree })).requests).toEqual([
        { ...request, outcome: 'interrupted' },
      ]);
      const { total } = await client.call('loom.cost_get', { tree });
      expect(total).toMatchObject({ requests: 1, failed: 1, price_microdollars: 0, unknown_price: 1 });
      // It cannot be taken back any more, and nothing more is taken.
      const back = await client.call('loom.input_drop', { turn: turn.id, inputs: [input.id] });
      expect(back.inputs).toEqual([{ ...input, state: 'taken', node: input.id }]);
      const late = client.call('loom.input_add', { turn: turn.id, kind: 'after', blocks: input.blocks });
      await expect(late).rejects.toMatchObject({ data: { kind: 'conflict' } });
    } finally {
      await client.close();
    }
  }));

test.each([
  ['ended', async (call: Call, { turn }: { turn: Turn }) => call('loom.turn_end', { turn: turn.id, state: 'done' })],
  [
    'ended, and had made a message of it',
    async (call: Call, { turn, input }: { turn: Turn; input: Input }) => {
      await call('loom.turn_end', { turn: turn.id, state: 'done' });
      const { id, blocks } = input;
      await call('loom.node_create_text', { id, tree: turn.tree, parent: turn.tip, role: 'user', blocks });
    },
  ],
])('what was said to a turn is one message when its hub was killed right after it had %s', (_, last) =>
  withHome(async (home) => {
    const { tree, turn, input } = await leaveTurn(home, last);
    for (const _start of [1, 2]) {
      const client = await connectTo(home);
      const { nodes } = await client.call('loom.tree_get_skeleton', { tree });
      expect(nodes.map(({ id, parent }) => [id, parent])).toEqual([
        [tree, null],
        [turn.tip, tree],
        [input.id, turn.tip],
      ]);
      expect(await client.call('loom.turn_get', { turn: turn.id })).toMatchObject({
        turn: { state: 'done' },
        inputs: [],
      });
      expect(await client.call('loom.fsck', {})).toMatchObject({ problems: [] });
      await client.close();
      await killHub(home);
    }
  }),
);

test('no client may record requests or take an input for a turn', () =>
  withHome(async (home) => {
    const client = await connectTo(home);
    try {
      for (const method of ['loom.request_start', 'loom.request_end', 'loom.input_take'] as const) {
        const call = client.call(method, { turn: TurnId.parse(randomUUID()) } as never); // refused before it is read
        await expect(call).rejects.toMatchObject({ data: { kind: 'method_not_found' } });
      }
    } finally {
      await client.close();
    }
  }));
