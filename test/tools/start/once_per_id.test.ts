import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { HubError } from '../../../hub/base/error.js';
import type { CallContext, Handler } from '../../../hub/base/plugin.js';
import { NodeId } from '../../../hub/protocol/node.js';
import { onceForEachId } from '../../../tools/start/once_per_id.js';
import { withHub } from '../../support/hub.js';
import { ran, text } from '../../support/trees.js';

type Fetch = Handler<'http.fetch'>;
type Answer = Awaited<ReturnType<Fetch>>;

/** Serves `http.fetch` by a function, once for each id, and calls it. */
async function withFetch(
  fetch: Fetch,
  use: (fetch: (id: NodeId, url: string, signal: AbortSignal) => Promise<Answer>) => Promise<void>,
) {
  await withHub(async ({ client }) => {
    const plugin = onceForEachId(client, { name: 'http', version: '1', methods: { 'http.fetch': fetch } });
    const policy = { kind: 'open' } as const;
    const rest = { place: null, append: true, call_id: null, timeout_ms: 1_000, bytes_max: 1_000, policy };
    await use((id, url, signal) => {
      const served = plugin.methods['http.fetch']?.({ ...rest, id, url }, contextOf(signal));
      return served ?? Promise.reject(new Error('it is served'));
    });
  });
}

function contextOf(signal: AbortSignal): CallContext {
  return {
    ...{ signal, caller: { kind: 'internal' }, emit: () => undefined },
    ...{ hasRoom: () => true, drained: () => Promise.resolve() },
  };
}

const answer = { blocks: text('found'), external: ran('fetch'), node: null, branched: false };
const never = new AbortController().signal;
const newId = (): NodeId => NodeId.parse(randomUUID());

test('a repeated call waits for the first, while that runs', async () => {
  let runs = 0;
  await withFetch(
    async () => {
      runs += 1;
      return answer;
    },
    async (fetch) => {
      const id = newId();
      const both = await Promise.all([fetch(id, 'http://a.test/', never), fetch(id, 'http://a.test/', never)]);
      expect([both, runs]).toEqual([[answer, answer], 1]);
    },
  );
});

test('a different call under the id of a running one is refused, not answered with its result', async () => {
  await withFetch(
    async () => answer,
    async (fetch) => {
      const id = newId();
      const first = fetch(id, 'http://a.test/', never);
      await expect(fetch(id, 'http://b.test/', never)).rejects.toMatchObject({ kind: 'conflict' });
      expect(await first).toEqual(answer);
    },
  );
});

test('a call that is repeated while the first is being cancelled runs again', async () => {
  const lost = new AbortController();
  let runs = 0;
  const serve: Fetch = async (_, { signal }) => {
    runs += 1;
    if (signal !== lost.signal) return answer;
    lost.abort();
    throw new HubError('cancelled', 'its caller has gone');
  };
  await withFetch(serve, async (fetch) => {
    const id = newId();
    const first = fetch(id, 'http://a.test/', lost.signal);
    const again = fetch(id, 'http://a.test/', never);
    await expect(first).rejects.toMatchObject({ kind: 'cancelled' });
    expect([await again, runs]).toEqual([answer, 2]);
  });
});
