import { cursorNumber } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import { siblingRanks } from '../registers/sibling_order.js';
import { listedJson } from '../store/damaged_row.js';
import { requireTree } from '../store/require_rows.js';
import { SKELETON_COLUMNS, type SkeletonRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { ReadParams } from './read_methods.js';

/** The walk reads a few small columns of each node. */
const SHAPE_ROWS = 4_000;

/** Lists of numbers, as JSON, and a letter for each: 4,000 rows as objects would take three times as long. */
interface ShapeRows {
  seq: string;
  /** By how much the number of the parent is smaller; 0 for the root. */
  up: string;
  kind: string | null;
  at: string;
}

const LISTS = `json_group_array(seq) AS seq, json_group_array(up) AS up, group_concat(kind, '') AS kind,
    json_group_array(at) AS at`;
const COLUMNS = `n.seq, n.seq - ifnull(n.parent, n.seq) AS up,
      CASE n.role
        WHEN 'tool' THEN iif(n.exit_code IS NOT NULL AND n.exit_code <> 0, 'T', 't')
        WHEN 'assistant' THEN iif(n.step_index = 0 AND n.step_size > 1, iif(n.preview = '', 'A', 'b'), 'a')
        ELSE substr(n.role, 1, 1)
      END AS kind,
      n.created_at_ms / 1000 AS at`;

export const SHAPE_AFTER = `
  SELECT ${LISTS} FROM (
    SELECT ${COLUMNS} FROM nodes n WHERE n.tree = ? AND n.seq > ? ORDER BY n.seq LIMIT ${SHAPE_ROWS})`;

/** The nodes with these numbers, in this order. */
export const SHAPE_AT = `
  SELECT ${LISTS} FROM (SELECT ${COLUMNS} FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value)`;

/** The tops of archived branches: few, so they are read once instead of per node. */
const ARCHIVED_TOPS = 'SELECT node FROM archived_branches WHERE tree = ?';

export const LINES_AT = `
  SELECT ${SKELETON_COLUMNS} FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value WHERE n.tree = ?`;

/** The shape of a tree as delta-coded columns, so that 100,000 nodes are few bytes. */
export function* getShape(context: ReadContext, params: ReadParams['loom.tree_get_shape']): Slices<string> {
  const { tree } = requireTree(context.store, params.tree);
  const hidden = params.archived ? new Set<number>() : yield* context.hidden.nodesOf(context.store, tree);
  const tops = archivedTops(context.store, tree);
  const page = emptyPage();
  let after: number | null = cursorNumber(params.cursor, 0);
  while (after !== null) {
    const [rows] = context.store.all<ShapeRows>(SHAPE_AFTER, tree, after);
    const seqs = numbers(rows?.seq);
    const taken = rows === undefined ? 0 : add(page, { rows, seqs, hidden, tops, limit: params.limit });
    if (taken < seqs.length) return shapeJson(page, { ranks: [], cursor: page.last.seq });
    after = seqs.length < SHAPE_ROWS ? null : (seqs.at(-1) ?? null);
    yield;
  }
  return shapeJson(page, { ranks: siblingRanks(context.store, tree), cursor: null });
}

/** The shape of these nodes, which must exist, in ascending order. */
export function shapeAt(store: Store, seqs: readonly number[]): string {
  const [rows] = store.all<ShapeRows>(SHAPE_AT, JSON.stringify(seqs));
  const page = emptyPage();
  const none = new Set<number>();
  if (rows !== undefined) add(page, { rows, seqs: numbers(rows.seq), hidden: none, tops: none, limit: seqs.length });
  return columnsJson(page);
}

export function archivedTops(store: Store, tree: number): ReadonlySet<number> {
  return new Set(store.all<{ node: number }>(ARCHIVED_TOPS, tree).map(({ node }) => node));
}

interface ShapePage {
  seq: number[];
  parent: number[];
  kind: string;
  at: number[];
  archived: number[];
  last: { seq: number; at: number };
}

function emptyPage(): ShapePage {
  return { seq: [], parent: [], kind: '', at: [], archived: [], last: { seq: 0, at: 0 } };
}

interface ShapeSlice {
  rows: ShapeRows;
  seqs: readonly number[];
  hidden: ReadonlySet<number>;
  tops: ReadonlySet<number>;
  limit: number;
}

/** Adds the visible rows, and returns how many rows were consumed before the page was full. */
function add(page: ShapePage, { rows, seqs, hidden, tops, limit }: ShapeSlice): number {
  const [ups, ats, kind] = [numbers(rows.up), numbers(rows.at), rows.kind ?? ''];
  // By index, for speed: this runs for every node of a large tree.
  for (let index = 0; index < seqs.length; index += 1) {
    const [seq, at] = [seqs[index] ?? 0, ats[index] ?? 0];
    if (hidden.has(seq)) continue;
    if (page.seq.length === limit) return index;
    if (tops.has(seq)) page.archived.push(page.seq.length);
    page.seq.push(seq - page.last.seq);
    page.parent.push(ups[index] ?? 0);
    page.kind += kind[index] ?? '';
    page.at.push(at - page.last.at);
    page.last = { seq, at };
  }
  return seqs.length;
}

function numbers(json = '[]'): number[] {
  return JSON.parse(json);
}

function shapeJson(page: ShapePage, { ranks, cursor }: { ranks: number[]; cursor: number | null }): string {
  return `{${columnsJson(page)},"ranks":[${ranks.join()}],"cursor":${cursor === null ? 'null' : `"${cursor}"`}}`;
}

function columnsJson({ seq, parent, kind, at, archived }: ShapePage): string {
  return (
    `"seq":[${seq.join()}],"parent":[${parent.join()}],"kind":"${kind}","at":[${at.join()}],` +
    `"archived":[${archived.join()}]`
  );
}

/** Nodes of a tree as list rows, in the order of the request. */
export function getLines({ store }: ReadContext, params: ReadParams['loom.tree_get_lines']): string {
  const { tree } = requireTree(store, params.tree);
  const rows = store.all<SkeletonRow>(LINES_AT, JSON.stringify(params.seqs), tree);
  return `{"nodes":[${rows.map(listedJson).join(',')}]}`;
}
