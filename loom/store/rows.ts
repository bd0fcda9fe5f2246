import type { Role } from '../../hub/protocol/node.js';

/**
 * Rows of the database, and their JSON on the wire. Blocks and externals are JSON text already and are spliced in unparsed;
 * SQLite prints the ids as hex, which costs a third less than returning buffers.
 */

/** One node as `NODE_COLUMNS` selects it: every id and hash is lower-case hex. */
export interface NodeRow {
  seq: number;
  id: string;
  tree_id: string;
  parent_id: string | null;
  depth: number;
  role: Role;
  created_at_ms: number;
  step: string | null;
  step_index: number | null;
  step_size: number | null;
  settings_sha256: string | null;
  hash: string;
  /** Of its parent, for the check of its own. */
  parent_hash: string | null;
  /** Null without a parent. */
  parent_depth: number | null;
  external: string | null;
  blocks: string;
  meta: string | null;
  /** Whose it is, when another hub has made it. */
  by: string | null;
}

/** The hub that has made a node, in words; null for this one. */
const BY_COLUMN = `(SELECT CASE WHEN o.last >= n.seq THEN (SELECT h.name FROM hubs h WHERE h.id = o.hub) END
  FROM origins o WHERE o.tree = n.tree AND o.first <= n.seq ORDER BY o.first DESC LIMIT 1) AS "by"`;

/** What to select from `nodes AS n` for a `NodeRow`. */
export const NODE_COLUMNS = `n.seq, lower(hex(n.id)) AS id,
  (SELECT lower(hex(t.id)) FROM trees t WHERE t.tree = n.tree) AS tree_id,
  (SELECT lower(hex(p.id)) FROM nodes p WHERE p.seq = n.parent) AS parent_id,
  n.depth, n.role, n.created_at_ms,
  nullif(lower(hex(n.step)), '') AS step, n.step_index, n.step_size,
  (SELECT lower(hex(s.sha256)) FROM settings s WHERE s.settings = n.settings) AS settings_sha256,
  lower(hex(n.hash)) AS hash,
  (SELECT lower(hex(p.hash)) FROM nodes p WHERE p.seq = n.parent) AS parent_hash,
  (SELECT p.depth FROM nodes p WHERE p.seq = n.parent) AS parent_depth, n.external, n.blocks, n.meta, ${BY_COLUMN}`;

/** What is shown of a node, without what checks it. */
export type ShownRow = Omit<NodeRow, 'parent_hash' | 'parent_depth'>;

/** The JSON of a `Node`. */
export function nodeJson(row: ShownRow): string {
  return `{${sharedFields(row)},"seq":${row.seq},"depth":${row.depth},${byField(row)}${kindFields(row)}}`;
}

function byField({ by }: { by: string | null }): string {
  return by === null ? '' : `"by":${JSON.stringify(by)},`;
}

/** The JSON of a `PortableNode`. */
export function portableNodeJson(row: NodeRow): string {
  return `{${sharedFields(row)},${kindFields(row)}}`;
}

function sharedFields(row: ShownRow): string {
  return (
    `"id":"${dashed(row.id)}","tree":"${dashed(row.tree_id)}","parent":${idJson(row.parent_id)},` +
    `"created_at_ms":${row.created_at_ms},"step":${stepJson(row)},"settings":${quotedOrNull(row.settings_sha256)},` +
    `"blocks":${row.blocks},${row.meta === null ? '' : `"meta":${row.meta},`}"hash":"${row.hash}"`
  );
}

function kindFields(row: ShownRow): string {
  return row.external === null
    ? `"kind":"text","role":"${row.role}"`
    : `"kind":"external","role":"tool","external":${row.external}`;
}

/** Whether a node of `nodes AS n` has all of an object, whose JSON is bound twice; any node where that is null. */
export const HAS_META = `(? IS NULL OR CASE WHEN json_valid(n.meta) THEN NOT EXISTS (
  SELECT 1 FROM json_each(?) wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(n.meta) own
    WHERE own.key = wanted.key AND own.type = wanted.type AND own.value = wanted.value)) ELSE 0 END)`;

/** One node as `SKELETON_COLUMNS` selects it. */
export interface SkeletonRow {
  seq: number;
  id: string;
  parent: number | null;
  parent_id: string | null;
  role: Role;
  tool: string | null;
  preview: string;
  created_at_ms: number;
  step: string | null;
  step_index: number | null;
  step_size: number | null;
  exit_code: number | null;
  archived: number;
  /** Null in rows of earlier versions. */
  listing_sum: number | null;
  by: string | null;
}

/** What to select from `nodes AS n` for a `SkeletonRow`. */
export const SKELETON_COLUMNS = `n.seq, lower(hex(n.id)) AS id, n.parent,
  (SELECT lower(hex(p.id)) FROM nodes p WHERE p.seq = n.parent) AS parent_id,
  n.role, n.tool, n.preview, n.created_at_ms,
  nullif(lower(hex(n.step)), '') AS step, n.step_index, n.step_size, n.exit_code, n.listing_sum, ${BY_COLUMN},
  EXISTS (SELECT 1 FROM archived_branches a WHERE a.node = n.seq) AS archived`;

/** The JSON of a `SkeletonNode` whose row is as it was written. */
export function skeletonJson(row: SkeletonRow): string {
  const step = row.step_size !== null && row.step_size > 1 ? stepJson(row) : 'null';
  return (
    `{"id":"${dashed(row.id)}","parent":${idJson(row.parent_id)},"seq":${row.seq},"role":"${row.role}",` +
    `"tool":${JSON.stringify(row.tool)},"preview":${JSON.stringify(row.preview)},` +
    `"created_at_ms":${row.created_at_ms},"step":${step},"exit_code":${row.exit_code},` +
    `${byField(row)}"archived":${row.archived === 1}}`
  );
}

/** One tree as `TREE_COLUMNS` selects it. */
export interface TreeRow {
  tree: number;
  id: string;
  name: string | null;
  title: string;
  project: string | null;
  owner_tree: string | null;
  owner_node: string | null;
  fork_tree: string | null;
  fork_node: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  archived_at_ms: number | null;
  importing: number;
  node_count: number;
  message_count: number;
  branch_count: number;
  last_seq: number;
  /** A checksum of the row; null in rows that were written last by earlier versions. */
  row_sum: number | null;
}

/** What to select from `trees AS t` for a `TreeRow`. */
export const TREE_COLUMNS = `t.tree, lower(hex(t.id)) AS id, t.name, t.title, t.project,
  nullif(lower(hex(t.owner_tree)), '') AS owner_tree, nullif(lower(hex(t.owner_node)), '') AS owner_node,
  nullif(lower(hex(t.fork_tree)), '') AS fork_tree, nullif(lower(hex(t.fork_node)), '') AS fork_node,
  t.created_at_ms, t.updated_at_ms, t.archived_at_ms, t.importing,
  t.node_count, t.message_count, t.branch_count, t.last_seq, t.row_sum`;

/** The JSON of a `Tree` whose row is as it was written. */
export function treeJson(row: TreeRow): string {
  return (
    `{"id":"${dashed(row.id)}","name":${JSON.stringify(row.name)},"title":${JSON.stringify(row.title)},` +
    `"project":${JSON.stringify(row.project)},"owner":${ownerJson(row)},"forked_from":${forkJson(row)},` +
    `"created_at_ms":${row.created_at_ms},"updated_at_ms":${row.updated_at_ms},"archived_at_ms":${row.archived_at_ms},` +
    `"node_count":${row.node_count},"message_count":${row.message_count},"branch_count":${row.branch_count},` +
    `"last_seq":${row.last_seq}}`
  );
}

/** The JSON of a tree's owner, or null. */
export function ownerJson(row: Pick<TreeRow, 'owner_tree' | 'owner_node'>): string {
  return placeJson(row.owner_tree, row.owner_node);
}

/** The JSON of the node that a tree was forked from, or null. */
export function forkJson(row: Pick<TreeRow, 'fork_tree' | 'fork_node'>): string {
  return placeJson(row.fork_tree, row.fork_node);
}

function placeJson(tree: string | null, node: string | null): string {
  return tree === null || node === null ? 'null' : `{"tree":"${dashed(tree)}","node":"${dashed(node)}"}`;
}

/** An answer that only calls tools: its calls are listed instead. */
export const IS_SILENT = "(n.role = 'assistant' AND n.step_index = 0 AND n.step_size > 1 AND n.preview = '')";

/** One mark as `MARK_COLUMNS` selects it. */
export interface MarkRow {
  tree_id: string;
  name: string;
  /** Null where a damaged mark points at nothing. */
  node_id: string | null;
  node: number;
  set_at_ms: number;
  /** Null in rows of earlier versions. */
  row_sum: number | null;
}

/** What to select from `marks AS m` for a `MarkRow`. */
export const MARK_COLUMNS = `
  (SELECT lower(hex(t.id)) FROM trees t WHERE t.tree = m.tree) AS tree_id, m.name,
  (SELECT lower(hex(n.id)) FROM nodes n WHERE n.seq = m.node) AS node_id, m.node, m.set_at_ms, m.row_sum`;

/** The JSON of a `Mark`. */
export function markJson(row: MarkRow): string {
  return (
    `{"tree":"${dashed(row.tree_id)}","name":${JSON.stringify(row.name)},` +
    `"node":${idJson(row.node_id)},"seq":${row.node},"set_at_ms":${row.set_at_ms}}`
  );
}

/** One turn as `TURN_COLUMNS` selects it. */
export interface TurnRow {
  turn: number;
  id: string;
  tree_id: string;
  node_id: string;
  tip_id: string;
  state: string;
  started_at_ms: number;
  ended_at_ms: number | null;
}

/** What to select from `turns AS u` for a `TurnRow`. */
export const TURN_COLUMNS = `u.turn, lower(hex(u.id)) AS id,
  (SELECT lower(hex(t.id)) FROM trees t WHERE t.tree = u.tree) AS tree_id,
  (SELECT lower(hex(n.id)) FROM nodes n WHERE n.seq = u.node) AS node_id,
  (SELECT lower(hex(n.id)) FROM nodes n WHERE n.seq = u.tip) AS tip_id,
  u.state, u.started_at_ms, u.ended_at_ms`;

/** The JSON of a `Turn`. */
export function turnJson(row: TurnRow): string {
  return (
    `{"id":"${dashed(row.id)}","tree":"${dashed(row.tree_id)}","node":"${dashed(row.node_id)}",` +
    `"tip":"${dashed(row.tip_id)}","state":"${row.state}",` +
    `"started_at_ms":${row.started_at_ms},"ended_at_ms":${row.ended_at_ms}}`
  );
}

/** Hex of 16 bytes as the text form of a UUID. */
export function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A UUID or a SHA-256 as it is stored. */
export function idBlob(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idJson(hex: string | null): string {
  return hex === null ? 'null' : `"${dashed(hex)}"`;
}

function quotedOrNull(hex: string | null): string {
  return hex === null ? 'null' : `"${hex}"`;
}

function stepJson(row: Pick<NodeRow, 'step' | 'step_index' | 'step_size'>): string {
  if (row.step === null) return 'null';
  return `{"id":"${dashed(row.step)}","index":${row.step_index},"size":${row.step_size}}`;
}
