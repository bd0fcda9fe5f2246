import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Sha256 } from '../../hub/protocol/node.js';
import { outputPath } from '../outputs/output_path.js';
import { outputsOfUncommitted } from '../outputs/uncommitted_outputs.js';
import { checkedTreeJson } from '../store/damaged_row.js';
import { findTree, requireTree } from '../store/require_rows.js';
import { dashed, idBlob, TREE_COLUMNS, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { removeFiles } from './loose_files.js';
import { conflict, recordChange, type WriteContext, type WriteOp } from './write_operation.js';

export const purgeTree: WriteOp<ParsedOf<'loom.tree_purge'>> = (context, { tree, confirm }) => {
  const { store } = context;
  const row = findTree(store, tree);
  // The answer of the first call was lost.
  if (row === undefined && confirm !== null && wasPurged(store, tree)) return alreadyPurged(confirm);
  const doomed = withOwned(store, requireTree(store, tree));
  const plan = planOf(doomed);
  const purged = confirm !== null;
  const answer =
    `{"purged":${purged},"node_count":${doomed.reduce((sum, row) => sum + row.node_count, 0)},` +
    `"output_bytes":${totalBytes(context.outputs, outputsOnlyOf(context, doomed))},` +
    `"owned":[${doomed.slice(1).map(checkedTreeJson).join(',')}],"confirm":"${plan}"}`;
  if (confirm === null) return answer;
  if (confirm !== plan) {
    throw conflict('the tree has changed since it was described', 'look at it again, then confirm what it says now');
  }
  refuseCopies(store, doomed);
  refuseShared(store, doomed);
  // Sub-sessions first: an owner that is gone could no longer name them.
  const settings = settingsOf(store, doomed);
  for (const row of [...doomed].reverse()) deleteTree(context, row);
  deleteUnusedSettings(store, settings);
  return answer;
};

/** Only the tools can remove the folder of a copy, and only while a row says where it is. */
function refuseCopies(store: Store, doomed: readonly TreeRow[]): void {
  const sql = 'SELECT 1 FROM copies WHERE tree = ?';
  if (!doomed.some((row) => store.get(sql, row.tree) !== undefined)) return;
  throw new HubError('conflict', 'turns of the conversation have copies of a project, which hold its files', {
    hint: ['remove them first: ', cliCommand('files copies', '--remove', 'all')],
  });
}

/** Deleted here alone it would come back from those whom it is shared with. */
function refuseShared(store: Store, doomed: readonly TreeRow[]): void {
  for (const { tree, id } of doomed) {
    const shared = store.get<{ remote: string }>('SELECT remote FROM shares WHERE tree = ? LIMIT 1', tree);
    if (shared === undefined) continue;
    throw new HubError('conflict', `the conversation is shared over ${shared.remote}`, {
      hint: [
        'share it no longer, and delete it there, too: ',
        cliCommand('unshare', id.slice(0, 8), shared.remote, '--purge'),
      ],
    });
  }
}

function wasPurged(store: Store, tree: string): boolean {
  const newest = store.get<{ body: string }>(
    'SELECT body FROM changes WHERE tree_id = ? ORDER BY seq DESC LIMIT 1',
    idBlob(tree),
  );
  return newest?.body.startsWith('{"kind":"tree_purged"') === true;
}

function alreadyPurged(confirm: string): string {
  return `{"purged":true,"node_count":0,"output_bytes":0,"owned":[],"confirm":${JSON.stringify(confirm)}}`;
}

const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1_000;

/** Deletes imports that have not been finished for a day; a younger one may still continue. */
export function deleteAbandonedImports(context: WriteContext): void {
  const sql = `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.importing = 1 AND t.updated_at_ms < ?`;
  for (const row of context.store.all<TreeRow>(sql, context.atMs - ABANDONED_AFTER_MS)) deleteTree(context, row);
}

/** A tree, then the trees that its nodes own, transitively. */
function withOwned(store: Store, top: TreeRow): TreeRow[] {
  const trees = [top];
  const ids = new Set([top.id]);
  for (const row of trees) {
    const sql = `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.owner_tree = ?`;
    for (const owned of store.all<TreeRow>(sql, idBlob(row.id))) {
      if (ids.has(owned.id)) continue;
      ids.add(owned.id);
      trees.push(owned);
    }
  }
  return trees;
}

/** A digest of the state of these trees, so that what is confirmed is what was described. */
function planOf(doomed: readonly TreeRow[]): string {
  const state = doomed.map((row) => `${row.id} ${row.last_seq}`).join('\n');
  return createHash('sha256').update(state).digest('hex').slice(0, 16);
}

// The list of trees is one value, because every statement is kept for the life of the process.
const treeNumbers = (doomed: readonly TreeRow[]): string => JSON.stringify(doomed.map((row) => row.tree));

/** The outputs that go with these trees: nothing else points at them, and nobody is about to. */
function outputsOnlyOf({ store, atMs }: WriteContext, doomed: readonly TreeRow[]): Sha256[] {
  const trees = treeNumbers(doomed);
  const others = new Set(outputsOfUncommitted(store, { trees, among: false }));
  const isNeeded = (sha256: Sha256): boolean =>
    others.has(sha256) || store.get(NEEDED, idBlob(sha256), trees, sha256, atMs) !== undefined;
  return pointedAtBy(store, doomed).filter((sha256) => !isNeeded(sha256));
}

const NEEDED = `SELECT 1 FROM node_outputs p CROSS JOIN nodes m ON m.seq = p.node
    WHERE p.sha256 = ? AND m.tree NOT IN (SELECT value FROM json_each(?))
  UNION ALL SELECT 1 FROM loose_files WHERE kind = 'output' AND name = ? AND remove_at_ms > ? LIMIT 1`;

/** The outputs that nodes, inputs or journals of these trees point at. */
function pointedAtBy(store: Store, doomed: readonly TreeRow[]): Sha256[] {
  const trees = treeNumbers(doomed);
  const sql = `SELECT DISTINCT lower(hex(o.sha256)) AS sha256
    FROM json_each(?) d CROSS JOIN nodes n ON n.tree = d.value CROSS JOIN node_outputs o ON o.node = n.seq`;
  const linked = store.all<{ sha256: Sha256 }>(sql, trees).map((row) => row.sha256);
  return [...new Set([...linked, ...outputsOfUncommitted(store, { trees, among: true })])];
}

function totalBytes(folder: string, outputs: readonly Sha256[]): number {
  let total = 0;
  for (const sha256 of outputs) {
    total += statSync(outputPath(folder, sha256), { throwIfNoEntry: false })?.size ?? 0;
  }
  return total;
}

function deleteTree(context: WriteContext, row: TreeRow): void {
  const { store } = context;
  removeFiles(context, [
    ...pointedAtBy(store, [row]).map((name) => ({ kind: 'output' as const, name })),
    ...[{ kind: 'log' as const, name: dashed(row.id) }],
    ...[{ kind: 'index' as const, name: 'search' as const }],
  ]);
  for (const statement of [
    'DELETE FROM requests WHERE tree = ?',
    'DELETE FROM inputs WHERE turn IN (SELECT turn FROM turns WHERE tree = ?)',
    'DELETE FROM questions WHERE turn IN (SELECT turn FROM turns WHERE tree = ?)',
    'DELETE FROM turn_journal WHERE turn IN (SELECT turn FROM turns WHERE tree = ?)',
    'DELETE FROM turns WHERE tree = ?',
    'DELETE FROM marks WHERE tree = ?',
    'DELETE FROM archived_rows WHERE tree = ?',
    'DELETE FROM snapshots WHERE tree = ?',
    'DELETE FROM copies WHERE tree = ?',
    'DELETE FROM shares WHERE tree = ?',
    'DELETE FROM registers WHERE tree = ?',
    'DELETE FROM reordered_parents WHERE tree = ?',
    'DELETE FROM origins WHERE tree = ?',
    'DELETE FROM node_outputs WHERE node IN (SELECT seq FROM nodes WHERE tree = ?)',
    'DELETE FROM nodes WHERE tree = ?',
    'DELETE FROM trees WHERE tree = ?',
  ]) {
    store.run(statement, row.tree);
  }
  // Changes hold names too.
  store.run('DELETE FROM changes WHERE tree_id = ?', idBlob(row.id));
  recordChange(context, {
    ...{ tree: dashed(row.id), treeBlob: idBlob(row.id) },
    ...{ kind: 'tree_purged', fields: `"tree":"${dashed(row.id)}"` },
  });
}

function settingsOf(store: Store, doomed: readonly TreeRow[]): number[] {
  const sql = `SELECT DISTINCT n.settings FROM json_each(?) d CROSS JOIN nodes n ON n.tree = d.value
    WHERE n.settings IS NOT NULL`;
  return store.all<{ settings: number }>(sql, treeNumbers(doomed)).map((row) => row.settings);
}

// A running or parked turn may have stored settings that no node names yet.
function deleteUnusedSettings(store: Store, candidates: readonly number[]): void {
  if (store.get("SELECT 1 FROM turns WHERE state = 'running' OR state = 'waiting' LIMIT 1") !== undefined) return;
  for (const settings of candidates) {
    const sql = 'DELETE FROM settings WHERE settings = ? AND NOT EXISTS (SELECT 1 FROM nodes WHERE settings = ?)';
    store.run(sql, settings, settings);
  }
}
