import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { newestSeq } from '../store/newest_seq.js';
import { type Store, sqliteCode } from '../store/store.js';
import type { PublishedEntry, WorkerCall, WorkerReply } from '../store/thread_messages.js';
import { unexpectedError } from '../store/unexpected_error.js';
import { toWorkerError } from '../store/worker_error.js';
import { createTreeCounters } from './tree_counters.js';
import type { WriteContext, WriteOp } from './write_operation.js';

/** The result of one transaction. */
export interface Committed {
  replies: WorkerReply[];
  feed: PublishedEntry[];
}

/** The longest event that watchers are told of from memory. */
const PUBLISHED_LENGTH_MAX = 1024 * 1024;

/** The name of the operation that removes loose files, for which nobody calls. */
const SWEEP = 'sweep';

export interface CommitterOptions {
  store: Store;
  outputs: string;
  ops: Readonly<Record<string, WriteOp<never>>>;
  /** Removes loose files. */
  sweep: WriteOp<object>;
  /** The operations that only append: their trees' counters are written once per transaction. */
  appends: ReadonlySet<string>;
}

export interface Committer {
  /** Runs calls that arrived together in one transaction and answers each after it is on the disk. */
  commit(calls: readonly WorkerCall[]): Committed;
  /** The newest number of the feed that is on the disk. */
  lastSeq(): number;
  /** Why nothing is written any more; null while writing works. */
  failure(): HubError | null;
}

/** What can be done of a large call before its transaction begins, by operation. */
type Preparations = Readonly<Record<string, (params: never) => void>>;

/** Prepares a call, so that its transaction does not take as long. */
export function prepare({ op, params }: WorkerCall, preparations: Preparations): void {
  preparations[op]?.(params as never); // the hub has parsed them by the method's schema
}

/** Creates the committer, the only code that runs write operations. */
export function createCommitter(options: CommitterOptions): Committer {
  const { store } = options;
  const version = store.pragma('data_version');
  let durableSeq = newestSeq(store);
  let failure: HubError | null = null;

  function together(calls: readonly WorkerCall[]): Committed & { sweeps: boolean } {
    store.run('BEGIN IMMEDIATE');
    // data_version changes when another connection has written: then durableSeq is not the newest number.
    if (store.pragma('data_version') !== version) {
      failure = foreignWrites();
      throw failure;
    }
    const transaction = openTransaction(options, durableSeq);
    const replies = calls.map(transaction.perform);
    const { seq, feed, sweeps } = transaction.end(calls.at(-1)?.atMs ?? 0);
    store.run('COMMIT');
    durableSeq = seq;
    return { replies, feed, sweeps };
  }

  // The calls that freed the files are committed: a failure is not theirs.
  function sweep(atMs: number): void {
    try {
      while (together([{ id: 0, op: SWEEP, params: {}, atMs }]).sweeps);
      // Deleted text stays in the WAL until a checkpoint truncates it.
      store.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      afterFailure([], error);
    }
  }

  function commit(calls: readonly WorkerCall[]): Committed {
    if (failure !== null) return refuseAll(calls, failure);
    try {
      const { replies, feed, sweeps } = together(calls);
      if (sweeps) sweep(calls.at(-1)?.atMs ?? 0);
      return { replies, feed };
    } catch (error) {
      return afterFailure(calls, error);
    }
  }

  function afterFailure(calls: readonly WorkerCall[], error: unknown): Committed {
    if (store.inTransaction()) store.run('ROLLBACK');
    if (isLasting(error)) failure = lastingFailure(error);
    if (failure !== null) return refuseAll(calls, failure);
    // One call has failed the batch, perhaps by being too large for the disk: each gets its own transaction.
    if (calls.length > 1) return merge(calls.map((call) => commit([call])));
    return refuseAll(calls, unexpectedError('storage', error));
  }

  return {
    commit,
    lastSeq: () => durableSeq,
    failure: () => failure,
  };
}

interface Transaction {
  /** Answers one call; throws when the whole transaction must be undone. */
  perform(call: WorkerCall): WorkerReply;
  /** Writes the counters, and returns what to publish, and whether there are files to remove. */
  end(atMs: number): { seq: number; feed: PublishedEntry[]; sweeps: boolean };
}

function openTransaction({ store, outputs, ops, sweep, appends }: CommitterOptions, durableSeq: number): Transaction {
  const feed: PublishedEntry[] = [];
  let sweeps = false;
  const counters = createTreeCounters();
  let seq = durableSeq;
  let hasWritten = false;
  const watched: Store = {
    ...store,
    run(sql, ...values) {
      const changed = store.run(sql, ...values);
      if (changed > 0) hasWritten = true;
      return changed;
    },
  };

  function writingFor(call: WorkerCall): WriteContext {
    // Appends leave the counters for the end; other operations may read them, so they are written before those.
    let countsLater = appends.has(call.op);
    const writeCounters = (): void => (countsLater ? undefined : counters.write(store, call.atMs));
    writeCounters();
    return {
      ...{ store: watched, outputs, atMs: call.atMs, publish: publishTo(feed) },
      nextSeq: () => ++seq,
      count(tree, counts) {
        counters.add(tree, counts);
        writeCounters();
      },
      countOnce(work) {
        const before = countsLater;
        countsLater = true;
        const done = work();
        countsLater = before;
        writeCounters();
        return done;
      },
      sweepLater: () => {
        sweeps = true;
      },
    };
  }

  return {
    perform(call) {
      const before = seq;
      const context = writingFor(call);
      hasWritten = false;
      try {
        const op = call.op === SWEEP ? sweep : ops[call.op];
        if (op === undefined) throw new HubError('internal', `${call.op} is not a write`);
        return { id: call.id, json: op(context, call.params as never) }; // the hub has parsed them by the method's schema
      } catch (error) {
        // A call that has written is undone with the whole transaction; one that has not needs no undo.
        if (!(error instanceof HubError) || hasWritten) throw error;
        seq = before;
        return { id: call.id, error: toWorkerError(error) };
      }
    },
    end(atMs) {
      counters.write(store, atMs);
      counters.seal(store);
      return { seq, feed, sweeps };
    },
  };
}

/** Adds entries to the feed; those that are read from the disk one for all that follow each other in a tree. */
function publishTo(feed: PublishedEntry[]): WriteContext['publish'] {
  return ({ seq: at, tree, kind, fields }) => {
    const isShort = fields !== null && fields.length <= PUBLISHED_LENGTH_MAX;
    const json = isShort ? `{"kind":"${kind}","seq":${at},${fields}}` : null;
    const last = feed.at(-1);
    if (json === null && last?.json === null && last.tree === tree) last.seq = at;
    else feed.push({ seq: at, tree, json });
  };
}

function foreignWrites(): HubError {
  return new HubError('storage_failed', 'another process has written to the database; nothing more is written', {
    hint: ['run: ', cliCommand('hub stop'), '   (the next command starts a new hub)'],
  });
}

// After an I/O error the kernel may have dropped what it failed to write and report success the next time:
// only a restart reads back what is really on the disk. A missing room for the shared memory file does not last.
function isLasting(error: unknown): boolean {
  const code = sqliteCode(error);
  return code?.startsWith('SQLITE_IOERR') === true && code !== 'SQLITE_IOERR_SHMSIZE';
}

function lastingFailure(error: unknown): HubError {
  return new HubError('storage_failed', `writing to the disk failed (${sqliteCode(error)}); nothing more is written`, {
    hint: ['check the disk, then run: ', cliCommand('hub stop'), '   (the next command starts a new hub)'],
    cause: error,
  });
}

function refuseAll(calls: readonly WorkerCall[], why: HubError): Committed {
  return { replies: calls.map((call) => ({ id: call.id, error: toWorkerError(why) })), feed: [] };
}

function merge(parts: readonly Committed[]): Committed {
  return { replies: parts.flatMap((part) => part.replies), feed: parts.flatMap((part) => part.feed) };
}
