import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import type { ParsedOf } from '../../hub/protocol/methods.js';
import { outputPath } from '../output_path.js';
import { dashed, idBlob, TREE_COLUMNS, type TreeRow, treeJson } from '../rows.js';
import type { Store } from '../store.js';
import { knownTree } from './lookup.js';
import { conflict, recordChange, type WriteOp, type Writing } from './writing.js';

export const purgeTree: WriteOp<ParsedOf<'loom.tree_purge'>> = (writing, { tree, confirm }) => {
  const { store } = writing;
  const doomed = withOwned(store, knownTree(store, tree));
  const outputs = outputsOnlyOf(store, doomed);
  const plan = planOf(doomed);
  const purged = confirm !== null;
  const answer =
    `{"purged":${purged},"node_count":${doomed.reduce((sum, row) => sum + row.node_count, 0)},` +
    `"output_bytes":${totalBytes(writing.outputs, outputs)},` +
    `"owned":[${doomed.slice(1).map(treeJson).join(',')}],"confirm":"${plan}"}`;
  if (confirm === null) return answer;
  if (confirm !== plan) {
    throw conflict('the tree has changed since it was described', 'look at it again, then confirm what it says now');
  }
  // Sub-sessions first: an owner that is gone could no longer name them.
  const settings = settingsOf(store, doomed);
  for (const row of [...doomed].reverse()) deleteTree(writing, row);
  deleteUnusedSettings(store, settings);
  writing.afterCommit(() => {
    for (const sha256 of outputs) rmSync(outputPath(writing.outputs, sha256), { force: true });
    // What was deleted still stands in the log until it is written back and cut off.
    store.pragma('wal_checkpoint(TRUNCATE)');
  });
  return answer;
};

const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1_000;

/** Deletes imports that were begun and not finished for a day; a younger one may still go on. */
export function deleteAbandonedImports(writing: Writing): void {
  const sql = `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.importing = 1 AND t.updated_at_ms < ?`;
  for (const row of writing.store.all<TreeRow>(sql, writing.atMs - ABANDONED_AFTER_MS)) deleteTree(writing, row);
}

/** A tree, then the trees that its nodes own, then theirs. */
function withOwned(store: Store, top: TreeRow): TreeRow[] {
  const found = [top];
  const ids = new Set([top.id]);
  for (const row of found) {
    const sql = `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.owner_tree = ?`;
    for (const owned of store.all<TreeRow>(sql, idBlob(row.id))) {
      if (ids.has(owned.id)) continue;
      ids.add(owned.id);
      found.push(owned);
    }
  }
  return found;
}

/** A name for exactly this state of these trees: what is confirmed is what was described. */
function planOf(doomed: readonly TreeRow[]): string {
  const state = doomed.map((row) => `${row.id} ${row.last_seq}`).join('\n');
  return createHash('sha256').update(state).digest('hex').slice(0, 16);
}

function outputsOnlyOf(store: Store, doomed: readonly TreeRow[]): string[] {
  const trees = doomed.map((row) => row.tree).join(',');
  return store
    .all<{ sha256: string }>(
      `SELECT DISTINCT lower(hex(o.sha256)) AS sha256
       FROM nodes n CROSS JOIN node_outputs o ON o.node = n.seq
       WHERE n.tree IN (${trees}) AND NOT EXISTS (
         SELECT 1 FROM node_outputs p CROSS JOIN nodes m ON m.seq = p.node
         WHERE p.sha256 = o.sha256 AND m.tree NOT IN (${trees}))`,
    )
    .map((row) => row.sha256);
}

function totalBytes(folder: string, outputs: readonly string[]): number {
  let total = 0;
  for (const sha256 of outputs) {
    total += statSync(outputPath(folder, sha256), { throwIfNoEntry: false })?.size ?? 0;
  }
  return total;
}

function deleteTree(writing: Writing, row: TreeRow): void {
  const { store } = writing;
  for (const statement of [
    'DELETE FROM turn_journal WHERE turn IN (SELECT turn FROM turns WHERE tree = ?)',
    'DELETE FROM turns WHERE tree = ?',
    'DELETE FROM marks WHERE tree = ?',
    'DELETE FROM archived_branches WHERE tree = ?',
    'DELETE FROM node_outputs WHERE node IN (SELECT seq FROM nodes WHERE tree = ?)',
    'DELETE FROM nodes WHERE tree = ?',
    'DELETE FROM trees WHERE tree = ?',
  ]) {
    store.run(statement, row.tree);
  }
  // Names stand in the changes too.
  store.run('DELETE FROM changes WHERE tree_id = ?', idBlob(row.id));
  recordChange(writing, {
    ...{ tree: dashed(row.id), treeBlob: idBlob(row.id) },
    ...{ kind: 'tree_purged', fields: `"tree":"${dashed(row.id)}"` },
  });
}

function settingsOf(store: Store, doomed: readonly TreeRow[]): number[] {
  const trees = doomed.map((row) => row.tree).join(',');
  const sql = `SELECT DISTINCT settings FROM nodes WHERE tree IN (${trees}) AND settings IS NOT NULL`;
  return store.all<{ settings: number }>(sql).map((row) => row.settings);
}

// A running turn may have stored settings that no node names yet.
function deleteUnusedSettings(store: Store, candidates: readonly number[]): void {
  if (store.get("SELECT 1 FROM turns WHERE state = 'running' LIMIT 1") !== undefined) return;
  for (const settings of candidates) {
    const sql = 'DELETE FROM settings WHERE settings = ? AND NOT EXISTS (SELECT 1 FROM nodes WHERE settings = ?)';
    store.run(sql, settings, settings);
  }
}
