import pg from 'pg';
import { expect, test } from 'vitest';
import { textArray } from '../../../hub/sharing/text_array.js';
import { POSTGRES_BIN, startServer } from '../../tools/postgres/server.js';

test.skipIf(POSTGRES_BIN === null)('PostgreSQL reads a list of texts as it was given', async () => {
  const server = await startServer();
  const client = new pg.Client({ connectionString: server.socket });
  try {
    await client.connect();
    const texts = ['', 'NULL', '{"a":"\\"}', ' ,{}', '两 🙂', 'x'.repeat(100_000), '\u0001\n'];
    for (const list of [texts, []]) {
      const { rows } = await client.query('SELECT $1::text[] AS list', [textArray(list)]);
      expect(rows[0].list).toEqual(list);
      const bytes = list.map((text) => Buffer.from(text));
      const read = await client.query('SELECT $1::text[] AS list', [textArray(bytes)]);
      expect(read.rows[0].list).toEqual(list);
    }
  } finally {
    await client.end();
    await server.stop();
  }
});
