import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { Share } from '../protocol/methods/sharing_methods.js';
import type { Remote } from './remote_connection.js';
import { sendOutputs } from './shared_outputs.js';

const PUBLISH = 'SELECT * FROM cognition.publish($1, $2, $3, $4, $5, $6, $7, $8)';

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
  let late = 0;
  for (let more = true; more; ) {
    const page = await callHub(reach, 'loom.share_read', { tree: tree.id, after, limit: 500 });
    const lacking = await lackingOf(remote, tree.id, page.entries);
    if (lacking.length > 0) {
      // Who reads an entry finds its outputs.
      await sendOutputs(reach, remote, { tree: tree.id, outputs: page.outputs });
      const [row] = await remote.query<{ first: string; last: string; late: string }>(PUBLISH, [
        ...[tree.id, tree.owner?.tree ?? null, hub, tree.node_count, tree.name, tree.title],
        ...[lacking.map(({ id }) => id), lacking.map(({ body }) => body)],
      ]);
      const last = Number(row?.last ?? 0);
      late = Number(row?.late ?? 0);
      count += last - Number(row?.first ?? 0);
      // What only this hub has written need not be fetched again.
      if (Number(row?.first ?? 0) === fetched && last > fetched) fetched = last;
      publishing.onSent(count);
    }
    // What is late is tried again the next time.
    if (late > 0) throw tooLate(remote, late);
    after = page.to;
    await callHub(reach, 'loom.share_set', { remote: remote.name, tree: tree.id, sent: after, fetched });
    more = page.more;
  }
  return count;
}

type Entry = ResultOf<'loom.share_read'>['entries'][number];

/** What a remote lacks; a decision of another hub, which came over another remote, is sent as one of this hub. */
async function lackingOf(remote: Remote, tree: string, entries: readonly Entry[]): Promise<Omit<Entry, 'own'>[]> {
  const rows = await remote.query<{ id: string }>('SELECT id FROM cognition.entries WHERE tree = $1 AND id = ANY($2)', [
    ...[tree, entries.map(({ id }) => id)],
  ]);
  const there = new Set(rows.map(({ id }) => id));
  return entries.filter(({ id }) => !there.has(id)).map((entry) => entry.own ?? entry);
}

function tooLate({ name }: Remote, count: number): HubError {
  const what = count === 1 ? 'a name, mark or archive state is' : `${count} names, marks and archive states are`;
  return new HubError('conflict', `${what} later than now by the clock of ${name}; all else was sent`, {
    hint: 'set the clock of this machine right: what it decides is sent when that time has come',
  });
}
