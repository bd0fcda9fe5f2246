import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hintText } from '../../../hub/base/hint.js';
import { homePaths } from '../../../hub/config/config.js';
import { asOwner, configure, filesBelow, query, refusalOf, stored, textOf, until, withDatabase } from './database.js';
import { OWNER_PASSWORD, POSTGRES_BIN, startServer, type TestServer } from './server.js';

const CANARY = 'pl4nted-canary';
let server: TestServer;

describe.skipIf(POSTGRES_BIN === null)('with PostgreSQL (skipped where it is not installed)', () => {
  beforeAll(async () => {
    server = await startServer();
    await asOwner(
      server,
      `
      CREATE TABLE fruit (id int, name text, price numeric);
      INSERT INTO fruit VALUES (1, 'apple', 1.10), (2, NULL, 12345678901234567890.123456789), (3, '', NULL);
      CREATE ROLE reader LOGIN PASSWORD '${CANARY}';
      GRANT SELECT ON fruit TO reader;
      CREATE FUNCTION meddle() RETURNS int LANGUAGE sql VOLATILE AS 'DELETE FROM fruit; SELECT 1';
    `,
    );
  }, 60_000);
  afterAll(() => server?.stop());

  test('a query returns a table and stores whole rows', async () => {
    await withDatabase(server, async (hub) => {
      const answer = await query(hub, { sql: 'SELECT * FROM fruit ORDER BY id;' });
      expect(answer.blocks).toEqual([
        {
          type: 'text',
          text: [
            'id | name  | price',
            '---+-------+-------------------------------',
            '1  | apple | 1.10',
            '2  | NULL  | 12345678901234567890.123456789',
            '3  | ""    | NULL',
            '(3 rows)',
          ].join('\n'),
        },
      ]);
      expect(await stored(hub, answer)).toBe(
        '{"id":"1","name":"apple","price":"1.10"}\n' +
          '{"id":"2","name":null,"price":"12345678901234567890.123456789"}\n' +
          '{"id":"3","name":"","price":null}\n',
      );
      const { handle, call } = answer.external;
      expect(call).toMatchObject({ tool: 'postgres', input: { connection: 'shop' } });
      expect(handle.source).toBe('postgres');
      expect(handle.identifier).toMatch(/^shop\/[0-9a-f]{16}$/);
      expect(handle.metadata).toEqual({
        ...{ connection: 'shop', sql: 'SELECT * FROM fruit ORDER BY id;', rows: 3, cut: null },
        ...{ columns: ['id', 'name', 'price'], server_version: expect.stringMatching(/^\d+/) },
      });
    });
  });

  test('values of all types are returned as the server writes them', async () => {
    await withDatabase(server, async (hub) => {
      const sql = `SELECT '\\xdeadbeef'::bytea AS b, '{"a": [1, 2.50]}'::json AS j, ARRAY['x', NULL, 'a"b'] AS l,
        'NaN'::float8 AS n, timestamptz '2024-02-29 12:00:00.123456+00' AT TIME ZONE 'UTC' AS t, true AS y,
        9223372036854775807 AS big, E'two\\nlines\\u001b[31m' AS s, '数据 🍎' AS u, 'NULL' AS w, 1 AS b`;
      const answer = await query(hub, { sql });
      const [line = ''] = (await stored(hub, answer)).split('\n');
      expect(JSON.parse(line)).toEqual({
        ...{ b: '\\xdeadbeef', j: '{"a": [1, 2.50]}', l: '{x,NULL,"a\\"b"}', n: 'NaN' },
        ...{ t: '2024-02-29 12:00:00.123456', y: 't', big: '9223372036854775807', s: 'two\nlines\u001b[31m' },
        ...{ u: '数据 🍎', w: 'NULL', b_2: '1' },
      });
      const shown = textOf(answer);
      expect(shown).toContain('two\\nlines\\u001b[31m');
      expect(shown).toContain('"NULL"');
    });
  });

  test('every cut is reported: rows, bytes, long values, and rows that are not shown', async () => {
    await withDatabase(server, async (hub) => {
      const rows = await query(hub, { sql: 'SELECT generate_series(1, 100000) AS n', rows_max: 3 });
      expect(textOf(rows).split('\n').slice(-1)).toEqual(['(the first 3 rows; there are more)']);
      expect(rows.external.handle.metadata).toMatchObject({ rows: 3, cut: 'rows' });
      const bytes = await query(hub, {
        sql: "SELECT repeat('x', 100) FROM generate_series(1, 100000)",
        bytes_max: 1_000,
      });
      expect(bytes.external.handle.metadata).toMatchObject({ rows: 8, cut: 'bytes' });
      expect(textOf(bytes)).toContain('(the first 8 rows; there are more: the limit of bytes is reached)');
      expect(textOf(bytes)).toMatch(
        /values of more than 80 characters are cut, and very long rows\)\n\(all of it: cognition output [0-9a-f]{8}\)$/,
      );
      const many = await query(hub, { sql: 'SELECT generate_series(1, 1000) AS n' });
      expect(textOf(many)).toContain('(1000 rows)\n(800 of them are not shown)');
      expect((await stored(hub, many)).trimEnd().split('\n')).toHaveLength(1_000);
      const none = await query(hub, { sql: 'SELECT 1 AS n WHERE false' });
      expect([textOf(none), none.external.output]).toEqual(['n\n-\n(0 rows)', null]);
      const wide = await query(hub, {
        sql: `SELECT ${Array.from({ length: 60 }, (_, at) => `${at} AS c${at}`).join()}`,
      });
      expect(textOf(wide).split('\n').slice(0, 3)).toEqual(['row 1', '  c0  | 0', '  c1  | 1']);
      const columns = Array.from({ length: 1_600 }, (_, at) => `repeat('x', 70) AS c${at}`).join();
      expect(Buffer.byteLength(textOf(await query(hub, { sql: `SELECT ${columns}` })))).toBeLessThan(20_000);
      const bare = await query(hub, { sql: 'SELECT FROM generate_series(1, 2)' });
      expect(textOf(bare)).toContain('(2 rows)');
    });
  });

  test.each([
    ['INSERT INTO fruit VALUES (9)', 'syntax error at or near "INSERT" at line 1, column 1'],
    ['SELECT 1; DROP TABLE fruit', 'cannot insert multiple commands'],
    ['WITH gone AS (DELETE FROM fruit RETURNING *) SELECT * FROM gone', 'data-modifying statements in WITH'],
    ['SELECT meddle()', 'cannot execute DELETE in a read-only transaction'],
    ['SELECT * INTO copied FROM fruit', 'INTO'],
    ["COPY fruit TO PROGRAM 'touch /tmp/cognition-was-here'", 'syntax error'],
    [
      "SELECT set_config('transaction_read_only', 'off', false), meddle()",
      'read-write mode must be set before any query',
    ],
    ["SELECT nextval('s') FROM (SELECT 1) x", 'does not exist'],
    ['SELECT * FROM fruit FOR UPDATE', 'FOR UPDATE'],
    ['COMMIT', 'syntax error'],
    ['', 'syntax error at end of input'],
    ['-- nothing', 'syntax error at end of input'],
    ['SELECT 1\n  FROM nowhere', 'relation "nowhere" does not exist at line 2, column 8'],
    ["SELECT '🍎', oops", 'column "oops" does not exist at line 1, column 13'],
    ['SELECT $1', 'the query has parameters such as $1'],
  ])('a statement that does more than read is refused: %s', async (sql, reason) => {
    await withDatabase(server, async (hub) => {
      // The schema refuses an empty text before the server could.
      const refusal = await refusalOf(query(hub, { sql: sql === '' ? ' ' : sql }));
      expect(refusal.message).toContain(reason);
      expect(await asOwner(server, 'SELECT count(*) FROM fruit')).toEqual([['3']]);
    });
  });

  test('a query that is cancelled or times out ends on the server too', async () => {
    await withDatabase(server, async (hub) => {
      const sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND state = 'active'";
      const late = await refusalOf(query(hub, { sql: 'SELECT pg_sleep(600)', timeout_ms: 300 }));
      expect(late.message).toBe('the query took longer than 0.3 s and was ended');
      expect(await asOwner(server, sleeping)).toEqual([['0']]);
      const controller = new AbortController();
      const running = query(hub, { sql: "SELECT 'cancel me', pg_sleep(600)" }, controller.signal);
      await until(async () => (await asOwner(server, sleeping))[0]?.[0] === '1');
      controller.abort();
      expect((await refusalOf(running)).data.kind).toBe('cancelled');
      await until(async () => (await asOwner(server, sleeping))[0]?.[0] === '0');
      const off = "SELECT set_config('statement_timeout', '0', false), pg_sleep(600)";
      expect((await refusalOf(query(hub, { sql: off, timeout_ms: 300 }))).message).toContain('took longer');
      await until(async () => (await asOwner(server, sleeping))[0]?.[0] === '0');
    });
  });

  test('a value of hundreds of megabytes is not held in memory', async () => {
    await withDatabase(server, async (hub) => {
      const refusal = await refusalOf(query(hub, { sql: "SELECT repeat('x', 300000000)" }));
      expect(refusal.message).toBe('a row of the result, or what the server says of it, is too large to be fetched');
      const { memory_bytes } = await hub.client.call('tools.check', {});
      expect(memory_bytes).toBeLessThan(400_000_000);
    });
  });

  test('a server that repeats a huge value in its message delays no other call', async () => {
    await withDatabase(server, async (hub) => {
      const refusal = await refusalOf(query(hub, { sql: "SELECT ('x' || repeat('y', 40000000))::int" }));
      expect(refusal.message).toMatch(/^shop: invalid input syntax for type integer: "xy{900,}….*$/);
      expect(refusal.message.length).toBeLessThan(1_100);
      const larger = await refusalOf(query(hub, { sql: "SELECT ('x' || repeat('y', 200000000))::int" }));
      expect(larger.message).toContain('too large to be fetched');
      expect(textOf(await query(hub, { sql: 'SELECT 1 AS n' }))).toContain('(1 row)');
    });
  });

  test('a connection that breaks during a query is reported, and the next query works', async () => {
    await withDatabase(server, async (hub) => {
      const running = query(hub, { sql: "SELECT 'break me', pg_sleep(600)" });
      const broken = refusalOf(running);
      const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cognition'";
      await until(async () => (await asOwner(server, end)).length > 0);
      expect((await broken).data).toMatchObject({ kind: 'network', retryable: true });
      expect(textOf(await query(hub, { sql: 'SELECT 1 AS n' }))).toContain('(1 row)');
    });
  });

  test('a query ends on the server when the tools are killed in the middle of it', async () => {
    await withDatabase(server, async (hub) => {
      const active = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND state = 'active'";
      const { pid } = await hub.client.call('tools.check', {});
      const broken = refusalOf(query(hub, { sql: "SELECT 'kill me', pg_sleep(600)" }));
      await until(async () => (await asOwner(server, active))[0]?.[0] === '1');
      process.kill(pid, 'SIGKILL');
      expect((await broken).data).toMatchObject({ kind: 'unreachable', retryable: true });
      await until(async () => (await asOwner(server, active))[0]?.[0] === '0');
    });
  });

  test('many queries at once each get their own rows', async () => {
    await withDatabase(server, async (hub) => {
      const numbers = Array.from({ length: 20 }, (_, at) => at);
      const answers = await Promise.all(numbers.map((at) => query(hub, { sql: `SELECT ${at} AS n` })));
      expect(answers.map((answer) => textOf(answer).split('\n')[2])).toEqual(numbers.map(String));
      expect(
        await asOwner(server, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cognition'"),
      ).toEqual([['0']]);
    });
  });

  test('the error for a wrong login, server or database leaves out the address', async () => {
    await withDatabase(server, async (hub) => {
      configure(hub, {
        wrong: server.loopback('reader', `${CANARY}-not`),
        nobody: server.loopback('stranger', CANARY),
        gone: `postgres://reader:${CANARY}@127.0.0.1:1/postgres`,
        missing: server.loopback('reader', CANARY).replace(/postgres$/, 'absent'),
        folder: '/nowhere/at/all shop',
        plain: `${server.loopback('reader', CANARY)}?sslmode=require`,
      });
      const told: Record<string, unknown> = {};
      for (const connection of ['wrong', 'nobody', 'gone', 'missing', 'folder', 'plain', 'other']) {
        const { message, data } = await refusalOf(query(hub, { connection, sql: 'SELECT 1' }));
        told[connection] = [data.kind, message];
        expect(`${message} ${hintText(data.hint ?? '')}`).not.toMatch(/canary|127\.0|reader|stranger|nowhere/);
      }
      expect(told).toEqual({
        wrong: ['unauthorised', 'the server of the database wrong refuses the login'],
        nobody: ['unauthorised', 'the server of the database nobody refuses the login'],
        gone: ['network', 'the server of the database gone cannot be reached (ECONNREFUSED)'],
        missing: ['not_found', 'the server of missing has no such database'],
        folder: ['network', 'the server of the database folder cannot be reached (ENOENT)'],
        plain: ['network', 'the server of the database plain offers no encrypted connection (SSL)'],
        other: ['not_found', 'no database is named "other"'],
      });
    });
  });

  test('a password is in no file of the home but the configuration', async () => {
    await withDatabase(server, async (hub) => {
      configure(hub, { shop: server.loopback('reader', CANARY) });
      const tree = await hub.client.call('loom.tree_create', {});
      const place = { tree: tree.id, node: hub.root(tree.id) };
      const { node } = await query(hub, { sql: 'SELECT name FROM fruit WHERE id = 1', place, append: true });
      expect(node?.blocks[0]).toMatchObject({ text: expect.stringContaining('apple') });
      await refusalOf(query(hub, { sql: `SELECT '${CANARY}'::int`, place, append: true }));
      await hub.client.call('loom.tree_export', { tree: tree.id });
      const files = filesBelow(hub.home).filter((file) => file !== homePaths(hub.home).config);
      expect(files.some((file) => file.endsWith('hub.log'))).toBe(true);
      expect(files.filter((file) => readFileSync(file).includes(CANARY))).toEqual([]);
      expect(files.filter((file) => readFileSync(file).includes(OWNER_PASSWORD))).toEqual([]);
    });
  });

  test('a contained call needs the network', async () => {
    await withDatabase(server, async (hub) => {
      const contained = { kind: 'contained' as const, writable: [], readable: null };
      const refusal = await refusalOf(query(hub, { sql: 'SELECT 1', policy: { ...contained, network: false } }));
      expect(refusal.message).toBe('the database shop is on the network, which this call may not use');
      expect(textOf(await query(hub, { sql: 'SELECT 1 AS n', policy: { ...contained, network: true } }))).toContain(
        '(1 row)',
      );
    });
  });

  test('a fresh look reports added and removed rows, and the stored result does not change', async () => {
    await withDatabase(server, async (hub) => {
      await asOwner(server, "CREATE TABLE herb (name text); INSERT INTO herb VALUES ('sage'), ('dill'), ('dill')");
      const tree = await hub.client.call('loom.tree_create', {});
      const place = { tree: tree.id, node: hub.root(tree.id) };
      const { node } = await query(hub, { sql: 'SELECT name FROM herb ORDER BY 1', place, append: true });
      const id = node?.id ?? place.node;
      const fresh = () => hub.client.call('context.resolve', { node: id, fresh: true });
      expect(await fresh()).toMatchObject({ changed: null, placeholder: null });
      await asOwner(server, "DELETE FROM herb WHERE name = 'sage'; INSERT INTO herb VALUES ('mint'), ('mint')");
      expect(await fresh()).toMatchObject({
        ...{ text: '{"name":"dill"}\n{"name":"dill"}\n{"name":"mint"}\n{"name":"mint"}\n' },
        ...{ changed: '4 rows instead of 3: 2 added, 1 removed', placeholder: null },
      });
      expect((await hub.client.call('context.render', { node: id, fresh: true })).text).toMatch(
        /^\[postgres:SELECT name FROM herb ORDER BY 1\]\n\(changed since then: 4 rows instead of 3: 2 added, 1 removed\)\n/,
      );
      expect((await hub.client.call('context.resolve', { node: id })).text).toBe(
        '{"name":"dill"}\n{"name":"dill"}\n{"name":"sage"}\n',
      );
      const none = await query(hub, { sql: 'SELECT 1 AS n WHERE false', place, append: true });
      const empty = none.node?.id ?? place.node;
      expect(await hub.client.call('context.resolve', { node: empty })).toMatchObject({
        ...{ text: 'n\n-\n(0 rows)', placeholder: null },
      });
      await asOwner(server, 'DROP TABLE herb');
      expect((await fresh()).placeholder).toContain('relation "herb" does not exist');
    });
  });
});
