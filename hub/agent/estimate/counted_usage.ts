import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { Node, TreeId } from '../../protocol/node.js';
import type { Measure } from './token_estimate.js';

/** The newest requests of a tree that are examined, in pages. */
const PAGE = 1_000;
const PAGES_MAX = 5;

export type CountedRequest = ResultOf<'loom.request_list'>['requests'][number];

/** The newest requests of a tree, newest first. */
export async function* newestRequests(reach: InternalCaller, tree: TreeId): AsyncGenerator<CountedRequest> {
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const result: ResultOf<'loom.request_list'> = await callHub(reach, 'loom.request_list', {
      ...{ tree, turn: null, cursor, limit: PAGE },
    });
    yield* result.requests;
    cursor = result.cursor;
    if (cursor === null) return;
  }
}

/** A provider's newest count of a path: that of the newest answer on it. Null for none. */
export async function newestMeasure(
  reach: InternalCaller,
  tree: TreeId,
  path: readonly Node[],
): Promise<Measure | null> {
  const indexes = new Map<string, number>();
  // The counts of a summary, and of what it keeps, are those of the path before it.
  const since = path.findLast(({ role }) => role === 'summary')?.seq ?? 0;
  for (const [index, { id, role, seq }] of path.entries()) {
    if (role === 'assistant' && seq > since) indexes.set(id, index);
  }
  if (indexes.size === 0) return null;
  for await (const { node, outcome, usage, estimate } of newestRequests(reach, tree)) {
    const index = node === null ? undefined : indexes.get(node);
    if (index === undefined || usage === null || estimate || outcome !== 'ok') continue;
    return { tokens: Object.values(usage).reduce((sum, count) => sum + count, 0), nodes: index + 1 };
  }
  return null;
}
