import { HubError } from '../../hub/base/error.js';
import type { ErrorData, Hint } from '../../hub/protocol/errors.js';
import { changeSum } from '../store/row_sums.js';
import { type Store, sqliteCode } from '../store/store.js';

/** What a write operation works with, inside the transaction that it shares with the calls of its batch. */
export interface WriteContext {
  store: Store;
  /** The hub's clock when the call arrived. */
  atMs: number;
  /** The folder of the stored outputs. */
  outputs: string;
  /** Draws the next number of the feed. */
  nextSeq(): number;
  /** Adds an entry to the feed; watchers see it after the commit. `fields` is JSON, without its braces; null for what they read from the disk. */
  publish(entry: { seq: number; tree: string; kind: string; fields: string | null }): void;
  /** Adds to a tree's counters. */
  count(tree: number, counts: NodeCounts): void;
  /** Writes the counters once, after work that does not read them. */
  countOnce<T>(work: () => T): T;
  /** Has loose files removed when the commit is on the disk; that can no longer fail the call. */
  sweepLater(): void;
}

/** What one new node adds to the counters of its tree. */
export interface NodeCounts {
  seq: number;
  opensBranch: boolean;
  isMessage: boolean;
  /** The preview of what a person says, from which a tree takes its title when it has none yet. */
  words: string;
}

/** A write operation: returns its result as JSON. A HubError undoes this call alone. */
export type WriteOp<Params> = (context: WriteContext, params: Params) => string;

/** Writes a change under a number of the feed that was drawn for it. */
export function insertChange(
  store: Store,
  { seq, treeBlob, kind, fields }: { seq: number; treeBlob: Buffer; kind: string; fields: string },
): void {
  const body = `{"kind":"${kind}",${fields}}`;
  const sum = changeSum({ seq, tree_id: treeBlob.toString('hex'), body });
  store.run('INSERT INTO changes (seq, tree_id, body, row_sum) VALUES (?, ?, ?, ?)', seq, treeBlob, body, sum);
}

/** Stores a change under the next number of the feed and publishes it. */
export function recordChange(
  context: WriteContext,
  change: { tree: string; treeBlob: Buffer; kind: string; fields: string },
): number {
  const seq = context.nextSeq();
  insertChange(context.store, { ...change, seq });
  context.publish({ seq, tree: change.tree, kind: change.kind, fields: change.fields });
  return seq;
}

export function invalid(message: string, hint?: Hint): HubError {
  return new HubError('invalid_params', message, hint === undefined ? {} : { hint });
}

export function conflict(message: string, hint: Hint, details: ErrorData['details'] = {}): HubError {
  return new HubError('conflict', message, { hint, details });
}

/**
 * Runs an action in a savepoint; when it fails, undoes it and runs `onFailure`, so that data an earlier hub left behind cannot
 * keep this one from starting. Failures of SQLite itself, such as a full disk, are thrown.
 */
export function inSavepoint({ store }: Pick<WriteContext, 'store'>, action: () => void, onFailure: () => void): void {
  store.run('SAVEPOINT salvage');
  try {
    action();
  } catch (error) {
    if (sqliteCode(error) !== null) throw error;
    store.run('ROLLBACK TO salvage');
    onFailure();
  }
  store.run('RELEASE salvage');
}
