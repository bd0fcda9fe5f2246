import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MarkName, NodeId, TreeName } from '../../../hub/protocol/node.js';
import type { TestHub } from '../../support/hub.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { newTree, remote, say, stateOf, sync, withHubs } from './shared_trees.js';

describe.skipIf(POSTGRES_BIN === null)('two hubs over a PostgreSQL', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test('have the same tree, whoever writes, with marks, names and what is archived', async () => {
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      expect(await anna.client.call('sharing.remote_init', { remote })).toMatchObject({ made: true });
      expect(await ben.client.call('sharing.remote_init', { remote })).toMatchObject({ made: false });
      const tree = await newTree(anna, 'trip');
      const question = await say(anna, { tree }, 'Where shall we go?');
      await anna.client.call('loom.mark_set', { tree, name: 'question' as never, node: question });
      expect(await anna.client.call('sharing.share', { remote, tree })).toEqual({ trees: 1, sent: 4, files: [] });
      expect((await sync(ben, tree)).trees).toMatchObject([{ tree, received: 2, problem: null }]);
      expect(await stateOf(ben, tree)).toEqual(await stateOf(anna, tree));

      const answer = await say(ben, { tree, node: question }, 'To the sea.');
      await say(anna, { tree, node: question }, 'To the mountains.');
      await ben.client.call('loom.mark_set', { tree, name: 'question' as never, node: null });
      await ben.client.call('loom.tree_update', { tree, name: 'our trip' as never });
      await anna.client.call('loom.branch_archive', { tree, node: NodeId.parse(question) });
      await anna.client.call('loom.branch_restore', { tree, node: NodeId.parse(question) });
      for (const hub of [anna, ben, anna]) expect((await sync(hub)).trees).toMatchObject([{ problem: null }]);
      expect(await stateOf(anna, tree)).toEqual(await stateOf(ben, tree));
      expect(await stateOf(anna, tree)).toMatchObject({ name: 'our trip', pointers: [] });
      expect((await anna.client.call('loom.node_get', { node: answer })).node).toMatchObject({ parent: question });
      for (const hub of [anna, ben]) expect((await hub.client.call('loom.fsck', {})).problems).toEqual([]);
      expect((await sync(anna)).trees).toMatchObject([{ sent: 0, received: 0 }]);
    });
  });

  test('take the later decision about a mark or a name, whoever sends first', async () => {
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      const first = await say(anna, { tree }, 'one');
      const [second, third] = [await say(anna, { tree }, 'two'), await say(anna, { tree }, 'three')];
      await anna.client.call('sharing.share', { remote, tree });
      await sync(ben, tree);
      const decide = async (hub: TestHub, node: NodeId, name: string): Promise<void> => {
        await hub.client.call('loom.mark_set', { tree, name: MarkName.parse('best'), node });
        await hub.client.call('loom.tree_update', { tree, name: TreeName.parse(name) });
      };
      await decide(ben, first, 'earlier');
      await decide(anna, second, 'later');
      // The earlier one is at the remote, and comes to whoever has decided later.
      for (const hub of [ben, anna, ben]) await sync(hub);
      for (const hub of [anna, ben]) {
        expect(await stateOf(hub, tree)).toMatchObject({ name: 'later', pointers: [`mark best ${second}`] });
      }
      // It is the other way round when the later one is there first.
      await decide(anna, first, 'before');
      await decide(ben, third, 'at last');
      for (const hub of [ben, anna, ben]) await sync(hub);
      for (const hub of [anna, ben]) {
        expect(await stateOf(hub, tree)).toMatchObject({ name: 'at last', pointers: [`mark best ${third}`] });
      }
    });
  });

  test('take files of what a conversation owns along where its own go, from when that is said', async () => {
    await withHubs([server.socket], async (anna) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      const own = async (): Promise<string> => {
        const owner = { tree, node: NodeId.parse(tree) };
        return (await anna.client.call('loom.tree_create', { owner })).id;
      };
      const goAlong = async (): Promise<Map<string, string | null>> => {
        const { shares } = await anna.client.call('sharing.list', {});
        return new Map(shares.map((share) => [share.tree.id, share.files?.project ?? null]));
      };
      const first = await own();
      await anna.client.call('sharing.share', { remote, tree });
      expect(await goAlong()).toEqual(
        new Map([
          [tree, null],
          [first, null],
        ]),
      );
      await anna.client.call('sharing.share', { remote, tree, files: '/project' });
      const second = await own();
      await sync(anna);
      expect(await goAlong()).toEqual(new Map([tree, first, second].map((id) => [id, '/project'])));
      await anna.client.call('sharing.unshare', { remote, tree });
      await anna.client.call('sharing.share', { remote, tree });
      expect([...(await goAlong()).values()]).toEqual([null, null, null]);
    });
  });
});
