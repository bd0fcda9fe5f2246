import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Handlers, RawJson } from '../../../hub/base/plugin.js';
import type { Client } from '../../../hub/client/client.js';
import type { WatchEvent } from '../../../hub/protocol/feed_events.js';
import { FRAME_BYTES_MAX } from '../../../hub/protocol/limits.js';
import { NodeId, type Tree } from '../../../hub/protocol/node.js';
import { UNREAD_BYTES_MAX } from '../../../hub/server/send_buffer.js';
import { connectTo, hubEnded, withHub } from '../../support/hub.js';
import { withServer } from '../serving.js';

function add(client: Client, tree: Tree, text: string) {
  const parent = NodeId.parse(tree.id);
  return client.call('loom.node_create_text', {
    tree: tree.id,
    parent,
    role: 'user',
    blocks: [{ type: 'text', text }],
  });
}

/** Follows the feed and lets a test wait for what it needs to see. */
function follow(client: Client, since: number | null) {
  const seen: WatchEvent[] = [];
  const end = new AbortController();
  let check: () => void = () => undefined;
  const done = client.watch({
    since,
    signal: end.signal,
    onEvent(event) {
      seen.push(event);
      check();
    },
  });
  return {
    seen,
    until: (isEnough: (seen: readonly WatchEvent[]) => boolean) =>
      new Promise<void>((resolve) => {
        check = () => isEnough(seen) && resolve();
        check();
      }),
    async end() {
      end.abort();
      await done;
    },
  };
}

const liveCount = (seen: readonly WatchEvent[]) => seen.filter((event) => event.kind === 'watch_live').length;

describe('a call', () => {
  test('under way when the hub dies is sent again to the next hub, and nothing is doubled', async () => {
    await withHub(async ({ client, kill }) => {
      const tree = await client.call('loom.tree_create', {});
      const writes = Array.from({ length: 40 }, (_, count) => add(client, tree, `note ${count}`));
      await kill();
      const nodes = await Promise.all(writes);
      const { node_count } = await client.call('loom.tree_get', { tree: tree.id });
      expect(new Set(nodes.map(({ node }) => node.id)).size).toBe(40);
      expect(node_count).toBe(41);
    });
  });

  test('after the hub has ended starts another', async () => {
    await withHub(async ({ home, client, pid }) => {
      const before = await pid();
      const ended = hubEnded(home);
      await client.call('health.stop', {});
      await ended;
      expect((await client.call('health.check', {})).pid).not.toBe(before);
    });
  });

  test('nested too deeply, which the hub could not answer by its id, is refused before it is sent', async () => {
    await withHub(async ({ client }) => {
      let input: unknown = 1;
      for (let level = 0; level < 101; level += 1) input = [input];
      const call = { tool: 'bash', input, id: null };
      const external = {
        ...{ call, handle: { source: 'a', source_version: '1', identifier: 'a', metadata: {} }, output: null },
        ...{ exit_code: null, signal: null, duration_ms: null, cwd: null },
      };
      const { id: tree } = await client.call('loom.tree_create', {});
      const parent = NodeId.parse(tree);
      await expect(
        client.call('loom.node_create_external', { tree, parent, blocks: [], external }),
      ).rejects.toMatchObject({ kind: 'invalid_request', message: expect.stringContaining('100 levels deep') });
    });
  });

  test('too large for one frame is refused before it is sent', async () => {
    await withHub(async ({ client }) => {
      const query = 'x'.repeat(FRAME_BYTES_MAX);
      await expect(client.call('loom.search', { query })).rejects.toMatchObject({
        kind: 'limit',
        message: expect.stringMatching(/^the message is too large: 335\d+ bytes; one may have 33554432$/),
      });
      expect((await client.call('health.check', {})).connections).toBe(1);
    });
  });

  test('can be cancelled, before it is sent and after', async () => {
    await withHub(async ({ client }) => {
      const before = client.call('health.check', {}, { signal: AbortSignal.abort() });
      await expect(before).rejects.toMatchObject({ kind: 'cancelled' });
      const abort = new AbortController();
      const after = client.call('loom.fsck', {}, { signal: abort.signal });
      abort.abort();
      await expect(after).rejects.toMatchObject({ kind: 'cancelled', message: 'loom.fsck was cancelled' });
    });
  });

  test('on a closed client is refused', async () => {
    await withHub(async ({ connect }) => {
      const client = await connect();
      await client.close();
      await expect(client.call('health.check', {})).rejects.toMatchObject({ message: 'this client has been closed' });
    });
  });

  test('that breaks the connection every time fails in the end', async () => {
    const flood = new RawJson(JSON.stringify('x'.repeat(UNREAD_BYTES_MAX + 1)));
    const loom: Handlers = {
      'loom.watch': async (_params, { emit }) => {
        emit(flood);
        return { seq: 0 };
      },
    };
    await withServer(loom, async ({ socket }) => {
      const client = await connectTo(dirname(socket), { start: false });
      await expect(client.stream('loom.watch', {}, { onEvent: () => undefined })).rejects.toMatchObject({
        kind: 'unreachable',
        message: 'the hub went away 4 times before it answered loom.watch',
      });
      await client.close();
    });
  });
});

describe('pages', () => {
  test('reads a list to its end', async () => {
    await withHub(async ({ client }) => {
      const tree = await client.call('loom.tree_create', {});
      for (const text of ['one', 'two', 'three', 'four', 'five']) await add(client, tree, text);
      const texts: string[] = [];
      for await (const node of client.pages('loom.tree_get_skeleton', { tree: tree.id, limit: 2 }, 'nodes')) {
        texts.push(node.preview);
      }
      expect(texts.slice(1)).toEqual(['one', 'two', 'three', 'four', 'five']);
    });
  });
});

describe('a watch', () => {
  test('goes on after the hub was killed, with nothing missing and nothing twice', async () => {
    await withHub(async ({ client, connect, kill }) => {
      const other = await connect();
      const tree = await client.call('loom.tree_create', {});
      const feed = follow(client, 0);
      await feed.until((seen) => liveCount(seen) === 1);
      await add(other, tree, 'before');
      await kill();
      await add(other, tree, 'after');
      await feed.until(
        (seen) => liveCount(seen) === 2 && seen.filter(({ kind }) => kind === 'node_created').length >= 3,
      );
      await feed.end();
      const nodes = feed.seen.filter(({ kind }) => kind === 'node_created').map(({ seq }) => seq);
      expect(nodes).toEqual([...new Set(nodes)].toSorted((a, b) => a - b));
      expect(nodes).toHaveLength(3);
    });
  });

  test('does not restart a hub that was ended, and continues when another client does', async () => {
    await withHub(async ({ home, client, connect }) => {
      const tree = await client.call('loom.tree_create', {});
      const feed = follow(client, null);
      await feed.until((seen) => liveCount(seen) === 1);
      const other = await connect();
      const ended = hubEnded(home);
      await other.call('health.stop', {});
      await ended;
      await expect(connect({ start: false })).rejects.toMatchObject({ kind: 'unreachable' });
      await add(other, tree, 'later');
      await feed.until((seen) => seen.some((event) => event.kind === 'node_created'));
      await feed.end();
      expect(feed.seen.filter((event) => event.kind === 'node_created')).toHaveLength(1);
    });
  });

  test('of another database is told to start over', async () => {
    await withHub(async ({ client }) => {
      const seen: WatchEvent[] = [];
      const end = new AbortController();
      await client.watch({
        since: 5,
        epoch: 'of another database',
        signal: end.signal,
        onEvent(event) {
          seen.push(event);
          if (event.kind === 'watch_live') end.abort();
        },
      });
      expect(seen.map(({ kind }) => kind)).toEqual(['watch_reset', 'watch_live']);
    });
  });

  test('can be ended while no hub runs', async () => {
    await withHub(async ({ home, client, connect }) => {
      const feed = follow(client, null);
      await feed.until((seen) => liveCount(seen) === 1);
      const other = await connect();
      const ended = hubEnded(home);
      await other.call('health.stop', {});
      await ended;
      await feed.end();
    });
  });
});
