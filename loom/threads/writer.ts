import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { HubError } from '../../hub/base/error.js';
import { noteGarbage } from '../../hub/base/memory/free_garbage.js';
import { openDatabase } from '../store/open_database.js';
import { isDamage, type Store, storageError } from '../store/store.js';
import { LARGE_LENGTH, type PostedCall, type WriterMessage, type WriterOptions } from '../store/thread_messages.js';
import { fromWorkerError, toWorkerError } from '../store/worker_error.js';
import { type Committed, type Committer, createCommitter, prepare } from '../write/commit.js';
import { leaseOutput, sweeper } from '../write/loose_files.js';
import { checkpoint, checkpointApart } from './checkpoint.js';
import { recoverFromCrash } from './crash_recovery.js';
import { buffersOf, toPosted } from './long_replies.js';
import { APPENDS, PREPARATIONS, WRITE_OPS } from './write_operations.js';

/** The most calls that share one commit and wait for it together. */
const BATCH_MAX = 256;
/** The most text that they have. */
const BATCH_LENGTH_MAX = 1024 * 1024;

type Say = (message: WriterMessage, buffers?: ArrayBuffer[]) => void;

function serve(port: MessagePort, options: WriterOptions): void {
  const say: Say = (message, buffers = []) => port.postMessage(message, buffers);
  try {
    const store = openDatabase(options.database, options.newEpoch);
    const ops = { ...WRITE_OPS, start: recoverFromCrash, lease: leaseOutput };
    const sweep = sweeper(options);
    const committer = createCommitter({ store, outputs: options.outputs, ops, sweep, appends: APPENDS });
    const started = committer.commit([{ id: 0, op: 'start', params: {}, atMs: options.atMs }]);
    for (const reply of started.replies) if ('error' in reply) throw fromWorkerError(reply.error);
    say({ started: { epoch: epochOf(store), lastSeq: committer.lastSeq() } });
    serveCalls(port, { store, committer, say, close: () => close(port, store) });
  } catch (error) {
    // The main thread decides how to report it to the person who started the hub.
    say({
      failed: toWorkerError(startError(error instanceof HubError ? error : storageError(error, options.database))),
    });
  }
}

/** What tells of damage otherwise needs a hub that runs. */
function startError(error: HubError): HubError {
  if (!isDamage(error)) return error;
  const hint = 'no hub can start with it: bring back a backup, as “Your data” in the guide says';
  return new HubError(error.kind, error.message, { hint, cause: error });
}

function epochOf(store: Store): string {
  return store.get<{ value: string }>("SELECT value FROM meta WHERE key = 'epoch'")?.value ?? '';
}

interface Serving {
  store: Store;
  committer: Committer;
  say: Say;
  close(): void;
}

/** Commits what has arrived until there is no more: the small calls together, and between two such commits a step of a large one. */
function serveCalls(port: MessagePort, { store, committer, say, close }: Serving): void {
  const [small, large]: [PostedCall[], PostedCall[]] = [[], []];
  let isEnd = false;
  let largeSteps: Generator<void, void> | null = null;

  function take(calls: readonly PostedCall[]): void {
    // A message without a call is the last one.
    isEnd = calls.length === 0;
    for (const call of calls) (call.length > LARGE_LENGTH ? large : small).push(call);
  }

  function commitSmall(): void {
    const { replies, feed } = committer.commit(takeBatch(small));
    answer({ committer, say }, { replies, feed });
  }

  function stepLarge(): void {
    const next = largeSteps === null ? large.shift() : undefined;
    if (next !== undefined) largeSteps = commitLarge({ store, committer, say }, next);
    if (largeSteps?.next().done === true) largeSteps = null;
  }

  port.on('message', (first: PostedCall[]) => {
    take(first);
    do {
      while (!isEnd) {
        const more = receiveMessageOnPort(port);
        if (more === undefined) break;
        take(more.message);
      }
      if (small.length > 0) commitSmall();
      stepLarge();
    } while (small.length > 0 || large.length > 0 || largeSteps !== null);
    if (isEnd) close();
  });
}

/** The next small calls: one commit serves them. */
function takeBatch(calls: PostedCall[]): PostedCall[] {
  let length = 0;
  const tooLong = calls.findIndex((call, index) => {
    length += call.length;
    return index > 0 && length > BATCH_LENGTH_MAX;
  });
  return calls.splice(0, Math.min(BATCH_MAX, tooLong === -1 ? calls.length : tooLong));
}

/** Writes one large call in steps, each of which takes as long as it may: others wait for one of them at most. */
function* commitLarge(to: Omit<Serving, 'close'>, call: PostedCall): Generator<void, void> {
  prepare(call, PREPARATIONS);
  yield;
  checkpointApart(to.store, true);
  const { replies, feed } = to.committer.commit([call]);
  // In the order of commits; the answer may come later.
  answer(to, { replies: [], feed });
  yield;
  const bytes = answer(to, { replies, feed: [] });
  yield;
  if (to.committer.failure() === null) checkpoint(to.store);
  checkpointApart(to.store, false);
  yield;
  // It was parsed, written and told of.
  noteGarbage(bytes);
}

/** Says what a commit has brought; returns the bytes of what crosses without a copy. */
function answer({ committer, say }: Pick<Serving, 'committer' | 'say'>, { replies, feed }: Committed): number {
  const posted = replies.map(toPosted);
  const buffers = buffersOf(posted);
  say({ replies: posted, feed, readOnly: committer.failure() !== null }, buffers);
  return buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Ends the thread with everything in the database file itself, so that a copy of that file is whole. */
function close(port: MessagePort, store: Store): void {
  try {
    store.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    store.close();
    port.close();
  }
}

// The writing thread: the only place that changes the database.
if (parentPort !== null) serve(parentPort, workerData);
