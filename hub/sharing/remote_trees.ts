import type { ResultOf } from '../protocol/methods/method_table.js';
import { TreeId } from '../protocol/node.js';
import type { Remote } from './remote_connection.js';
import { remoteVersion, SCHEMA_VERSION } from './remote_schema.js';
import { LOCK_OUTPUTS } from './schema/guard_schema.js';
import { PUBLISH_FUNCTION } from './schema/publish_schema.js';

type Listed = ResultOf<'sharing.tree_list'>['trees'][number];

/** The conversations of a remote; a sub-session is listed with what owns it. */
export async function listRemoteTrees(remote: Remote, limit: number): Promise<Omit<Listed, 'shared'>[]> {
  const rows = await remote.query<
    { [K in 'id' | 'title' | 'nodes' | 'at' | 'by' | 'purged']: string } & { name: string | null }
  >(
    `SELECT t.id, t.name, t.title, t.nodes, (extract(epoch FROM t.updated_at) * 1000)::bigint AS at,
       coalesce(h.person || ' · ' || h.machine, '') AS by, t.purged_at IS NOT NULL AS purged
     FROM cognition.trees t LEFT JOIN cognition.hubs h ON h.id = t.hub
     WHERE NOT EXISTS (SELECT FROM cognition.trees o WHERE o.id = t.owner)
     ORDER BY t.updated_at DESC, t.id LIMIT $1`,
    [limit],
  );
  return rows.map(({ id, name, title, nodes, at, by, purged }) => ({
    ...{
      id: TreeId.parse(id),
      name,
      title,
      nodes: Number(nodes),
      updated_at_ms: Number(at),
      by,
      purged: purged === 't',
    },
  }));
}

/** What a login can do at a remote. */
export async function checkRemote(remote: Remote): Promise<ResultOf<'sharing.remote_check'>> {
  const [server] = await remote.query<{ server_version: string }>('SHOW server_version');
  const version = await remoteVersion(remote);
  const facts = { server: server?.server_version ?? '', encrypted: remote.isEncrypted(), version };
  if (version === null) return { ...facts, reads: false, writes: false, trees: 0, hubs: 0 };
  const may = async (what: string): Promise<boolean> => {
    const sql = `SELECT has_schema_privilege('cognition', 'USAGE') AND ${what} AS may`;
    const [row] = await remote.query<{ may: string }>(sql);
    return row?.may === 't';
  };
  const reads = await may(`has_table_privilege('cognition.entries', 'SELECT')`);
  const count = async (table: 'trees' | 'hubs'): Promise<number> => {
    const [row] = reads
      ? await remote.query<{ count: string }>(`SELECT count(*) AS count FROM cognition.${table}`)
      : [];
    return Number(row?.count ?? 0);
  };
  const publishes = `has_function_privilege('${PUBLISH_FUNCTION}', 'EXECUTE')`;
  const writes = version === SCHEMA_VERSION && (await may(publishes));
  return { ...facts, reads, writes, trees: await count('trees'), hubs: await count('hubs') };
}

/** Deletes trees at the remote, and the outputs that no other has; the row stays to tell the others. */
export async function purgeRemoteTrees(remote: Remote, trees: readonly TreeId[]): Promise<boolean> {
  return remote.inTransaction(async () => {
    const gone = await remote.query(
      `UPDATE cognition.trees SET purged_at = now(), name = NULL, title = '' WHERE id = ANY($1) AND purged_at IS NULL RETURNING id`,
      [[...trees]],
    );
    await remote.query('DELETE FROM cognition.entries WHERE tree = ANY($1)', [[...trees]]);
    for (const table of ['tasks', 'file_notes', 'file_sets', 'leases', 'inbox'])
      await remote.query(`DELETE FROM cognition.${table} WHERE tree = ANY($1)`, [[...trees]]);
    const freed = await remote.query<{ sha256: string }>(
      'DELETE FROM cognition.tree_outputs WHERE tree = ANY($1) RETURNING sha256',
      [[...trees]],
    );
    const hashes = freed.map(({ sha256 }) => sha256);
    await remote.query(LOCK_OUTPUTS, [hashes]);
    await remote.query(
      `DELETE FROM cognition.outputs o WHERE sha256 = ANY($1)
       AND NOT EXISTS (SELECT FROM cognition.tree_outputs t WHERE t.sha256 = o.sha256)`,
      [hashes],
    );
    return gone.length > 0;
  });
}
