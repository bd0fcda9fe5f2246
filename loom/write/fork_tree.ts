import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { NodeId } from '../../hub/protocol/node.js';
import { derivedId } from '../store/derived_id.js';
import { hashMatches } from '../store/node_hash.js';
import { findTree, requireNodeOfTree, requireTree } from '../store/require_rows.js';
import { dashed, NODE_COLUMNS, type NodeRow, type TreeRow } from '../store/rows.js';
import { stepEnd } from '../store/step_end.js';
import type { Store } from '../store/store.js';
import type { WithId } from './append_nodes.js';
import { insertTree, originOf, refuseTakenName, storedOrigin } from './change_trees.js';
import { currentTreeJson, findNode, type StoredNode } from './find_rows.js';
import { finishImport } from './import_tree.js';
import { type Above, insertNode, type NodeDraft } from './insert_node.js';
import { sealMarks } from './marks.js';
import { conflict, type WriteContext, type WriteOp } from './write_operation.js';

type ForkParams = WithId<ParsedOf<'loom.tree_fork'>>;

/** The most that one call copies: others wait for it. */
const NODES_MAX = 500;
const BYTES_MAX = 2 * 1024 * 1024;

const PATH = `WITH RECURSIVE up (seq, parent, depth) AS (
    SELECT seq, parent, ? FROM nodes WHERE seq = ?
    UNION ALL SELECT n.seq, n.parent, up.depth - 1 FROM up CROSS JOIN nodes n ON n.seq = up.parent
  )`;
const PATH_FROM = `${PATH} SELECT seq FROM up WHERE depth >= ? ORDER BY depth LIMIT ${NODES_MAX}`;
const COPIED = `SELECT ${NODE_COLUMNS}, n.imported FROM nodes n WHERE n.seq = ?`;
const NEWEST = 'SELECT lower(hex(id)) AS id FROM nodes WHERE tree = ? ORDER BY seq DESC LIMIT 1';
// A copy is one path, so that a node and its copy have the same depth.
const COPIES = `${PATH}, copies AS MATERIALIZED (SELECT depth, seq FROM nodes WHERE tree = ?)`;
const MARKS = `${COPIES} INSERT INTO marks (tree, name, node, set_at_ms)
  SELECT ?, m.name, c.seq, m.set_at_ms FROM marks m JOIN up ON up.seq = m.node JOIN copies c ON c.depth = up.depth
  WHERE m.tree = ?`;
const SNAPSHOTS = `${COPIES} INSERT INTO snapshots (tree, node, folder, root, at_ms, kind)
  SELECT ?, c.seq, s.folder, s.root, s.at_ms, s.kind
  FROM snapshots s JOIN up ON up.seq = s.node JOIN copies c ON c.depth = up.depth
  WHERE s.tree = ? AND s.kind IN ('before', 'after') ORDER BY s.snapshot`;

/** Copies the next nodes of a path into a hidden tree, which appears when it has all of them, with their marks. */
export const forkTree: WriteOp<ForkParams> = (context, params) => {
  const { store } = context;
  const source = requireNodeOfTree(store, params.node, params.tree);
  const end = settled(store, params.node);
  const row = requireCopy(context, params, end);
  const total = end.depth + 1;
  const done = row.importing === 0 ? total : copyNodes(context, { tree: row, end, id: params.id });
  if (done < total) return `{"id":"${params.id}","copied":${done},"total":${total},"forked":null}`;
  if (row.importing === 1) {
    for (const sql of [MARKS, SNAPSHOTS]) store.run(sql, end.depth, end.seq, row.tree, row.tree, source.tree);
    sealMarks(store, row.tree);
    finishImport(context, row);
  }
  const node = copyOf(params.id, { id: end.id, isRoot: end.parent === null });
  return (
    `{"id":"${params.id}","copied":${total},"total":${total},` +
    `"forked":{"tree":${currentTreeJson(store, params.id)},"node":"${node}"}}`
  );
};

function settled(store: Store, id: string): StoredNode {
  const node = findNode(store, id);
  const end = node === undefined ? undefined : findNode(store, stepEnd(store, node));
  if (end === undefined) throw new HubError('internal', `node ${id} vanished inside a transaction`);
  return end;
}

/** The tree that the copies go into; a new one with the first call. */
function requireCopy(context: WriteContext, params: ForkParams, end: StoredNode): TreeRow {
  const { store } = context;
  const { project } = requireTree(store, params.tree);
  const forked_from = { tree: params.tree, node: NodeId.parse(dashed(end.id)) };
  const origin = { name: params.name, project, owner: null, forked_from };
  const existing = findTree(store, params.id);
  if (existing !== undefined && storedOrigin(store, existing.tree) === originOf(origin)) return existing;
  if (existing !== undefined || findNode(store, params.id) !== undefined) {
    throw conflict(`the id ${params.id} is in use already`, 'use a fresh random id for each new tree');
  }
  refuseTakenName(store, params.name);
  return insertTree(context, { ...origin, id: params.id, importing: true, createdAtMs: context.atMs });
}

interface Copying {
  tree: TreeRow;
  /** The end of the path. */
  end: StoredNode;
  id: string;
}

/** Returns how many nodes are copied now. */
function copyNodes(context: WriteContext, { tree, end, id }: Copying): number {
  const { store } = context;
  const newest = store.get<{ id: string }>(NEWEST, tree.tree);
  let above: Above | null = newest === undefined ? null : (findNode(store, dashed(newest.id)) ?? null);
  const from = above === null ? 0 : above.depth + 1;
  let bytes = 0;
  for (const { seq } of store.all<{ seq: number }>(PATH_FROM, end.depth, end.seq, from)) {
    const row = store.get<NodeRow & { imported: number }>(COPIED, seq);
    if (row === undefined || !hashMatches(row)) throw damaged(row);
    const place = { tree, above, createdAtMs: row.created_at_ms, siblings: NO_SIBLINGS, by: null };
    above = insertNode(context, copyDraft(id, row), { ...place, outputs: row.imported === 1 ? 'from_file' : 'later' });
    bytes += row.blocks.length + (row.external?.length ?? 0);
    if (bytes > BYTES_MAX) break;
  }
  return above === null ? 0 : above.depth + 1;
}

const NO_SIBLINGS = { isAny: false, isAnyVisible: false };

function copyDraft(tree: string, row: NodeRow): NodeDraft {
  const { step, step_index: index, step_size: size } = row;
  return {
    id: copyOf(tree, { id: row.id, isRoot: row.parent_id === null }),
    role: row.role,
    step:
      step === null || index === null || size === null
        ? null
        : { id: copyOf(tree, { id: step, isRoot: false }), index, size },
    settings: row.settings_sha256,
    blocks: JSON.parse(row.blocks),
    meta: row.meta === null ? undefined : JSON.parse(row.meta),
    external: row.external === null ? null : JSON.parse(row.external),
  };
}

/** The id of a copy: a call that is sent again makes the same one. The root has the tree's id. */
function copyOf(tree: string, { id, isRoot }: { id: string; isRoot: boolean }): string {
  return isRoot ? tree : derivedId(`${tree} ${dashed(id)}`);
}

function damaged(row: NodeRow | undefined): HubError {
  return new HubError('storage_failed', `node ${row === undefined ? '' : dashed(row.id)} of the path is damaged`, {
    hint: ['see what is damaged: ', cliCommand('fsck')],
  });
}
