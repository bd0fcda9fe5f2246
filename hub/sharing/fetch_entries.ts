import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import { outputsOf } from '../base/node_blocks.js';
import { SharedBody } from '../protocol/methods/sharing_methods.js';
import type { Sha256, TreeId } from '../protocol/node.js';
import type { Remote } from './remote_connection.js';
import { fetchOutputs } from './shared_outputs.js';

/** About how much is fetched at once, and the most that one entry may have. */
const PAGE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES_MAX = 64 * 1024 * 1024;
const PAGE_ENTRIES = 2_000;

// The first one comes whatever its size, unless it is larger than any can be.
const FETCH = `
  SELECT n, id, hub, CASE WHEN size <= $4 THEN body END AS body, (SELECT last FROM cognition.trees WHERE id = $1) AS last,
    coalesce((SELECT left(person, 99) || ' · ' || left(machine, 98) FROM cognition.hubs h WHERE h.id = sized.hub), '') AS by FROM (
    SELECT n, id, hub, body, octet_length(body) AS size, sum(octet_length(body)) OVER (ORDER BY n) AS total
    FROM (SELECT * FROM cognition.entries WHERE tree = $1 AND n > $2 ORDER BY n LIMIT ${PAGE_ENTRIES}) AS page
  ) AS sized WHERE total - size <= $3 ORDER BY n`;

/** An entry as it lies at the remote. */
export interface EntryRow {
  n: string;
  id: string;
  hub: string;
  body: string | null;
  /** Whose that hub is. */
  by: string;
  /** The newest entry that the tree has. */
  last: string;
}

export interface Fetching {
  tree: TreeId;
  /** What it must belong to; null for one that may be anything. */
  owner: TreeId | null;
  after: number;
  /** Told after each page. */
  onReceived(nodes: number): void;
}

/** Takes what is new of a tree at the remote. Returns the number of new nodes; what does not prove stops it, and is named. */
export async function fetchTree(reach: InternalCaller, remote: Remote, fetching: Fetching): Promise<number> {
  let added = 0;
  let next: Promise<EntryRow[]> | null = entriesAfter(remote, fetching);
  while (next !== null) {
    const rows: EntryRow[] = await next;
    const last = rows.at(-1);
    if (last === undefined) break;
    // It comes while this one is taken.
    next = last.n === last.last ? null : entriesAfter(remote, { ...fetching, after: Number(last.n) });
    next?.catch(() => undefined); // told when it is waited for
    added += await take(reach, remote, { ...fetching, rows });
    fetching.onReceived(added);
  }
  return added;
}

/** A page of entries, in their order. */
export function entriesAfter(remote: Remote, { tree, after }: { tree: TreeId; after: number }): Promise<EntryRow[]> {
  return remote.query<EntryRow>(FETCH, [tree, after, PAGE_BYTES, ENTRY_BYTES_MAX]);
}

/** Takes these entries, or those before the first that is refused. */
async function take(
  reach: InternalCaller,
  remote: Remote,
  { tree, owner, rows }: Pick<Fetching, 'tree' | 'owner'> & { rows: readonly EntryRow[] },
): Promise<number> {
  const good: { row: EntryRow; body: SharedBody }[] = [];
  let bad: { row: EntryRow; why: string } | null = null;
  for (const row of rows) {
    const body = bodyOf(row);
    if (typeof body === 'string') bad = { row, why: body };
    else good.push({ row, body });
    if (bad !== null) break;
  }
  const apply = (some: typeof good): Promise<number> => applyAll(reach, remote, { tree, owner, entries: some });
  let added = 0;
  try {
    added = await apply(good);
  } catch (error) {
    if (!(error instanceof HubError) || isOurs(error)) throw error;
    for (const one of good) {
      added += await apply([one]).catch((reason: unknown) => {
        throw isOurs(reason) ? reason : refused(remote, { tree, row: one.row }, reason);
      });
    }
  }
  if (bad !== null) throw refused(remote, { tree, row: bad.row }, bad.why);
  return added;
}

/** A disk that is full here says nothing of an entry. */
function isOurs(reason: unknown): boolean {
  return reason instanceof HubError && ['disk_full', 'cancelled', 'network'].includes(reason.kind);
}

async function applyAll(
  reach: InternalCaller,
  remote: Remote,
  {
    tree,
    owner,
    entries,
  }: Pick<Fetching, 'tree' | 'owner'> & { entries: readonly { row: EntryRow; body: SharedBody }[] },
): Promise<number> {
  const last = entries.at(-1);
  if (last === undefined) return 0;
  await fetchOutputs(reach, remote, { tree, outputs: entries.flatMap(({ body }) => outputsIn(body)) });
  const bodies = entries.map(({ row: { hub, by }, body }) => ({ hub, by, body }));
  const fetched = Number(last.row.n);
  return (await callHub(reach, 'loom.share_apply', { remote: remote.name, tree, owner, bodies, fetched })).added;
}

/** What an entry says, or why it cannot be read. */
export function bodyOf({ hub, body }: EntryRow): SharedBody | string {
  if (body === null) return 'it is too large';
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return 'it is not JSON'; // what else of it could be told is the writer's text
  }
  const parsed = SharedBody.safeParse(json);
  if (!parsed.success) return 'it is of no known form';
  const isForeign = 'register' in parsed.data && parsed.data.register.hub !== hub;
  return isForeign ? 'it decides in the name of another hub' : parsed.data;
}

function outputsIn(body: SharedBody): Sha256[] {
  if ('register' in body) return [];
  return body.records.flatMap((record) => {
    if (record.kind !== 'node') return [];
    const { node } = record;
    return [...outputsOf({ blocks: node.blocks, external: node.kind === 'external' ? node.external : null })];
  });
}

function refused({ name }: Remote, { tree, row }: { tree: TreeId; row: EntryRow }, why: unknown): HubError {
  const reason = why instanceof HubError ? why.message : String(why);
  return new HubError(
    'conflict',
    `entry ${row.n} of ${tree.slice(0, 8)} at ${name}, of the hub ${row.hub.slice(0, 8)}, is refused: ${reason}`,
    {
      hint: 'the conversation stays as it is here and can be gone on with; who owns the remote can delete the entry',
    },
  );
}
