import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TreeId } from '../../../hub/protocol/node.js';
import type { TestHub } from '../../support/hub.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { newTree, remote, say, stateOf, sync, withHubs } from './shared_trees.js';

interface Row {
  n: string;
  id: string;
  body: string;
}

describe.skipIf(POSTGRES_BIN === null)('what does not prove', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  /** A tree of three nodes that Anna has shared, and a hub that has not fetched it. */
  async function withShared(use: (parts: { anna: TestHub; ben: TestHub; tree: TreeId; rows: Row[] }) => Promise<void>) {
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      const first = await say(anna, { tree }, 'one');
      await say(anna, { tree, node: first }, 'two');
      await anna.client.call('sharing.share', { remote, tree });
      const found = await asOwner(
        server,
        `SELECT n, id, body FROM cognition.entries WHERE tree = '${tree}' ORDER BY n`,
      );
      const rows = found.map(([n = '', id = '', body = '']) => ({ n, id, body }));
      await use({ anna, ben, tree, rows });
    });
  }

  const put = (tree: TreeId, n: string, body: string) =>
    asOwner(server, `UPDATE cognition.entries SET body = $b$${body}$b$ WHERE tree = '${tree}' AND n = ${n}`);
  const add = (tree: TreeId, body: string) =>
    asOwner(
      server,
      `INSERT INTO cognition.entries SELECT id, last + 1, 'x${randomUUID()}', hub, $b$${body}$b$ FROM cognition.trees WHERE id = '${tree}';
       UPDATE cognition.trees SET last = last + 1 WHERE id = '${tree}'`,
    );

  const FORGERIES: readonly [name: string, change: (body: string) => string, why: RegExp][] = [
    ['another text under the same hash', (body) => body.replace('"two"', '"2wo"'), /does not match its hash/],
    ['half of it', (body) => body.slice(0, body.length / 2), /it is not JSON/],
    ['a field more', (body) => body.replace('{"records"', '{"more":1,"records"'), /of no known form/],
    ['nothing', () => '{}', /of no known form/],
    [
      'a node of another tree',
      (body) => body.replace(/"tree":"[0-9a-f-]+"/, `"tree":"${randomUUID()}"`),
      /is not of tree/,
    ],
    [
      'a parent that is not there',
      (body) => body.replace(/"parent":"[0-9a-f-]+"/, `"parent":"${randomUUID()}"`),
      /comes before its parent/,
    ],
    ['deep nesting', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /of no known form|not JSON/],
  ];

  test.each(FORGERIES)('is refused by its number: %s', async (_, change, why) => {
    await withShared(async ({ anna, ben, tree, rows }) => {
      const last = rows.find(({ body }) => body.includes('"two"'));
      await put(tree, last?.n ?? '', change(last?.body ?? ''));
      const [synced] = (await sync(ben, tree)).trees;
      expect(synced?.problem).toMatch(why);
      expect(synced?.problem).toContain(`entry ${last?.n} of ${tree.slice(0, 8)} at team`);
      // All before it is there, and can be gone on with.
      expect(JSON.stringify(await stateOf(ben, tree))).toContain(tree);
      await say(ben, { tree }, 'three');
      expect((await ben.client.call('loom.fsck', {})).problems).toEqual([]);
      // Whoever has what it was is not disturbed.
      expect((await sync(anna)).trees[0]?.problem ?? null).toBeNull();
    });
  });

  test('is refused also when it comes later: a register of a node that is not there, one from the end of days', async () => {
    await withShared(async ({ ben, tree }) => {
      expect((await sync(ben, tree)).trees).toMatchObject([{ problem: null }]);
      const [[hub = ''] = []] = await asOwner(server, `SELECT hub FROM cognition.trees WHERE id = '${tree}'`);
      const mark = { of: 'mark', name: 'm', value: randomUUID(), at_ms: 1, hub };
      await add(tree, JSON.stringify({ register: mark }));
      expect((await sync(ben)).trees[0]?.problem).toMatch(/is refused/);
      await asOwner(server, `DELETE FROM cognition.entries WHERE tree = '${tree}' AND body LIKE '%"mark"%'`);
      await add(tree, JSON.stringify({ register: { of: 'name', value: 'mine', at_ms: 9e15, hub: randomUUID() } }));
      expect((await sync(ben)).trees[0]?.problem).toMatch(/of no known form/);
      await asOwner(server, `DELETE FROM cognition.entries WHERE tree = '${tree}' AND body LIKE '%"mine"%'`);
      expect((await sync(ben)).trees[0]?.problem).toBeNull();
    });
  });

  test('is that a conversation which nobody has shared belongs to a shared one: it is not sent', async () => {
    await withShared(async ({ anna, tree }) => {
      const secret = await newTree(anna, 'mine alone');
      await say(anna, { tree: secret }, 'canary');
      const hub = randomUUID();
      await asOwner(server, `INSERT INTO cognition.trees (id, owner, hub) VALUES ('${secret}', '${tree}', '${hub}')`);
      const name = { of: 'name', value: 'taken', at_ms: 1, hub };
      await add(secret, JSON.stringify({ register: name }));
      const synced = (await sync(anna)).trees.find((one) => one.tree === secret);
      expect(synced?.problem).toContain('is here and not shared over team');
      const sent = await asOwner(server, `SELECT count(*) FROM cognition.entries WHERE tree = '${secret}'`);
      expect(sent).toEqual([['1']]);
      expect(await stateOf(anna, secret)).toMatchObject({ name: 'mine alone' });
    });
  });

  test('is a decision in the name of another hub', async () => {
    await withShared(async ({ ben, tree }) => {
      await sync(ben, tree);
      await add(tree, JSON.stringify({ register: { of: 'name', value: 'hers', at_ms: 5, hub: randomUUID() } }));
      expect((await sync(ben)).trees[0]?.problem).toMatch(/it decides in the name of another hub/);
    });
  });

  test('is an output that was changed at the remote, and the node comes when it is whole again', async () => {
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      const data = Buffer.alloc(600_000, 'x');
      const { output } = await anna.client.call('loom.blob_write', {
        ...{ upload: randomUUID(), offset: 0, data: data.toString('base64'), done: true },
      });
      const image = {
        type: 'image' as const,
        sha256: output?.sha256 as never,
        media_type: 'image/png' as const,
        width: 1,
        height: 1,
      };
      await anna.client.call('loom.node_create_text', {
        ...{ tree, parent: tree as never, role: 'user', blocks: [{ type: 'text', text: 'look' }, image] },
      });
      await anna.client.call('sharing.share', { remote, tree });
      const sha = `sha256 = '${output?.sha256}' AND piece = 1`;
      await asOwner(
        server,
        `CREATE TABLE kept AS SELECT * FROM cognition.outputs; UPDATE cognition.outputs SET bytes = '\\x00' WHERE ${sha}`,
      );
      expect((await sync(ben, tree)).trees[0]?.problem).toMatch(/output [0-9a-f]{12} is damaged at team/);
      await asOwner(
        server,
        `UPDATE cognition.outputs o SET bytes = k.bytes FROM kept k WHERE k.sha256 = o.sha256 AND k.piece = o.piece`,
      );
      expect((await sync(ben, tree)).trees[0]?.problem).toBeNull();
      const read = await ben.client.call('loom.blob_read', { sha256: output?.sha256 as never, offset: 599_999 });
      expect(read).toEqual({ data: 'eA==', size_bytes: 600_000 });
    });
  });
});
