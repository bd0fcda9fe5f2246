import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { Share } from '../protocol/methods/sharing_methods.js';
import type { Remote } from './remote_connection.js';
import { sendOutputs } from './shared_outputs.js';

// The row of the tree is locked by taking numbers: whoever has read one number has read all below it.
const PUBLISH = `
  WITH taken AS (
    UPDATE cognition.trees SET last = last + $3, nodes = greatest(nodes, $4), name = $5, title = $6, hub = $2, updated_at = now()
    WHERE id = $1 AND purged_at IS NULL RETURNING last
  )
  INSERT INTO cognition.entries (tree, n, id, hub, body)
  SELECT $1, taken.last - $3 + entry.place, entry.id, $2, entry.body
  FROM taken, unnest($7::text[], $8::text[]) WITH ORDINALITY AS entry (id, body, place)
  ON CONFLICT DO NOTHING RETURNING (SELECT last FROM taken) AS last`;

export interface Publishing {
  share: Share;
  hub: string;
  /** Told after each page. */
  onSent(entries: number): void;
}

/** Sends what the remote lacks of a tree; twice is once. Returns the number of entries. */
export async function publishTree(reach: InternalCaller, remote: Remote, publishing: Publishing): Promise<number> {
  const { share, hub } = publishing;
  const { tree } = share;
  let { sent: after, fetched } = share;
  let count = 0;
  if (tree.last_seq <= after) return 0;
  await remote.query('INSERT INTO cognition.trees (id, owner, hub) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    ...[tree.id, tree.owner?.tree ?? null, hub],
  ]);
  for (let more = true; more; ) {
    const page = await callHub(reach, 'loom.share_read', { tree: tree.id, after, limit: 500 });
    const lacking = await lackingOf(remote, tree.id, page.entries);
    if (lacking.length > 0) {
      // Who reads an entry finds its outputs.
      await sendOutputs(reach, remote, { tree: tree.id, outputs: page.outputs });
      const [row] = await remote.query<{ last: string }>(PUBLISH, [
        ...[tree.id, hub, lacking.length, tree.node_count, tree.name, tree.title],
        ...[lacking.map(({ id }) => id), lacking.map(({ body }) => body)],
      ]);
      const last = Number(row?.last ?? 0);
      // What only this hub has written need not be fetched again.
      if (last - lacking.length === fetched) {
        fetched = last;
        await callHub(reach, 'loom.share_apply', {
          remote: remote.name,
          tree: tree.id,
          bodies: [],
          fetched,
        });
      }
      count += lacking.length;
      publishing.onSent(count);
    }
    after = page.to;
    await callHub(reach, 'loom.share_set', { remote: remote.name, tree: tree.id, sent: after });
    more = page.more;
  }
  return count;
}

async function lackingOf<E extends { id: string }>(remote: Remote, tree: string, entries: readonly E[]): Promise<E[]> {
  const rows = await remote.query<{ id: string }>('SELECT id FROM cognition.entries WHERE tree = $1 AND id = ANY($2)', [
    ...[tree, entries.map(({ id }) => id)],
  ]);
  const there = new Set(rows.map(({ id }) => id));
  return entries.filter(({ id }) => !there.has(id));
}
