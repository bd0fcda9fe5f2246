import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { SharedBody } from '../protocol/methods/sharing_methods.js';
import type { Node, NodeId, Sha256, TreeId } from '../protocol/node.js';
import { checkFileSets } from './check_file_sets.js';
import { bodyOf, type EntryRow, entriesAfter } from './fetch_entries.js';
import { readPage } from './read_page.js';
import type { Remote } from './remote_connection.js';
import { requirePrepared } from './remote_schema.js';
import { checkOutputs } from './shared_outputs.js';

type Report = ResultOf<'sharing.remote_fsck'>;
type CheckParams = ParsedOf<'loom.share_check'>;

const PROBLEMS_MAX = 100;
/** Nodes of one tree whose hashes are remembered: they take some 60 MB. */
const NODES_MAX = 250_000;
const REPAIRS_MAX = 10_000;

interface Check {
  reach: InternalCaller;
  remote: Remote;
  report: Report;
  /** Damaged entries by tree: their numbers by their ids. */
  damaged: Map<TreeId, Map<string, string>>;
}

interface RemoteTree {
  id: TreeId;
  last: string;
  purged: string;
}

/** Proves everything that a remote has, one page of one tree at a time. */
export async function fsckRemote(reach: InternalCaller, remote: Remote, repair: boolean): Promise<Report> {
  await requirePrepared(remote);
  const report: Report = {
    ...{
      trees: 0,
      entries: 0,
      nodes: 0,
      outputs: 0,
      file_sets: 0,
      unproven: 0,
      repaired: 0,
      problem_count: 0,
      problems: [],
    },
  };
  const check: Check = { reach, remote, report, damaged: new Map() };
  let after: string | null = null;
  for (;;) {
    const trees: RemoteTree[] = await remote.query<RemoteTree>(
      `SELECT id, last, purged_at IS NOT NULL AS purged FROM cognition.trees
       WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT 500`,
      [after],
    );
    for (const tree of trees) await checkTree(check, tree);
    after = trees.at(-1)?.id ?? null;
    if (after === null) break;
  }
  const outputs = await checkOutputs(remote, (problem) => tell(report, { tree: null, entry: null, problem }));
  report.outputs = outputs;
  report.file_sets = await checkFileSets(remote, (tree, problem) => tell(report, { tree, entry: null, problem }));
  if (repair) for (const [tree, entries] of check.damaged) report.repaired += await putBack(check, tree, entries);
  return report;
}

/** What is remembered of a tree while it is read. */
interface Seen {
  tree: TreeId;
  hashes: Map<NodeId, Sha256>;
  settings: Set<Sha256>;
}

async function checkTree(check: Check, { id: tree, last, purged }: RemoteTree): Promise<void> {
  const { remote, report } = check;
  const seen: Seen = { tree, hashes: new Map(), settings: new Set() };
  let after = 0;
  report.trees += 1;
  for (;;) {
    const rows = await entriesAfter(remote, { tree, after });
    for (const { n } of rows) {
      if (Number(n) !== after + 1) tellGap(report, tree, { from: after + 1, to: Number(n) - 1 });
      after = Number(n);
    }
    if (rows.length === 0) break;
    if (purged === 't') return tell(report, { tree, entry: null, problem: 'it is deleted, and its entries are there' });
    report.entries += rows.length;
    await checkPage(check, seen, rows);
  }
  // Others may write meanwhile: only what was counted before must be there.
  if (purged === 'f' && after < Number(last)) tellGap(report, tree, { from: after + 1, to: Number(last) });
}

function tellGap(report: Report, tree: TreeId, { from, to }: { from: number; to: number }): void {
  const problem = from === to ? 'it is missing' : `it and all up to ${to} are missing`;
  tell(report, { tree, entry: from, problem });
}

/** Proves entries together, or one by one where they do not prove. */
async function checkPage(check: Check, seen: Seen, rows: readonly EntryRow[]): Promise<void> {
  const bodies = rows.map((row) => ({ row, body: bodyOf(row) }));
  const good = bodies.flatMap(({ body }) => (typeof body === 'string' ? [] : [body]));
  const isWhole = good.length === rows.length && (await proof(check, seen, good)) === null && bodies.every(hasItsId);
  for (const { row, body } of bodies) {
    const problem = isWhole ? null : await problemOf(check, seen, { row, body });
    if (problem !== null) {
      tell(check.report, { tree: seen.tree, entry: Number(row.n), problem });
      noteDamaged(check, seen.tree, row);
    }
    if (typeof body !== 'string') remember(check.report, seen, body);
  }
}

type Parsed = { row: EntryRow; body: SharedBody | string };

async function problemOf(check: Check, seen: Seen, { row, body }: Parsed): Promise<string | null> {
  if (typeof body === 'string') return body;
  return hasItsId({ row, body }) ? proof(check, seen, [body]) : 'it is another than its id says';
}

/** By its id a hub knows whether an entry is there already. */
function hasItsId({ row, body }: Parsed): boolean {
  if (typeof body === 'string') return false;
  if ('register' in body) return row.id.startsWith(`register ${body.register.of} `);
  const [first] = body.records;
  if (first?.kind === 'settings') return row.id === `settings ${first.sha256}`;
  return first?.kind === 'node' ? row.id === `node ${first.node.id}` : row.id === 'root';
}

/** Why entries do not prove; null when they do. Nodes whose parents were forgotten are left out. */
async function proof({ reach, report }: Check, seen: Seen, bodies: readonly SharedBody[]): Promise<string | null> {
  const nodes = new Map<NodeId, Sha256>();
  const provable: SharedBody[] = [];
  for (const body of bodies) {
    const wanted = standsOn(body);
    for (const id of wanted) {
      const hash = seen.hashes.get(id);
      if (hash !== undefined) nodes.set(id, hash);
    }
    if (seen.hashes.size === NODES_MAX && wanted.some((id) => !seen.hashes.has(id))) report.unproven += 1;
    else provable.push(body);
  }
  const params: CheckParams = {
    ...{ tree: seen.tree, bodies: provable, settings: [...seen.settings] },
    nodes: [...nodes].map(([id, hash]) => ({ id, hash })),
  };
  try {
    await callHub(reach, 'loom.share_check', params);
    return null;
  } catch (error) {
    if (error instanceof HubError && error.kind === 'invalid_params') return error.message;
    throw error;
  }
}

/** The nodes of other entries that an entry points at. */
function standsOn(body: SharedBody): NodeId[] {
  if ('register' in body) {
    const { register } = body;
    if (register.of === 'mark') return register.value === null ? [] : [register.value];
    return register.of === 'branch' ? [register.node] : [];
  }
  const [first] = nodesIn(body);
  return first === undefined || first.parent === null ? [] : [first.parent];
}

type PortableNode = Pick<Node, 'id' | 'parent' | 'hash'>;

function nodesIn(body: SharedBody): PortableNode[] {
  if ('register' in body) return [];
  return body.records.flatMap((record) => (record.kind === 'node' ? [record.node] : []));
}

/** Also what did not prove, by the hash that it claims: what is below it is not damaged by that. */
function remember(report: Report, { hashes, settings }: Seen, body: SharedBody): void {
  for (const { id, hash } of nodesIn(body)) {
    report.nodes += 1;
    hashes.set(id, hash);
    if (hashes.size <= NODES_MAX) continue;
    const [oldest] = hashes.keys();
    if (oldest !== undefined) hashes.delete(oldest);
  }
  if ('register' in body) return;
  for (const record of body.records) if (record.kind === 'settings') settings.add(record.sha256);
}

function noteDamaged({ damaged }: Check, tree: TreeId, { n, id }: EntryRow): void {
  const entries = damaged.get(tree) ?? new Map<string, string>();
  if (entries.size < REPAIRS_MAX) damaged.set(tree, entries.set(id, n));
}

function tell(report: Report, problem: Report['problems'][number]): void {
  report.problem_count += 1;
  if (report.problems.length < PROBLEMS_MAX) report.problems.push(problem);
}

/** Puts entries back as they are here. Returns how many; what is not here stays as it is. */
async function putBack({ reach, remote }: Check, tree: TreeId, entries: ReadonlyMap<string, string>): Promise<number> {
  let count = 0;
  try {
    for (let after = 0, more = true; more; ) {
      const page = await readPage(reach, { tree, after, limit: 500 });
      for (const { id, body } of page.entries) {
        const n = entries.get(id);
        if (n === undefined) continue;
        const values = [tree, n, body.toString()];
        await remote.query('UPDATE cognition.entries SET body = $3 WHERE tree = $1 AND n = $2', values);
        count += 1;
      }
      after = page.to;
      more = page.more;
    }
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'not_found')) throw error;
  }
  return count;
}
