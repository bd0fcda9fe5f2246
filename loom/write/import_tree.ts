import { existsSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ExportRecord } from '../../hub/protocol/methods/tree_methods.js';
import type { Sha256 } from '../../hub/protocol/node.js';
import { outputPath } from '../outputs/output_path.js';
import { findTree } from '../store/require_rows.js';
import { ARCHIVE_BRANCH } from '../store/row_sums.js';
import { dashed, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { recountBranches, requireStepStart } from './archive_branches.js';
import { announceTree, changeTree, freeName, insertTree, type originOf } from './change_trees.js';
import { currentTreeJson, findNode } from './find_rows.js';
import {
  createNodeImport,
  damagedError,
  expectNodes,
  importNode,
  type NodeImport,
  nodeIds,
  refuseTornSteps,
  requireImportedTree,
} from './import_nodes.js';
import { sealMarks } from './marks.js';
import { storeSettings } from './put_settings.js';
import { sealTree } from './tree_counters.js';
import { invalid, type WriteContext, type WriteOp } from './write_operation.js';

type TreeRecord = Extract<ExportRecord, { kind: 'tree' }>['tree'];

interface ImportCounts {
  added: number;
  present: number;
}

export const importTree: WriteOp<ParsedOf<'loom.tree_import'>> = (context, { tree, records, done, takes_project }) => {
  refuseArchived(context.store, tree);
  const counts: ImportCounts = { added: 0, present: 0 };
  const nodes = createNodeImport(context, tree, 0);
  expectNodes(nodes, nodeIds(records));
  context.countOnce(() => {
    for (const record of records)
      importRecord(context, { tree, record, takesProject: takes_project, taken: counts, nodes });
  });
  refuseTornSteps(context.store, tree, records);
  if (!done) return `{"added":${counts.added},"present":${counts.present},"missing_outputs":0,"tree":null}`;
  finishImport(context, requireImportedTree(context.store, tree));
  const missing = countMissingOutputs(context, requireImportedTree(context.store, tree).tree);
  return (
    `{"added":${counts.added},"present":${counts.present},"missing_outputs":${missing},` +
    `"tree":${currentTreeJson(context.store, tree)}}`
  );
};

interface ImportOfRecord {
  tree: string;
  record: ExportRecord;
  takesProject: boolean;
  taken: ImportCounts;
  nodes: NodeImport;
}

function importRecord(
  context: WriteContext,
  { tree, record, takesProject, taken: counts, nodes }: ImportOfRecord,
): void {
  switch (record.kind) {
    case 'tree':
      if (record.tree.id !== tree) throw invalid(`the records of tree ${tree} begin with those of ${record.tree.id}`);
      importTreeRow(context, takesProject ? record.tree : { ...record.tree, project: null });
      return;
    case 'settings':
      importSettings(context, record);
      return;
    case 'node':
      if (importNode(nodes, record.node)) counts.added += 1;
      else counts.present += 1;
      return;
    case 'mark':
    case 'archived':
      importPointer(context, requireImportedTree(context.store, tree), record);
      return;
    case 'output':
      // Its bytes come by blob_write; the nodes name the outputs they need.
      return;
  }
}

function importTreeRow(context: WriteContext, tree: TreeRecord): void {
  if (findTree(context.store, tree.id) !== undefined) return;
  insertTree(context, { ...tree, importing: true, createdAtMs: tree.created_at_ms });
}

// In every call, because the tree may be archived between two of them.
function refuseArchived(store: Store, tree: string): void {
  const archivedAtMs = findTree(store, tree)?.archived_at_ms ?? null;
  if (archivedAtMs === null) return;
  throw new HubError('archived', `tree ${tree} is here and archived, so nothing can be added to it`, {
    hint: ['run: ', cliCommand('restore', tree.slice(0, 8))],
  });
}

export function importSettings(context: WriteContext, record: Extract<ExportRecord, { kind: 'settings' }>): void {
  const { sha256 }: { sha256: string } = JSON.parse(storeSettings(context, record.settings, 'from_file'));
  if (sha256 !== record.sha256) throw damagedError(`settings ${record.sha256}`);
}

function importPointer(
  context: WriteContext,
  tree: TreeRow,
  record: Extract<ExportRecord, { kind: 'mark' | 'archived' }>,
): void {
  const existing = findNode(context.store, record.node);
  if (existing === undefined || existing.tree !== tree.tree)
    throw invalid(`${record.kind} points at ${record.node}, which is not here`);
  // Exports of earlier versions may name a node in the middle of a step.
  const node = record.kind === 'archived' ? requireStepStart(context.store, tree, record.node) : existing;
  const sql =
    record.kind === 'mark'
      ? 'INSERT INTO marks (tree, name, node, set_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
      : ARCHIVE_BRANCH;
  const values = record.kind === 'mark' ? [tree.tree, record.name, node.seq] : [node.seq, tree.tree];
  const added = context.store.run(sql, ...values, context.atMs);
  if (record.kind === 'mark') sealMarks(context.store, tree.tree);
  // Watchers of a tree that exists already are told; the marks of a new tree are read with it.
  if (added > 0 && tree.importing === 0) changeTree(context, tree, pointerChange(context, { tree, node, record }));
}

interface Pointer {
  tree: TreeRow;
  node: { id: string; seq: number };
  record: Extract<ExportRecord, { kind: 'mark' | 'archived' }>;
}

function pointerChange(
  { atMs }: WriteContext,
  { tree: row, node: at, record }: Pointer,
): { kind: string; fields: string } {
  const tree = `"tree":"${dashed(row.id)}"`;
  const node = `"node":"${dashed(at.id)}"`;
  if (record.kind === 'archived') return { kind: 'branch_archived', fields: `${tree},${node}` };
  const mark = `{${tree},"name":${JSON.stringify(record.name)},${node},"seq":${at.seq},"set_at_ms":${atMs}}`;
  return { kind: 'mark_set', fields: `${tree},"mark":${mark}` };
}

/** Makes a tree visible once all of its records are stored, under its name or the next free one. */
export function finishImport(context: WriteContext, row: TreeRow): void {
  const { store } = context;
  recountBranches(store, row.tree);
  if (row.importing === 0) return;
  if (findNode(store, dashed(row.id)) === undefined)
    throw invalid(`the records of tree ${dashed(row.id)} have no root`);
  const origin = store.get<{ origin: string }>('SELECT origin FROM trees WHERE tree = ?', row.tree)?.origin ?? '{}';
  const { name }: Parameters<typeof originOf>[0] = JSON.parse(origin);
  const seq = context.nextSeq();
  store.run(
    'UPDATE trees SET importing = 0, name = ?, last_seq = ? WHERE tree = ?',
    ...[freeName(store, name), seq, row.tree],
  );
  sealTree(store, row.tree);
  announceTree(context, dashed(row.id), seq);
}

function countMissingOutputs(context: WriteContext, tree: number): number {
  const outputs = context.store.all<{ sha256: Sha256 }>(
    `SELECT DISTINCT lower(hex(o.sha256)) AS sha256 FROM nodes n CROSS JOIN node_outputs o ON o.node = n.seq
     WHERE n.tree = ?`,
    tree,
  );
  return outputs.filter(({ sha256 }) => !existsSync(outputPath(context.outputs, sha256))).length;
}
