import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import { outputsOf } from '../base/node_blocks.js';
import type { ParsedOf } from '../protocol/methods/method_table.js';
import { parseSharedBody, type SharedBody } from '../protocol/methods/sharing_methods.js';
import type { Sha256, TreeId } from '../protocol/node.js';
import type { Remote } from './remote_connection.js';
import { fetchOutputs } from './shared_outputs.js';

/** About how much is fetched at once, and the most that one entry may have. */
const PAGE_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES_MAX = 64 * 1024 * 1024;
const PAGE_ENTRIES = 2_000;

// The first one comes whatever its size, unless it is larger than any can be; whose an entry is stands where that changes.
const FETCH = `
  SELECT n, id, CASE WHEN size <= $4 THEN body END AS body, CASE WHEN begins THEN hub END AS hub,
    CASE WHEN begins THEN (SELECT last FROM cognition.trees WHERE id = $1) END AS last,
    CASE WHEN begins THEN
      coalesce((SELECT left(person, 99) || ' · ' || left(machine, 98) FROM cognition.hubs h WHERE h.id = sized.hub), '') END AS by
  FROM (
    SELECT n, id, hub, body, octet_length(body) AS size, sum(octet_length(body)) OVER (ORDER BY n) AS total,
      hub IS DISTINCT FROM lag(hub) OVER (ORDER BY n) AS begins
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

type Whose = Pick<EntryRow, 'hub' | 'by' | 'last'>;
type ToldRow = Omit<EntryRow, keyof Whose> & { [K in keyof Whose]: string | null };

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
export async function entriesAfter(
  remote: Remote,
  { tree, after }: { tree: TreeId; after: number },
): Promise<EntryRow[]> {
  const rows = await remote.query<ToldRow>(FETCH, [tree, after, PAGE_BYTES, ENTRY_BYTES_MAX]);
  let whose: Whose = { hub: '', by: '', last: '' };
  return rows.map(({ n, id, body, hub, by, last }) => {
    if (hub !== null && by !== null && last !== null) whose = { hub, by, last };
    return { n, id, body, ...whose };
  });
}

/** Takes these entries, or those before the first that is refused. */
async function take(
  reach: InternalCaller,
  remote: Remote,
  { tree, owner, rows }: Pick<Fetching, 'tree' | 'owner'> & { rows: readonly EntryRow[] },
): Promise<number> {
  const large = rows.findIndex(({ body }) => body === null);
  const good = large < 0 ? rows : rows.slice(0, large);
  const apply = (some: readonly EntryRow[]): Promise<number> => applyAll(reach, remote, { tree, owner, rows: some });
  let added = 0;
  try {
    added = await apply(good);
  } catch (error) {
    if (!(error instanceof HubError) || isOurs(error)) throw error;
    for (const row of good) {
      added += await apply([row]).catch((reason: unknown) => {
        throw isOurs(reason) ? reason : refused(remote, { tree, row }, reason);
      });
    }
  }
  const row = rows[good.length];
  if (row !== undefined) throw refused(remote, { tree, row }, 'it is too large');
  return added;
}

/** A disk that is full here says nothing of an entry. */
function isOurs(reason: unknown): boolean {
  return reason instanceof HubError && ['disk_full', 'cancelled', 'network'].includes(reason.kind);
}

/** They are parsed where they are taken: as objects they would have to be copied to there. */
async function applyAll(
  reach: InternalCaller,
  remote: Remote,
  { tree, owner, rows }: Pick<Fetching, 'tree' | 'owner'> & { rows: readonly EntryRow[] },
): Promise<number> {
  const last = rows.at(-1);
  if (last === undefined) return 0;
  await fetchOutputs(reach, remote, { tree, outputs: rows.flatMap(outputsIn) });
  const params = { remote: remote.name, tree, owner, runs: runsOf(rows), fetched: Number(last.n) };
  return (await callHub(reach, 'loom.share_apply', params)).added;
}

type Run = ParsedOf<'loom.share_apply'>['runs'][number];

/** Entries of one hub that follow each other. */
function runsOf(rows: readonly EntryRow[]): Run[] {
  const runs: Run[] = [];
  for (const { hub, by, body } of rows) {
    const last = runs.at(-1);
    if (last?.hub === hub) last.bodies.push(body ?? '');
    else runs.push({ hub, by, bodies: [body ?? ''] });
  }
  return runs;
}

/** What an entry says, or why it cannot be read. */
export function bodyOf({ hub, body }: EntryRow): SharedBody | string {
  return body === null ? 'it is too large' : parseSharedBody({ hub, body });
}

function outputsIn(row: EntryRow): Sha256[] {
  // Whatever names an output has this key.
  if (row.body?.includes('"sha256"') !== true) return [];
  const body = bodyOf(row);
  if (typeof body === 'string' || 'register' in body) return [];
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
