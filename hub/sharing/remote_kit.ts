import { Client } from 'pg';

/** PostgreSQL's client, in a bundle of its own: a hub without remotes never reads it. */
export function newClient(address: string, most: { connectMs: number; answerMs: number }): Client {
  const client = new Client({
    connectionString: address,
    connectionTimeoutMillis: most.connectMs,
    query_timeout: most.answerMs,
    keepAlive: true,
    application_name: 'cognition',
    // Numbers keep all their digits.
    types: { getTypeParser: () => String },
  });
  // A broken connection rejects the query that waits for it.
  client.on('error', () => undefined);
  return client;
}
