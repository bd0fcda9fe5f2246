import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { stepParts } from '../../support/trees.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { newTree, remote, say, sync, withHubs } from './shared_trees.js';

describe.skipIf(POSTGRES_BIN === null)('fsck of a remote', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await asOwner(
      server,
      `CREATE ROLE cognition_reader NOLOGIN; CREATE ROLE cognition_writer NOLOGIN;
       CREATE ROLE eva LOGIN PASSWORD 'eva'; GRANT cognition_reader TO eva`,
    );
  });
  afterAll(() => server.stop());

  test('proves numbers, hashes, parents, steps and outputs, names what is damaged, and puts it back', async () => {
    await withHubs([server.socket, server.loopback('eva', 'eva')], async (anna, eva) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna, 'trip');
      const { output } = await anna.client.call('loom.blob_write', {
        ...{ upload: randomUUID(), offset: 0, data: Buffer.alloc(600_000, 'x').toString('base64'), done: true },
      });
      const sha256 = output?.sha256 as never;
      const image = { type: 'image' as const, sha256, media_type: 'image/png' as const, width: 1, height: 1 };
      await anna.client.call('loom.node_create_text', {
        ...{ tree, parent: tree as never, role: 'user', blocks: [{ type: 'text', text: 'look' }, image] },
      });
      const first = await say(anna, { tree }, 'one');
      await say(anna, { tree, node: first }, 'two');
      await anna.client.call('loom.step_create', { tree, parent: first, ...stepParts('calls', ['true', 'false']) });
      await anna.client.call('loom.mark_set', { tree, name: 'm' as never, node: first });
      await anna.client.call('sharing.share', { remote, tree });
      const whole = { trees: 1, entries: 7, nodes: 7, outputs: 1, problem_count: 0, problems: [], unproven: 0 };
      // Who may only read may check.
      for (const hub of [anna, eva])
        expect(await hub.client.call('sharing.remote_fsck', { remote })).toMatchObject(whole);

      await asOwner(
        server,
        `UPDATE cognition.entries SET body = replace(body, '"one"', '"0ne"');
         UPDATE cognition.entries SET body = replace(body, '"index":1', '"index":2') WHERE body LIKE '%"calls"%';
         UPDATE cognition.entries SET body = '{' WHERE body LIKE '%"two"%';
         UPDATE cognition.outputs SET bytes = '\\x00' WHERE piece = 1;
         UPDATE cognition.trees SET last = last + 2`,
      );
      const { problems } = await eva.client.call('sharing.remote_fsck', { remote });
      expect(problems).toEqual([
        { tree, entry: 3, problem: expect.stringContaining('does not match its hash') },
        { tree, entry: 4, problem: 'it is not JSON' },
        { tree, entry: 5, problem: expect.stringContaining('is not whole') },
        { tree, entry: 8, problem: 'it and all up to 9 are missing' },
        { tree: null, entry: null, problem: expect.stringMatching(/^the stored output [0-9a-f]{12} is damaged$/) },
      ]);
      await expect(eva.client.call('sharing.remote_fsck', { remote, repair: true })).resolves.toMatchObject({
        repaired: 0,
      });
      await asOwner(server, `UPDATE cognition.trees SET last = last - 2`);
      expect(await anna.client.call('sharing.remote_fsck', { remote, repair: true })).toMatchObject({ repaired: 3 });
      const { problems: left } = await eva.client.call('sharing.remote_fsck', { remote });
      expect(left).toMatchObject([{ problem: expect.stringContaining('the stored output') }]);
    });
  });

  test('finds an entry that is missing, one under a wrong id, one of a deleted conversation, and a node before its parent', async () => {
    await withHubs([server.socket], async (anna) => {
      await asOwner(server, 'DROP SCHEMA cognition CASCADE');
      await anna.client.call('sharing.remote_init', { remote });
      const trees = [await newTree(anna, 'a'), await newTree(anna, 'b'), await newTree(anna, 'c')].sort();
      const [gap = '', wrong = '', gone = ''] = trees;
      for (const tree of trees) {
        await say(anna, { tree, node: await say(anna, { tree }, 'one') }, 'two');
        await anna.client.call('sharing.share', { remote, tree });
      }
      await asOwner(
        server,
        `DELETE FROM cognition.entries WHERE tree = '${gap}' AND n = 2;
         UPDATE cognition.entries SET id = 'node ${randomUUID()}' WHERE tree = '${wrong}' AND n = 3;
         UPDATE cognition.trees SET purged_at = now() WHERE id = '${gone}'`,
      );
      const { problems } = await anna.client.call('sharing.remote_fsck', { remote });
      expect(problems).toEqual([
        { tree: gap, entry: 2, problem: 'it is missing' },
        { tree: gap, entry: 3, problem: expect.stringContaining('comes before its parent') },
        { tree: wrong, entry: 3, problem: 'it is another than its id says' },
        { tree: gone, entry: null, problem: 'it is deleted, and its entries are there' },
      ]);
      expect((await sync(anna)).trees).toHaveLength(3);
    });
  });

  test('is a command that ends with 1 when something is wrong', async () => {
    await asOwner(server, 'DROP SCHEMA cognition CASCADE');
    await withCli(async (cli) => {
      await cli.print('remote', 'add', 'team', server.socket);
      await cli.print('remote', 'init');
      await cli.print('new', 'trip');
      await cli.print('add', 'trip', 'Where?');
      await cli.print('share', 'trip');
      const well = 'team: 1 conversation, 3 entries, 2 nodes, 0 stored outputs: all is well\n';
      expect(await cli.print('fsck', '--remote', 'team')).toBe(well);
      await asOwner(server, `UPDATE cognition.entries SET body = replace(body, 'Where', 'There')`);
      const failed = await cli.run(['fsck', '--remote', 'team']);
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('fsck --repair --remote team') });
      expect(failed.stdout).toMatch(/^[0-9a-f]{8} entry 2: node .* does not match its hash\nteam: .*: 1 problem\n$/);
      expect((await cli.run(['fsck', '--remote', 'team', '--repair'])).code).toBe(0);
      expect(await cli.print('fsck', '--remote', 'team')).toBe(well);
      expect((await cli.run(['fsck', 'trip', '--remote', 'team'])).stderr).toContain('checks all of a remote');
    });
  });
});
