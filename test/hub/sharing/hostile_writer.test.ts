import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeId, type Sha256, type TreeId } from '../../../hub/protocol/node.js';
import { INBOX, LEASES_MAX, SAID_BYTES_MAX } from '../../../hub/sharing/schema/turn_limits.js';
import type { TestHub } from '../../support/hub.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { nameRemote, newTree, remote, sync, withHubs } from './shared_trees.js';

describe.skipIf(POSTGRES_BIN === null)('a login that may write, and means harm,', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await asOwner(
      server,
      `CREATE ROLE cognition_reader NOLOGIN; CREATE ROLE cognition_writer NOLOGIN;
       ${['ben', 'mallory'].map((name) => `CREATE ROLE ${name} LOGIN PASSWORD '${name}'; GRANT cognition_writer TO ${name};`).join(' ')}
       CREATE ROLE eva LOGIN PASSWORD 'eva'; GRANT cognition_reader TO eva`,
    );
  });
  afterAll(() => server.stop());

  /** The first value that PostgreSQL answers to a login, or the code of its refusal. */
  async function as(login: string, sql: string): Promise<string> {
    const client = new pg.Client({ connectionString: server.loopback(login, login) });
    await client.connect();
    const answer = await client.query<unknown[]>({ text: sql, rowMode: 'array' }).then(
      (result) => String([result].flat().at(-1)?.rows[0]?.[0]),
      (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : String(error)),
    );
    await client.end();
    return answer;
  }
  const asMallory = (sql: string): Promise<string> => as('mallory', sql);

  async function homeOf(login: string): Promise<string> {
    const hub = randomUUID();
    expect(await as(login, `SELECT cognition.greet('${hub}', '${login}', 'laptop', '1')`)).toBe('true');
    return hub;
  }

  /** A tree that Anna, the owner, has shared. */
  async function withShared(use: (parts: { anna: TestHub; ben: TestHub; tree: TreeId }) => Promise<void>) {
    await withHubs([server.socket, server.loopback('ben', 'ben')], async (anna, ben) => {
      await anna.client.call('sharing.remote_init', { remote });
      const tree = await newTree(anna);
      await anna.client.call('sharing.share', { remote, tree });
      await use({ anna, ben, tree });
    });
  }

  /** A stored output and a node that shows it, in the hub of a test. */
  async function showImage(hub: TestHub, tree: TreeId, content: Buffer): Promise<Sha256> {
    const { output } = await hub.client.call('loom.blob_write', {
      ...{ upload: randomUUID(), offset: 0, data: content.toString('base64'), done: true },
    });
    if (output === null) throw new Error('it is stored');
    const size = { media_type: 'image/png' as const, width: 1, height: 1 };
    const blocks = [
      { type: 'text' as const, text: 'look' },
      { type: 'image' as const, sha256: output.sha256, ...size },
    ];
    await hub.client.call('loom.node_create_text', { tree, parent: NodeId.parse(tree), role: 'user', blocks });
    return output.sha256;
  }

  test('cannot make the stored outputs of others unreadable', async () => {
    await withShared(async ({ anna, ben, tree }) => {
      const content = Buffer.alloc(600_000, 'x');
      const name = createHash('sha256').update(content).digest('hex');
      const put = (piece: number, bytes: string): string =>
        `SELECT cognition.put_piece('${name}', ${piece}, '${bytes}'::bytea)`;
      const keep = (pieces: string | number, of: string = name): string =>
        `SELECT cognition.keep_output('${randomUUID()}', '${of}', ${pieces})`;
      // Before it is there.
      expect(await asMallory(`INSERT INTO cognition.outputs VALUES ('${name}', 0, '')`)).toBe('42501');
      expect(await asMallory(`INSERT INTO cognition.tree_outputs VALUES ('${tree}', '${name}', 9)`)).toBe('42501');
      expect(await asMallory(`${put(0, 'other')}; ${put(7, 'more')}`)).toBe('');
      for (const pieces of [1, 8, 0, -1, 'NULL', 2_147_483_647]) expect(await asMallory(keep(pieces))).toBe('22023');
      for (const odd of [
        put(-1, ''),
        put(4096, ''),
        put(1, '').replace(name, '../x'),
        put(1, '').replace(`'${name}'`, 'NULL'),
      ])
        expect(await asMallory(odd)).toBe('22023');
      await showImage(anna, tree, content);
      expect((await sync(anna)).trees[0]?.problem).toBeNull();
      // And afterwards.
      expect(await asMallory(`${put(0, 'other')}; ${put(3, 'more')}; ${keep(9)}`)).toBe('');
      expect((await sync(ben, tree)).trees[0]?.problem).toBeNull();
      const read = await ben.client.call('loom.blob_read', { sha256: name as Sha256, offset: 599_999 });
      expect(read).toEqual({ data: 'eA==', size_bytes: 600_000 });
      expect(await anna.client.call('sharing.remote_fsck', { remote, repair: false })).toMatchObject({
        problem_count: 0,
      });
    });
  });

  test('hides no turn of others behind very many of its own, and says nothing of trees that are not meant', async () => {
    await withShared(async ({ anna, tree }) => {
      const [mallory, ben] = [await homeOf('mallory'), await homeOf('ben')];
      const honest = randomUUID();
      const lease = (hub: string, turn: string, of: string = tree): string => {
        const body = { tree: of, node: tree, tip: tree, model: 'x', level: 'minimal', state: 'running', questions: [] };
        const said = JSON.stringify({ ...body, started_at_ms: 1 }).slice(0, -1);
        return `SELECT cognition.lease('${hub}', '${tree}', turn, '${said},"turn":"' || turn || '"}') FROM ${turn}`;
      };
      expect(await as('ben', lease(ben, `(VALUES ('${honest}'::uuid)) AS v (turn)`))).toBe('');
      const many = `(SELECT gen_random_uuid() AS turn FROM generate_series(1, 1500)) AS v`;
      expect(await asMallory(lease(mallory, many))).toBe('');
      expect(await asMallory(lease(mallory, `(VALUES ('${randomUUID()}'::uuid)) AS v (turn)`, randomUUID()))).toBe('');
      expect(await asOwner(server, `SELECT count(*) FROM cognition.leases WHERE login = 'mallory'`)).toEqual([
        ['1000'],
      ]);
      nameRemote(anna.home, server.socket, 'sharing.live = true\n');
      await sync(anna);
      const turns = await untilSome(() => anna.client.call('agent.status', { tree: null }).then((told) => told.turns));
      expect(turns.map(({ turn }) => turn)).toContain(honest);
      expect(turns.length).toBeLessThanOrEqual(LEASES_MAX);
      expect(new Set(turns.map((turn) => turn.tree))).toEqual(new Set([tree]));
      await asOwner(server, 'DELETE FROM cognition.leases');
    });
  });

  test('keeps nothing that is said to a turn from being heard', async () => {
    await withShared(async ({ tree }) => {
      const [mallory, ben] = [await homeOf('mallory'), await homeOf('ben')];
      const turn = randomUUID();
      const own = `SELECT cognition.lease('${mallory}', '${tree}', '${turn}', '{}')`;
      expect(await asMallory(own)).toBe('');
      const heard = (): Promise<string[][]> => asOwner(server, INBOX.replace('$1', `'${mallory}'`));
      const said = (hub: string, body: string): string =>
        `SELECT count(cognition.say('${hub}', gen_random_uuid(), '${turn}', ${body}))`;
      expect(await asMallory(`${said(mallory, `'x'`)} FROM generate_series(1, 1200)`)).toBe('1000');
      expect(await asMallory(said(mallory, `'x'`))).toBe('0');
      expect(await as('ben', said(ben, `'from Ben'`))).toBe('1');
      expect(await as('ben', said(ben, `repeat('x', ${SAID_BYTES_MAX + 1})`))).toBe('0');
      const first = await heard();
      expect(first).toHaveLength(50);
      expect(first.slice(0, 2).map((row) => row[3])).toContain('from Ben');
      // Of large ones a few at a time, but at least one.
      await asOwner(
        server,
        `DELETE FROM cognition.inbox WHERE login = 'mallory' AND id NOT IN (SELECT id FROM cognition.inbox LIMIT 5);
         UPDATE cognition.inbox SET body = repeat('x', 700000)`,
      );
      expect(await heard()).toHaveLength(2);
      await asOwner(server, `UPDATE cognition.inbox SET body = repeat('x', 3000000)`);
      expect(await heard()).toHaveLength(1);
      await asOwner(server, 'DELETE FROM cognition.inbox; DELETE FROM cognition.leases');
    });
  });

  test('finds nothing at a remote of what was purged there, and brings nothing back', async () => {
    await withShared(async ({ anna, ben, tree }) => {
      const mallory = await homeOf('mallory');
      const turn = randomUUID();
      await showImage(anna, tree, Buffer.from('secret'));
      await sync(anna);
      await sync(ben, tree);
      const noted = `SELECT cognition.lease('${mallory}', '${tree}', '${turn}', 'secret');
        SELECT cognition.say('${mallory}', gen_random_uuid(), '${turn}', 'secret')`;
      await asMallory(noted);
      expect(await anna.client.call('sharing.unshare', { remote, tree, purge: true })).toMatchObject({ purged: true });
      // Ben does not know it yet.
      await showImage(ben, tree, Buffer.from('more of it'));
      await sync(ben).catch(() => undefined); // told
      await asMallory(noted);
      const left = `SELECT (SELECT count(*) FROM cognition.outputs), (SELECT count(*) FROM cognition.tree_outputs WHERE tree = '${tree}'),
        (SELECT count(*) FROM cognition.leases), (SELECT count(*) FROM cognition.inbox),
        (SELECT count(*) FROM cognition.entries WHERE tree = '${tree}')`;
      await asOwner(
        server,
        `DELETE FROM cognition.outputs o WHERE EXISTS (SELECT FROM cognition.tree_outputs t WHERE t.sha256 = o.sha256)`,
      );
      expect(await asOwner(server, left)).toEqual([['0', '0', '0', '0', '0']]);
    });
  });

  test('writes nothing at all where it may only read', async () => {
    await withShared(async ({ tree }) => {
      const [functions, tables] = await Promise.all([
        asOwner(server, `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'cognition'::regnamespace`),
        asOwner(
          server,
          `SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'cognition'::regnamespace AND relkind IN ('r', 'p', 'S', 'v', 'm')`,
        ),
      ]);
      expect(functions.length).toBeGreaterThan(12);
      for (const [name = ''] of functions) {
        const may = `SELECT has_function_privilege('${name}', 'EXECUTE')`;
        expect(await as('eva', may), name).toBe('false');
        // What is for the functions themselves is nobody's.
        if (/require_own|task_sweep/.test(name)) expect(await asMallory(may), name).toBe('false');
      }
      const rights = 'INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER';
      for (const login of ['eva', 'mallory'])
        for (const [name = ''] of tables)
          expect(await as(login, `SELECT has_table_privilege('${name}', '${rights}')`), `${login} ${name}`).toBe(
            'false',
          );
      expect(await as('eva', `CREATE TABLE cognition.mine (x int)`)).toBe('42501');
      expect(await as('eva', `SELECT FROM cognition.trees WHERE id = '${tree}' FOR UPDATE`)).toBe('42501');
    });
  });
});

async function untilSome<T>(look: () => Promise<T[]>): Promise<T[]> {
  for (;;) {
    const found = await look();
    if (found.length > 0) return found;
    await new Promise(setImmediate);
  }
}
