import { SKELETON_COLUMNS, type SkeletonRow, skeletonJson } from '../rows.js';
import { requireTree } from './lookup.js';
import type { ReadContext } from './operation.js';
import { cursorNumber } from './page.js';
import type { ReadParams } from './requests.js';
import type { Slices } from './slices.js';

/** The walk reads a few small columns of each node. */
const SHAPE_ROWS = 4_000;

interface ShapeRow {
  seq: number;
  parent: number | null;
  kind: string;
  at: number;
  archived: number;
}

export const SHAPE_AFTER = `
  SELECT n.seq, n.parent,
    CASE n.role
      WHEN 'tool' THEN iif(n.exit_code IS NOT NULL AND n.exit_code <> 0, 'T', 't')
      WHEN 'assistant' THEN iif(n.step_index = 0 AND n.step_size > 1, iif(n.preview = '', 'A', 'b'), 'a')
      ELSE substr(n.role, 1, 1)
    END AS kind,
    n.created_at_ms / 1000 AS at,
    EXISTS (SELECT 1 FROM archived_branches a WHERE a.node = n.seq) AS archived
  FROM nodes n WHERE n.tree = ? AND n.seq > ? ORDER BY n.seq LIMIT ${SHAPE_ROWS}`;

export const LINES_AT = `
  SELECT ${SKELETON_COLUMNS} FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value WHERE n.tree = ?`;

/** The shape of a tree in numbers, each as the difference from its neighbour, so that 100,000 nodes are few bytes. */
export function* getShape(context: ReadContext, params: ReadParams['loom.tree_get_shape']): Slices<string> {
  const { tree } = requireTree(context.store, params.tree);
  const hidden = params.archived ? new Set() : yield* context.hidden.nodesOf(context.store, tree);
  const page = emptyPage();
  let after: number | null = cursorNumber(params.cursor, 0);
  while (after !== null) {
    const rows: ShapeRow[] = context.store.all<ShapeRow>(SHAPE_AFTER, tree, after);
    for (const row of rows) {
      if (hidden.has(row.seq)) continue;
      if (page.kind.length === params.limit) return shapeJson(page, after);
      add(page, row);
      after = row.seq;
    }
    after = rows.length < SHAPE_ROWS ? null : (rows.at(-1)?.seq ?? null);
    yield;
  }
  return shapeJson(page, null);
}

interface ShapePage {
  seq: number[];
  parent: number[];
  kind: string[];
  at: number[];
  archived: number[];
  last: { seq: number; at: number };
}

function emptyPage(): ShapePage {
  return { seq: [], parent: [], kind: [], at: [], archived: [], last: { seq: 0, at: 0 } };
}

function add(page: ShapePage, row: ShapeRow): void {
  if (row.archived === 1) page.archived.push(page.kind.length);
  page.seq.push(row.seq - page.last.seq);
  page.parent.push(row.parent === null ? 0 : row.seq - row.parent);
  page.kind.push(row.kind);
  page.at.push(row.at - page.last.at);
  page.last = row;
}

function shapeJson({ seq, parent, kind, at, archived }: ShapePage, cursor: number | null): string {
  return (
    `{"seq":[${seq.join()}],"parent":[${parent.join()}],"kind":"${kind.join('')}","at":[${at.join()}],` +
    `"archived":[${archived.join()}],"cursor":${cursor === null ? 'null' : `"${cursor}"`}}`
  );
}

/** Some nodes of a tree, as a list shows them, in the order in which they are asked for. */
export function getLines({ store }: ReadContext, params: ReadParams['loom.tree_get_lines']): string {
  const { tree } = requireTree(store, params.tree);
  const rows = store.all<SkeletonRow>(LINES_AT, JSON.stringify(params.seqs), tree);
  return `{"nodes":[${rows.map(skeletonJson).join(',')}]}`;
}
