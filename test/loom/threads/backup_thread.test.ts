import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { WatchEvent } from '../../../hub/protocol/feed_events.js';
import { TreeId } from '../../../hub/protocol/node.js';
import { connectTo, killHub, withHub } from '../../support/hub.js';

test('a watcher of the original must begin again on a hub that runs on its backup', () =>
  withHub(async ({ home, client }) => {
    const tree = TreeId.parse(randomUUID());
    const { last_seq: since } = await client.call('loom.tree_create', { id: tree });
    const other = join(dirname(home), 'other');
    await mkdir(other, { mode: 0o700 });
    await client.call('loom.backup', { path: join(other, 'trees.db') });
    const restored = await connectTo(other);
    try {
      const stop = new AbortController();
      const events: WatchEvent[] = [];
      const onEvent = (event: WatchEvent) => {
        events.push(event);
        if (event.kind === 'watch_live') stop.abort();
      };
      await restored.watch({ since, epoch: client.hub.epoch, onEvent, signal: stop.signal });
      expect(events.map(({ kind }) => kind)).toEqual(['watch_reset', 'watch_live']);
      expect(await restored.call('loom.tree_get', { tree })).toMatchObject({ id: tree });
    } finally {
      await restored.close();
      await killHub(other);
    }
  }));

test('two concurrent backups to one file leave one whole copy', () =>
  withHub(async ({ home, client, connect }) => {
    const path = join(dirname(home), 'copy.db');
    const outcomes = await Promise.allSettled([
      client.call('loom.backup', { path }),
      (await connect()).call('loom.backup', { path }),
    ]);
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
    expect(readdirSync(dirname(home)).toSorted()).toEqual(['copy.db', 'home']);
  }));
