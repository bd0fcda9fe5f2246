import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFile } from '../../hub/base/disk/durable_file.js';
import type { Sha256, TreeId } from '../../hub/protocol/node.js';
import { isSha256, outputPath } from '../outputs/output_path.js';
import { outputsOfUncommitted } from '../outputs/uncommitted_outputs.js';
import { fullId } from '../paging/id_range.js';
import { idBlob } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { WriteContext, WriteOp } from './write_operation.js';

/** The files that are kept beside the database. */
export interface FilesBeside {
  outputs: string;
  logs: string;
  searchIndex: string;
}

interface LooseFile {
  kind: 'output' | 'log' | 'index';
  /** The SHA-256 of an output, the tree of a log. */
  name: string;
}

/** How long a stored output waits for its node. Whoever stored it has been killed, when none came. */
const LEASE_MS = 24 * 60 * 60 * 1_000;
const NOW = 0;
const SWEPT_MAX = 1_000;

/** Keeps an output that is being stored for the node that will point at it; after a day without one it is removed. One that a
 * node points at already needs no lease, which would outlast a purge of that node. */
export const leaseOutput: WriteOp<{ sha256: Sha256 }> = ({ store, atMs }, { sha256 }) => {
  if (!isLinked(store, sha256)) note(store, { kind: 'output', name: sha256 }, atMs + LEASE_MS);
  return '{}';
};

/** Ends the lease of an output: from now on a row points at it. */
export function holdOutput(store: Store, sha256: Sha256): void {
  store.run("DELETE FROM loose_files WHERE kind = 'output' AND name = ?", sha256);
}

/** Has files removed after the commit, or at the next start: their removal is noted in the transaction that frees them. */
export function removeFiles({ store, sweepLater }: WriteContext, files: readonly LooseFile[]): void {
  for (const file of files) note(store, file, NOW);
  sweepLater();
}

function note(store: Store, { kind, name }: LooseFile, removeAtMs: number): void {
  const sql = `INSERT INTO loose_files (kind, name, remove_at_ms) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET remove_at_ms = max(remove_at_ms, excluded.remove_at_ms)`;
  store.run(sql, kind, name, removeAtMs);
}

/** Removes what is due. A note goes when the removal is on the disk; where that fails it stays for the next start. */
export function sweeper(files: FilesBeside): WriteOp<object> {
  return ({ store, atMs, sweepLater }) => {
    const sql = `SELECT kind, name FROM loose_files WHERE remove_at_ms <= ? LIMIT ${SWEPT_MAX}`;
    const due = store.all<LooseFile>(sql, atMs);
    const held = new Set<string>(outputsOfUncommitted(store, { trees: '[]', among: false }));
    const folders = new Set<string>();
    const done = due.filter((file) => {
      if (file.kind === 'output' && (held.has(file.name) || isLinked(store, file.name))) return true;
      return removed(pathsOf(file, files), folders);
    });
    for (const folder of folders) syncFile(folder);
    for (const { kind, name } of done) store.run('DELETE FROM loose_files WHERE kind = ? AND name = ?', kind, name);
    if (due.length === SWEPT_MAX && done.length > 0) sweepLater();
    return '{}';
  };
}

function pathsOf(file: LooseFile, { outputs, logs, searchIndex }: FilesBeside): string[] {
  switch (file.kind) {
    case 'output':
      return isSha256(file.name) ? [outputPath(outputs, file.name)] : [];
    case 'log':
      return isTreeId(file.name) ? [join(logs, `${file.name}.jsonl`), join(logs, `${file.name}.jsonl.old`)] : [];
    case 'index':
      return ['', '-wal', '-shm', '-journal'].map((end) => `${searchIndex}${end}`);
  }
}

const isTreeId = (text: string): text is TreeId => fullId.test(text);

/** Removes files and notes their folders; false when that fails. */
function removed(paths: readonly string[], folders: Set<string>): boolean {
  try {
    for (const path of paths) {
      rmSync(path, { force: true });
      if (existsSync(dirname(path))) folders.add(dirname(path));
    }
    return true;
  } catch {
    return false; // the note stays, and the next start tries again
  }
}

function isLinked(store: Store, sha256: string): boolean {
  return store.get('SELECT 1 FROM node_outputs WHERE sha256 = ? LIMIT 1', idBlob(sha256)) !== undefined;
}
