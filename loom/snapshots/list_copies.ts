import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { pathTo } from '../read/walk_path.js';
import { requireNode } from '../store/require_rows.js';
import { dashed, idBlob } from '../store/rows.js';

interface CopyRow {
  turn: string;
  tree: string;
  node: string;
  folder: string;
  project: string;
  label: string;
  check: string | null;
  base: string;
  at_ms: number;
}

const COPIES_MAX = 200;
const COPIES = `SELECT lower(hex(c.turn)) AS turn, lower(hex(t.id)) AS tree, lower(hex(n.id)) AS node, lower(hex(c.folder)) AS folder,
  c.project, c.label, c."check", lower(hex(c.base)) AS base, c.at_ms
  FROM copies c CROSS JOIN trees t ON t.tree = c.tree CROSS JOIN nodes n ON n.seq = c.node
  WHERE (? IS NULL OR t.id = ?) AND (? IS NULL OR c.turn = ?) AND (? IS NULL OR c.node = ?) ORDER BY c.node DESC, c.at_ms, c.label LIMIT ${COPIES_MAX}`;
const NEAREST = 'SELECT max(c.node) AS node FROM json_each(?) p CROSS JOIN copies c ON c.node = p.value';

export function* listCopies(context: ReadContext, params: ReadParams['loom.copy_list']): Slices<string> {
  const { store } = context;
  const path = params.node === null ? null : yield* pathTo(context, requireNode(store, params.node).seq);
  const nearest = path === null ? null : store.get<{ node: number | null }>(NEAREST, JSON.stringify(path))?.node;
  if (nearest === null && path !== null) return '{"copies":[]}';
  const at = nearest ?? null;
  const tree = params.tree === null ? null : idBlob(params.tree);
  const turn = params.turn === null ? null : idBlob(params.turn);
  const rows = store.all<CopyRow>(COPIES, ...[tree, tree, turn, turn, at, at]);
  const ids = (row: CopyRow) => ({ turn: dashed(row.turn), tree: dashed(row.tree), node: dashed(row.node) });
  return JSON.stringify({ copies: rows.map((row) => ({ ...row, ...ids(row) })) });
}
