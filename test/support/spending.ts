import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import { RequestId } from '../../hub/protocol/usage.js';
import { answer, user } from './trees.js';
import type { TestWriter } from './writer.js';

/** Paid requests, and the turns that send them. */

type End = ParamsOf<'loom.request_end'>;

export const USED = {
  ...{ tokens_in: 10, tokens_out: 5, tokens_cache_read: 100 },
  ...{ tokens_cache_write_5m: 7, tokens_cache_write_1h: 3 },
};
export const ENDED = { outcome: 'ok' as const, usage: USED, price_microdollars: 1_000, estimate: false, node: null };
export const NOTHING = {
  ...{ requests: 0, running: 0, failed: 0 },
  ...{ tokens_in: 0, tokens_out: 0, tokens_cache_read: 0, tokens_cache_write_5m: 0, tokens_cache_write_1h: 0 },
  ...{ price_microdollars: 0, unknown_price: 0, unknown_usage: 0, estimated: 0 },
};
/** The cost of several requests of the same usage and price. */
export const times = (count: number) => ({
  ...NOTHING,
  ...Object.fromEntries(Object.entries(USED).map(([kind, tokens]) => [kind, tokens * count])),
  ...{ requests: count, price_microdollars: 1_000 * count },
});

export const node = (id = '') => NodeId.parse(id);

export function startTurn(writer: TestWriter, tree: string, at = '') {
  const id = TurnId.parse(writer.newId());
  writer.write('loom.turn_start', { id, tree: TreeId.parse(tree), node: node(at) });
  return id;
}

export function ask(writer: TestWriter, turn: TurnId, parent = '') {
  const id = RequestId.parse(writer.newId());
  const params = { id, turn, parent: node(parent), provider: 'anthropic', model: 'sonnet' };
  return { params, request: writer.write('loom.request_start', params) };
}

/** A finished request, successful by default. */
export function spend(
  writer: TestWriter,
  { turn, parent }: { turn: TurnId; parent: string | undefined },
  end: Partial<End>,
) {
  const { request } = ask(writer, turn, parent);
  return writer.write('loom.request_end', { request: request.id, ...ENDED, ...end });
}

/** Two branches below `a`; each of the three nodes has a paid answer. */
export async function forked(writer: TestWriter) {
  const { tree, ids } = await writer.plant(
    user('q', answer('a', user('left', answer('l')), user('right', answer('r')))),
  );
  for (const [parent, made] of [
    ['q', 'a'],
    ['left', 'l'],
    ['right', 'r'],
  ] as const) {
    const turn = startTurn(writer, tree, ids[parent]);
    spend(writer, { turn, parent: ids[parent] }, { node: node(ids[made]) });
    writer.write('loom.turn_end', { turn, state: 'done' });
  }
  return { tree: TreeId.parse(tree), ids };
}

export async function turnAt(writer: TestWriter) {
  const { tree, ids } = await writer.plant(user('q'));
  return { tree: TreeId.parse(tree), parent: node(ids.q), turn: startTurn(writer, tree, ids.q) };
}
