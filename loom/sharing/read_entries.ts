import { HubError } from '../../hub/base/error.js';
import { outputsOf } from '../../hub/base/node_blocks.js';
import type { Block, External } from '../../hub/protocol/node.js';
import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { hubId } from '../registers/hub_id.js';
import { listRegisters } from '../registers/registers.js';
import { newestSeq } from '../store/newest_seq.js';
import { hashMatches } from '../store/node_hash.js';
import { requireTree } from '../store/require_rows.js';
import { dashed, type NodeRow, ownerJson, portableNodeJson, type TreeRow } from '../store/rows.js';
import { checkedSettings } from '../store/settings_row.js';
import type { Store } from '../store/store.js';
import { type BodyList, createBodyList } from './body_list.js';

/** About how much one page of entries holds. */
const PAGE_BYTES = 1024 * 1024;
// Without what is the same for all, or known of the parent on the same page.
const NODES_AFTER = `SELECT n.seq, lower(hex(n.id)) AS id, n.parent, n.depth, n.role, n.created_at_ms,
    nullif(lower(hex(n.step)), '') AS step, n.step_index, n.step_size,
    (SELECT lower(hex(s.sha256)) FROM settings s WHERE s.settings = n.settings) AS settings_sha256,
    lower(hex(n.hash)) AS hash, n.external, n.blocks, n.meta
  FROM nodes n WHERE n.tree = ? AND n.seq > ? AND n.seq <= ? ORDER BY n.seq LIMIT ${SLICE_ROWS}`;
const PARENT = 'SELECT lower(hex(p.id)) AS id, lower(hex(p.hash)) AS hash FROM nodes p WHERE p.seq = ?';

type ReadRow = Omit<NodeRow, 'tree_id' | 'parent_id' | 'parent_hash' | 'parent_depth' | 'by'> & {
  parent: number | null;
};
type Parent = Pick<NodeRow, 'id' | 'hash'>;

interface RegisterEntry {
  id: string;
  body: string;
}

/** A page of entries: steps stay whole, and each setting stands before the first node that names it. */
interface Filling {
  entries: { id: string; bytes: number; own?: RegisterEntry }[];
  bodies: BodyList;
  outputs: Set<string>;
  settings: Set<string>;
  /** The nodes of this page, by their numbers. */
  parents: Map<number, Parent>;
  /** The step that is being put together. */
  open: { id: string; left: number; records: string[] } | null;
}

/** What a remote may lack of a tree, in an order in which it can be taken. The registers come with the last page. */
export function* readEntries(
  { store }: ReadContext,
  params: ReadParams['loom.share_read'],
): Slices<Uint8Array<ArrayBuffer>> {
  const row = requireTree(store, params.tree);
  const newest = newestSeq(store);
  const filling: Filling = {
    ...{ entries: [], bodies: createBodyList(), outputs: new Set(), settings: new Set(), open: null },
    parents: new Map(),
  };
  let to = params.after;
  for (;;) {
    const rows = store.all<ReadRow>(NODES_AFTER, row.tree, to, newest);
    for (const node of rows) {
      if (filling.open === null && isFull(filling, params.limit)) return pageOf(filling, { to, more: true });
      addNode(store, { filling, row, node: wholeRow(store, { filling, row, node }) });
      to = node.seq;
    }
    if (rows.length < SLICE_ROWS) break;
    yield;
  }
  const hub = hubId(store);
  for (const register of listRegisters(store, row.tree)) {
    const { id, body } = registerEntry(register);
    const own = register.hub === hub ? {} : { own: registerEntry({ ...register, hub }) };
    filling.entries.push({ id, bytes: filling.bodies.add(body), ...own });
  }
  return pageOf(filling, { to: newest, more: false });
}

function registerEntry(register: ReturnType<typeof listRegisters>[number]): RegisterEntry {
  const { of, value, ...rest } = register;
  const id = ['register', of, ...Object.values(rest), JSON.stringify(value)].join(' ');
  return { id, body: JSON.stringify({ register }) };
}

function isFull({ entries, bodies }: Filling, limit: number): boolean {
  return entries.length >= limit || bodies.bytes() >= PAGE_BYTES;
}

function wholeRow(
  store: Store,
  { filling: { parents }, row, node }: { filling: Filling; row: TreeRow; node: ReadRow },
): NodeRow {
  const parent =
    node.parent === null ? undefined : (parents.get(node.parent) ?? store.get<Parent>(PARENT, node.parent));
  const { id, hash } = node;
  // Not the whole row: what a page holds is copied by each collection of garbage.
  parents.set(node.seq, { id, hash });
  const { id: parent_id = null, hash: parent_hash = null } = parent ?? {};
  return Object.assign(node, { tree_id: row.id, parent_id, parent_hash, parent_depth: null, by: null });
}

function addNode(store: Store, { filling, row, node }: { filling: Filling; row: TreeRow; node: NodeRow }): void {
  if (!hashMatches(node)) {
    throw new HubError('storage_failed', `node ${dashed(node.id)} is damaged, so it is not shared`, {
      hint: 'a hub that has it whole can give it back: share the tree from there',
    });
  }
  const { settings_sha256: settings } = node;
  if (settings !== null && !filling.settings.has(settings)) {
    filling.settings.add(settings);
    add(filling, `settings ${settings}`, [settingsRecord(store, settings)]);
  }
  if (namesOutput(node.blocks) || namesOutput(node.external ?? '')) {
    const contents: { blocks: Block[]; external: External | null } = {
      blocks: JSON.parse(node.blocks),
      external: JSON.parse(node.external ?? 'null'),
    };
    for (const sha256 of outputsOf(contents)) filling.outputs.add(sha256);
  }
  const record = `{"kind":"node","node":${portableNodeJson(node)}}`;
  if (node.parent_id === null) add(filling, 'root', [treeRecord(row), record]);
  else addToStep(filling, node, record);
}

/** Whatever names an output has this key. */
const namesOutput = (json: string): boolean => json.includes('"sha256"');

function addToStep(filling: Filling, node: NodeRow, record: string): void {
  filling.open ??= { id: dashed(node.id), left: node.step_size ?? 1, records: [] };
  filling.open.records.push(record);
  filling.open.left -= 1;
  if (filling.open.left > 0) return;
  add(filling, `node ${filling.open.id}`, filling.open.records);
  filling.open = null;
}

function add(filling: Filling, id: string, records: readonly string[]): void {
  filling.entries.push({ id, bytes: filling.bodies.add(`{"records":[${records.join(',')}]}`) });
}

/** Without the folder, which is one of this machine. */
function treeRecord(row: TreeRow): string {
  const tree =
    `{"id":"${dashed(row.id)}","name":${JSON.stringify(row.name)},"project":null,` +
    `"owner":${ownerJson(row)},"created_at_ms":${row.created_at_ms}}`;
  return `{"kind":"tree","format":1,"tree":${tree}}`;
}

function settingsRecord(store: Store, sha256: string): string {
  const sql = 'SELECT lower(hex(sha256)) AS sha256, body FROM settings WHERE sha256 = ?';
  const stored = store.get<{ sha256: string; body: string }>(sql, Buffer.from(sha256, 'hex'));
  if (stored === undefined) throw new HubError('storage_failed', `settings ${sha256} are missing`);
  return `{"kind":"settings","sha256":"${stored.sha256}","settings":${checkedSettings(stored)}}`;
}

/** The bodies come last, so that they can be told apart by their lengths without being parsed. */
function pageOf(
  { entries, bodies, outputs }: Filling,
  { to, more }: { to: number; more: boolean },
): Uint8Array<ArrayBuffer> {
  const head = JSON.stringify({ entries, outputs: [...outputs], to, more });
  return bodies.between(`${head.slice(0, -1)},"bodies":[`, ']}');
}
