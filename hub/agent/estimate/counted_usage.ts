import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { Node, TreeId } from '../../protocol/node.js';
import type { Measure } from './token_estimate.js';

/** How many of a tree's newest requests are looked at. */
const PAGE = 1_000;
const PAGES_MAX = 5;

export type CountedRequest = ResultOf<'loom.request_list'>['requests'][number];

/** The newest requests of a tree, newest first. */
export async function* newestRequests(reach: InternalCaller, tree: TreeId): AsyncGenerator<CountedRequest> {
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found: ResultOf<'loom.request_list'> = await callHub(reach, 'loom.request_list', {
      ...{ tree, turn: null, cursor, limit: PAGE },
    });
    yield* found.requests;
    cursor = found.cursor;
    if (cursor === null) return;
  }
}

/** What a provider has counted last of a path: of its newest answer that is on it. Null when nothing was. */
export async function countedOf(reach: InternalCaller, tree: TreeId, path: readonly Node[]): Promise<Measure | null> {
  const places = new Map<string, number>();
  // What was counted for a summary is what stood before it.
  for (const [place, { id, role }] of path.entries()) if (role === 'assistant') places.set(id, place);
  if (places.size === 0) return null;
  for await (const { node, outcome, usage, estimate } of newestRequests(reach, tree)) {
    const place = node === null ? undefined : places.get(node);
    if (place === undefined || usage === null || estimate || outcome !== 'ok') continue;
    return { tokens: Object.values(usage).reduce((sum, some) => sum + some, 0), nodes: place + 1 };
  }
  return null;
}
