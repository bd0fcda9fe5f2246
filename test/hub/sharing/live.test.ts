import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MarkName, TreeName } from '../../../hub/protocol/node.js';
import { asOwner, until } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { startDeafPooler } from './deaf_pooler.js';
import { hearFeed, hearLive, problemsOf, saysText } from './live_hubs.js';
import { newTree, remote, say, stateOf, sync, withHubs, withLiveHubs } from './shared_trees.js';

describe.skipIf(POSTGRES_BIN === null)('hubs that stay connected', { timeout: 120_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test('send what is appended and take what others announce, with marks, names and whose it is', async () => {
    await withLiveHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna, 'trip');
      const question = await say(anna, { tree }, 'Where to?');
      await anna.client.call('sharing.share', { remote, tree });
      expect((await sync(ben, tree)).trees).toMatchObject([{ problem: null }]);
      const [toAnna, toBen] = [hearFeed(anna), hearFeed(ben)];
      const answer = await say(ben, { tree, node: question }, 'To the sea.');
      const seen = await toAnna.first(saysText('To the sea.'));
      expect(seen).toMatchObject({ node: { id: answer, by: expect.stringContaining(' · ') } });
      await say(anna, { tree, node: answer }, 'Good.');
      await toBen.first(saysText('Good.'));
      await anna.client.call('loom.mark_set', { tree, name: MarkName.parse('plan'), node: answer });
      await toBen.first(({ kind }) => kind === 'mark_set');
      await ben.client.call('loom.tree_update', { tree, name: TreeName.parse('our trip') });
      await toAnna.first(({ kind }) => kind === 'tree_renamed');
      expect(await stateOf(anna, tree)).toEqual(await stateOf(ben, tree));
      // Each is told of what the other has made, and of nothing of its own.
      const whose = async (hub: typeof anna) => {
        const { nodes } = await hub.client.call('loom.tree_get_skeleton', { tree });
        return nodes.map(({ by }) => by !== undefined);
      };
      expect(await whose(anna)).toEqual([false, false, true, false]);
      expect(await whose(ben)).toEqual([true, true, false, true]);
      for (const hub of [anna, ben]) expect(await problemsOf(hub)).toEqual([]);
    });
  });

  test('share a sub-session as soon as there is one', async () => {
    await withLiveHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      const node = await say(anna, { tree }, 'go and look');
      await anna.client.call('sharing.share', { remote, tree });
      await sync(ben, tree);
      const toBen = hearFeed(ben);
      const child = await anna.client.call('loom.tree_create', { owner: { tree, node } });
      await say(anna, { tree: child.id }, 'looking');
      await toBen.first(saysText('looking'));
      expect((await ben.client.call('loom.tree_get', { tree: child.id })).owner).toEqual({ tree, node });
    });
  });

  test('go on by themselves after the database was killed, and tell meanwhile what is not sent', async () => {
    const own = await startServer();
    try {
      await withLiveHubs([own.socket, own.socket], async (anna, ben) => {
        await anna.client.call('sharing.remote_init', { remote });
        const tree = await newTree(anna);
        await anna.client.call('sharing.share', { remote, tree });
        await sync(ben, tree);
        const [told, toBen, toAnna] = [hearLive(anna), hearFeed(ben), hearFeed(anna)];
        await say(anna, { tree }, 'before');
        await toBen.first(saysText('before'));
        await own.kill();
        await told.first((event) => event.kind === 'remote_state' && event.away);
        await say(anna, { tree }, 'one');
        await say(anna, { tree }, 'two');
        await say(ben, { tree }, 'three');
        await told.first((event) => event.kind === 'remote_state' && event.away && event.to_send === 2);
        await own.restart();
        await toBen.first(saysText('two'));
        await toAnna.first(saysText('three'));
        expect(await stateOf(anna, tree)).toEqual(await stateOf(ben, tree));
        for (const hub of [anna, ben]) expect(await problemsOf(hub)).toEqual([]);
      });
    } finally {
      await own.stop();
    }
  });

  test('stop one tree where an entry does not prove, tell of it once, and go on with the others', async () => {
    await withLiveHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const [bad, good] = [await newTree(anna), await newTree(anna)];
      for (const tree of [bad, good]) {
        await anna.client.call('sharing.share', { remote, tree });
        await sync(ben, tree);
      }
      const [told, toBen] = [hearLive(ben), hearFeed(ben)];
      await asOwner(
        server,
        `INSERT INTO cognition.entries SELECT id, last + 1, 'forged', hub, '{}' FROM cognition.trees WHERE id = '${bad}';
         UPDATE cognition.trees SET last = last + 1 WHERE id = '${bad}'; SELECT pg_notify('cognition', '${bad}')`,
      );
      const stopped = await told.first(({ kind }) => kind === 'tree_stopped');
      expect(stopped).toMatchObject({ tree: bad, problem: expect.stringContaining('is of no known form') });
      await say(anna, { tree: bad }, 'not to be had');
      await say(anna, { tree: good }, 'still here');
      await toBen.first(saysText('still here'));
      expect(told.all.filter(({ kind }) => kind === 'tree_stopped')).toHaveLength(1);
      // Who comes later is told as well.
      expect(await hearLive(ben, bad).first(({ kind }) => kind === 'tree_stopped')).toEqual(stopped);
      // One can go on in it, and that is sent.
      const node = await say(ben, { tree: bad }, 'from ben');
      const sent = `SELECT 1 FROM cognition.entries WHERE tree = '${bad}' AND id = 'node ${node}'`;
      await until(async () => (await asOwner(server, sent)).length === 1);
    });
  });

  test('ask by themselves where the server does not tell: what was appended comes all the same', async () => {
    const pooler = await startDeafPooler(server);
    try {
      await withLiveHubs([server.socket, pooler.address], async (anna, ben) => {
        await anna.client.call('sharing.remote_init', { remote });
        const tree = await newTree(anna);
        await anna.client.call('sharing.share', { remote, tree });
        await sync(ben, tree);
        const [toBen, toAnna] = [hearFeed(ben), hearFeed(anna)];
        await say(anna, { tree }, 'by asking');
        await toBen.first(saysText('by asking'));
        await say(ben, { tree }, 'at once');
        await toAnna.first(saysText('at once'));
      });
    } finally {
      pooler.stop();
    }
  });

  test('stay away from a remote when the person says so, and a manual sync does it all', async () => {
    const [[begun = ''] = []] = await asOwner(server, 'SELECT now()');
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      await anna.client.call('sharing.share', { remote, tree });
      await sync(ben, tree);
      await say(anna, { tree }, 'later');
      const sessions = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cognition' AND backend_start > '${begun}'`;
      expect(await asOwner(server, sessions)).toEqual([['0']]);
      expect((await sync(anna)).trees).toMatchObject([{ sent: 1 }]);
      expect((await sync(ben)).trees).toMatchObject([{ received: 1 }]);
    });
  });
});
