import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { newTree, remote, say, stateOf, sync, withHubs } from './shared_trees.js';

const TEXTS = ['两 🙂 é', ',"bodies":[', '"', '\\', '\u0001\n', 'é'.repeat(40_000), '🙂'.repeat(300_000), 'end'];

describe.skipIf(POSTGRES_BIN === null)('what is sent of a conversation', { timeout: 120_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test('is cut by bytes, whatever characters it has and however long it is', async () => {
    await withHubs([server.socket, server.socket], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna, 'é","bodies":[');
      for (const text of TEXTS) {
        const node = await say(anna, { tree }, text);
        await anna.client.call('loom.mark_set', { tree, name: `mark-${TEXTS.indexOf(text)}` as never, node });
      }
      await anna.client.call('sharing.share', { remote, tree });
      expect((await sync(ben, tree)).trees).toMatchObject([{ problem: null, received: TEXTS.length + 1 }]);
      expect(await stateOf(ben, tree)).toEqual(await stateOf(anna, tree));
    });
  });
});
