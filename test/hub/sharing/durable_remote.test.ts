import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeId, type TreeId } from '../../../hub/protocol/node.js';
import { runProgram, runWords } from '../../support/cli.js';
import type { TestHub } from '../../support/hub.js';
import { asOwner, refusalOf } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { openBadLine } from './bad_line.js';
import { newTree, remote, say, withHubs, withLiveHubs } from './shared_trees.js';

/** Runs a command of a hub's home, whatever it comes to. */
function run(hub: TestHub, words: readonly string[]) {
  const folder = dirname(hub.home);
  return runProgram(words, { folder, env: { COGNITION_HOME: hub.home, HOME: folder }, input: '' });
}

describe.skipIf(POSTGRES_BIN === null)('what is waited for until it is at the remote', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const countAt = async (node: NodeId): Promise<string | undefined> =>
    (await asOwner(server, `SELECT count(*) FROM cognition.entries WHERE body LIKE '%"id":"${node}"%'`))[0]?.[0];

  async function shared(hub: TestHub): Promise<TreeId> {
    await hub.client.call('sharing.remote_init', { remote });
    const tree = await newTree(hub, 'trip');
    await say(hub, { tree }, 'Where to?');
    await hub.client.call('sharing.share', { remote, tree });
    return tree;
  }

  const wait = (hub: TestHub, params: { tree: TreeId; node: NodeId; timeout_ms?: number }) =>
    hub.client.call('sharing.wait', { timeout_ms: 60_000, ...params });

  test.each([
    ['that stays connected', withLiveHubs],
    ['that sends when it is told to', withHubs],
  ])('is there when the wait ends, at a hub %s', async (_, withSome) => {
    await withSome([server.socket], async (anna) => {
      const tree = await shared(anna);
      for (const text of ['To the sea.', 'Or the hills.']) {
        const node = await say(anna, { tree }, text);
        expect(await wait(anna, { tree, node })).toEqual({ remotes: ['team'] });
        expect(await countAt(node)).toBe('1');
      }
    });
  });

  test('is on the disk of the database when it is told as there, also where that does not wait for its disk', async () => {
    await asOwner(server, 'ALTER DATABASE postgres SET synchronous_commit = off');
    await withLiveHubs([server.socket], async (anna) => {
      const tree = await shared(anna);
      await asOwner(
        server,
        `CREATE TABLE public.seen AS SELECT current_setting('synchronous_commit') AS commits WHERE false;
         CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
         CREATE TRIGGER see AFTER INSERT ON cognition.entries FOR EACH ROW EXECUTE FUNCTION public.see()`,
      );
      await wait(anna, { tree, node: await say(anna, { tree }, 'To the sea.') });
      const seen = await asOwner(
        server,
        'DROP TRIGGER see ON cognition.entries; SELECT DISTINCT commits FROM public.seen',
      );
      expect(seen).toEqual([['on']]);
    });
    await asOwner(server, 'ALTER DATABASE postgres RESET synchronous_commit');
  });

  test('is told as not there when the time is over, stays here, and is sent when the database is back', async () => {
    await withLiveHubs([server.socket], async (anna) => {
      const tree = await shared(anna);
      await server.kill();
      const printed = await run(anna, ['add', 'trip', 'To the sea.', '--durable', 'remote:1']);
      expect(printed).toMatchObject({ code: 5, stdout: expect.stringMatching(/^Added [0-9a-f]{8}/) });
      expect(printed.stderr).toMatch(/[0-9a-f]{8} is not known to be at team yet/);
      expect(printed.stderr).toMatch(/it is stored here, and sent when that can be reached/);
      const ending = new AbortController();
      const { leaves } = await anna.client.call('loom.context_list_leaves', { tree });
      const node = NodeId.parse(leaves[0]?.node.id);
      const given = anna.client.call('sharing.wait', { tree, node }, { signal: ending.signal });
      ending.abort();
      expect(await refusalOf(given)).toMatchObject({ kind: 'cancelled' });
      const waiting = wait(anna, { tree, node });
      await server.restart();
      expect(await waiting).toEqual({ remotes: ['team'] });
      expect(await countAt(node)).toBe('1');
    });
  });

  /** Appends some while the database is killed, and waits for each; returns all, and those that were told as there. */
  async function killedMeanwhile(anna: TestHub, tree: TreeId, early: number) {
    const [all, there]: [NodeId[], NodeId[]] = [[], []];
    const append = async (text: string): Promise<void> => {
      const node = await say(anna, { tree }, text);
      all.push(node);
      const told = wait(anna, { tree, node, timeout_ms: 3_000 });
      waits.push(told.then(() => void there.push(node)).catch(() => undefined)); // not there, then
    };
    const waits: Promise<void>[] = [];
    for (let at = 0; at < early; at += 1) await append(`early ${at}`);
    const some = Array.from({ length: 10 }, (_, at) => append(`${at} ${'x'.repeat(20_000)}`));
    await Promise.race(some);
    await server.kill();
    await Promise.all(some);
    await Promise.all(waits);
    return { all, there };
  }

  test('is never told as there when it is not, however the database is killed', async () => {
    await withLiveHubs([server.socket], async (anna) => {
      const tree = await shared(anna);
      const told: NodeId[] = [];
      for (let round = 0; round < 6; round += 1) {
        const { all, there } = await killedMeanwhile(anna, tree, round);
        told.push(...there);
        await server.restart();
        for (const node of told) expect(await countAt(node)).toBe('1');
        await wait(anna, { tree, node: await say(anna, { tree }, `last of ${round}`) });
        for (const node of all) expect(await countAt(node)).toBe('1');
      }
      expect(told.length).toBeGreaterThan(0);
    });
  });

  test('is there once when the answer of the database is lost', async () => {
    const line = await openBadLine({
      host: '127.0.0.1',
      port: Number(new URL(server.loopback('a', 'b')).port),
      delayMs: () => 0,
    });
    const address = new URL(server.loopback('boss', 'boss'));
    address.port = String(line.port);
    try {
      await asOwner(server, "CREATE ROLE boss LOGIN SUPERUSER PASSWORD 'boss'");
      await withHubs([address.href], async (anna) => {
        const tree = await shared(anna);
        for (let which = 1; which <= 12; which += 1) {
          const node = await say(anna, { tree }, `answer ${which}`);
          line.loseAnswer(which);
          expect(await wait(anna, { tree, node })).toEqual({ remotes: ['team'] });
          expect(await countAt(node)).toBe('1');
        }
      });
    } finally {
      line.close();
    }
  });

  test('is what add, exec and ask wait for, and nothing is added where nothing is shared', async () => {
    await withLiveHubs([server.socket], async (anna) => {
      const tree = await shared(anna);
      const added = await run(anna, ['add', 'trip', 'agreed', '--durable', 'remote', '--json']);
      expect(added).toMatchObject({ code: 0, stderr: 'It is at team.\n' });
      expect(await countAt(JSON.parse(added.stdout).id)).toBe('1');
      const printed = await run(anna, [
        'exec',
        'trip',
        'echo from the shell; exit 3',
        '--durable',
        'remote',
        '--there',
      ]);
      expect(printed).toMatchObject({
        code: 3,
        stdout: 'from the shell\n',
        stderr: expect.stringContaining('It is at team.'),
      });
      expect(await run(anna, ['exec', 'trip', 'true', '--durable', 'remote', '--detach'])).toMatchObject({ code: 2 });
      const answer = await run(anna, [
        'ask',
        'trip',
        'hello',
        '--model',
        'demo',
        '--durable',
        'remote',
        '--here',
        '--json',
      ]);
      expect(answer).toMatchObject({ code: 0, stderr: expect.stringContaining('It is at team.') });
      expect(await countAt(JSON.parse(answer.stdout).tip)).toBe('1');
      const { node_count: before } = await anna.client.call('loom.tree_get', { tree });
      for (const given of ['local', 'remote:0', 'remote:601', 'remote:']) {
        const refused = await run(anna, ['add', 'trip', 'no', '--durable', given]);
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--durable takes remote') });
      }
      expect((await anna.client.call('loom.tree_get', { tree })).node_count).toBe(before);
      await newTree(anna, 'alone');
      for (const words of [
        ['add', 'alone', 'no'],
        ['exec', 'alone', 'echo no'],
        ['ask', 'alone', 'no', '--model', 'demo', '--here'],
        ['ask', 'no', '--model', 'demo', '--here'],
      ]) {
        const refused = await run(anna, [...words, '--durable', 'remote']);
        expect(refused).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('is not shared, so there is no remote'),
        });
        expect(refused.stderr).toContain('share it first: cognition share');
      }
      expect(await runWords(anna.home, ['show', 'alone'])).not.toContain('no');
      expect((await anna.client.call('loom.tree_list', {})).trees).toHaveLength(2);
    });
  });
});
