import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DECIDED_AT_MS_MAX } from '../../../hub/protocol/limits.js';
import { type TreeId, TreeName } from '../../../hub/protocol/node.js';
import { OWNED_MAX } from '../../../hub/sharing/owned_trees.js';
import type { TestHub } from '../../support/hub.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { newTree, remote, say, sync, withHubs } from './shared_trees.js';

describe.skipIf(POSTGRES_BIN === null)('a login that may write', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await asOwner(
      server,
      `CREATE ROLE cognition_reader NOLOGIN; CREATE ROLE cognition_writer NOLOGIN;
       CREATE ROLE ben LOGIN PASSWORD 'ben'; CREATE ROLE mallory LOGIN PASSWORD 'mallory';
       GRANT cognition_writer TO ben, mallory`,
    );
  });
  afterAll(() => server.stop());

  /** What PostgreSQL answers to a statement of Mallory's: its first value, or the code of its refusal. */
  async function asMallory(sql: string): Promise<string | null> {
    const client = new pg.Client({ connectionString: server.loopback('mallory', 'mallory') });
    await client.connect();
    const answer = await client.query<unknown[]>({ text: sql, rowMode: 'array' }).then(
      ({ rows }) => String(rows[0]?.[0]),
      (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : String(error)),
    );
    await client.end();
    return answer;
  }

  /** A tree that Anna, the owner, and Ben share; `hub` is Ben's. */
  async function withShared(use: (parts: { anna: TestHub; ben: TestHub; tree: TreeId; hub: string }) => Promise<void>) {
    await withHubs([server.socket, server.loopback('ben', 'ben')], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna, 'trip');
      await anna.client.call('sharing.share', { remote, tree });
      await sync(ben, tree);
      await say(ben, { tree }, 'from Ben');
      await sync(ben);
      const [[hub = ''] = []] = await asOwner(server, `SELECT id FROM cognition.hubs WHERE login = 'ben'`);
      await use({ anna, ben, tree, hub });
      await asOwner(server, `DELETE FROM cognition.hubs`);
    });
  }

  const publish = (tree: string, hub: string, entry: { id: string; body: string }): string =>
    `SELECT last - first FROM cognition.publish('${tree}', NULL, '${hub}', 1, NULL, '', ARRAY['${entry.id}'], ARRAY['${entry.body}'])`;

  test('writes only by the functions for it, and not in the name of another hub', async () => {
    await withShared(async ({ anna, tree, hub }) => {
      const entry = { id: 'node x', body: '{"records":[]}' };
      for (const sql of [
        `UPDATE cognition.trees SET last = 9000000000000000000, purged_at = now()`,
        `INSERT INTO cognition.trees (id, hub) VALUES (gen_random_uuid(), '${hub}')`,
        `INSERT INTO cognition.entries VALUES ('${tree}', 1000000, 'x', '${hub}', '')`,
        `INSERT INTO cognition.hubs (id, person, machine, program) VALUES (gen_random_uuid(), '', '', '')`,
        `UPDATE cognition.hubs SET person = 'somebody'`,
        `DELETE FROM cognition.entries`,
        publish(tree, hub, entry),
      ]) {
        expect(await asMallory(sql), sql).toBe('42501');
      }
      expect(await asMallory(`SELECT cognition.greet('${hub}', 'ben', 'laptop', '1')`)).toBe('false');
      expect(await asOwner(server, `SELECT DISTINCT login FROM cognition.hubs ORDER BY 1`)).toEqual([
        ['ben'],
        ['owner'],
      ]);
      expect((await sync(anna)).trees).toMatchObject([{ received: 1, problem: null }]);
    });
  });

  test('decides for its own hub alone, and not for later', async () => {
    await withShared(async ({ anna, ben, tree, hub }) => {
      const own = randomUUID();
      expect(await asMallory(`SELECT cognition.greet('${own}', 'mallory', 'laptop', '1')`)).toBe('true');
      const named = (of: string, atMs: number) => ({ register: { of: 'name', value: 'mine', at_ms: atMs, hub: of } });
      const other = { id: 'register name', body: JSON.stringify(named(hub, 1)) };
      expect(await asMallory(publish(tree, own, other))).toBe('22023');
      const spelled = JSON.stringify(named(hub, 1)).replace('register', '\\u0072egister');
      for (const id of ['node x', 'register name']) {
        expect(await asMallory(publish(tree, own, { id, body: spelled }))).toBe('22023');
      }
      const hour = Date.now() + 3_600_000;
      for (const atMs of [hour, DECIDED_AT_MS_MAX, 1e300]) {
        const late = { id: `register name ${atMs}`, body: JSON.stringify(named(own, atMs)) };
        expect(await asMallory(publish(tree, own, late))).toBe('0');
      }
      for (const one of [anna, ben]) expect((await sync(one)).trees).toMatchObject([{ problem: null }]);
      const gaps = `SELECT count(*) = max(n) AND max(n) = (SELECT last FROM cognition.trees WHERE id = '${tree}')
        FROM cognition.entries WHERE tree = '${tree}'`;
      expect(await asOwner(server, gaps)).toEqual([['t']]);
      // Twice is once.
      const now = { id: 'register name now', body: JSON.stringify(named(own, 1)) };
      expect(await asMallory(publish(tree, own, now))).toBe('1');
      expect(await asMallory(publish(tree, own, now))).toBe('0');
    });
  });

  test('is told when its home is known as that of another login, and sends nothing', async () => {
    await withShared(async ({ ben, tree, hub }) => {
      await asOwner(server, `UPDATE cognition.hubs SET login = 'mallory' WHERE id = '${hub}'`);
      await say(ben, { tree }, 'more');
      await expect(sync(ben)).rejects.toMatchObject({
        message: 'this home is known at team as one of another login',
        hint: `its owner can give it to you: UPDATE cognition.hubs SET login = '<your login>' WHERE id = '${hub}'`,
      });
    });
  });

  test('is told when what it has decided is later than now by the clock of the remote, and all else is sent', async () => {
    await withShared(async ({ anna, ben, tree }) => {
      const [[hub = ''] = []] = await asOwner(
        server,
        `SELECT hub FROM cognition.entries WHERE tree = '${tree}' AND n = 1`,
      );
      // The owner of the remote can still do it, and a clock that is wrong.
      const name = JSON.stringify({ register: { of: 'name', value: 'for ever', at_ms: DECIDED_AT_MS_MAX, hub } });
      await asOwner(
        server,
        `UPDATE cognition.trees SET last = last + 1 WHERE id = '${tree}';
         INSERT INTO cognition.entries SELECT id, last, 'register name ${DECIDED_AT_MS_MAX} ${hub} "for ever"', '${hub}', '${name}' FROM cognition.trees WHERE id = '${tree}'`,
      );
      expect((await sync(ben)).trees).toMatchObject([{ problem: null }]);
      await ben.client.call('loom.tree_update', { tree, name: TreeName.parse('for now') });
      await say(ben, { tree }, 'and this');
      for (let time = 0; time < 2; time++) {
        const [synced] = (await sync(ben)).trees;
        expect(synced?.problem).toBe(
          'a name, mark or archive state is later than now by the clock of team; all else was sent',
        );
      }
      expect((await sync(anna)).trees).toMatchObject([{ received: 2, problem: null }]);
    });
  });

  test('hangs no unlimited number of trees below a shared one, and none that says it belongs elsewhere', async () => {
    await withShared(async ({ anna, ben, tree, hub }) => {
      const strange = await newTree(ben, 'strange');
      await ben.client.call('sharing.share', { remote, tree: strange });
      await asOwner(
        server,
        `UPDATE cognition.trees SET owner = '${tree}' WHERE id = '${strange}';
         INSERT INTO cognition.trees (id, owner, hub)
         SELECT gen_random_uuid(), '${tree}', '${hub}' FROM generate_series(1, ${OWNED_MAX})`,
      );
      const { trees } = await sync(anna);
      expect(trees).toHaveLength(1 + OWNED_MAX);
      expect(trees[0]?.problem).toBe(`it has more than ${OWNED_MAX} sub-sessions at team: the others are not fetched`);
      await asOwner(server, `DELETE FROM cognition.trees WHERE owner = '${tree}' AND id <> '${strange}'`);
      const again = (await sync(anna)).trees.find((one) => one.tree === strange);
      expect(again?.problem).toContain(`tree ${strange} does not belong to ${tree}`);
      expect((await anna.client.call('loom.tree_find', { ref: strange })).matches).toEqual([]);
    });
  });
});
