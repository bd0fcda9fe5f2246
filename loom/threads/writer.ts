import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { HubError } from '../../hub/base/error.js';
import { noteGarbage } from '../../hub/base/memory/free_garbage.js';
import { openDatabase } from '../store/open_database.js';
import { type Store, storageError } from '../store/store.js';
import type { WorkerCall, WriterMessage, WriterOptions } from '../store/thread_messages.js';
import { toWorkerError } from '../store/worker_error.js';
import { type Committed, createCommitter } from '../write/commit.js';
import { leaseOutput, sweeper } from '../write/loose_files.js';
import { recoverFromCrash } from './crash_recovery.js';
import { buffersOf, toPosted } from './long_replies.js';
import { APPENDS, WRITE_OPS } from './write_operations.js';

/** The most calls that share one commit and wait for it together. */
const BATCH_MAX = 256;

function serve(port: MessagePort, options: WriterOptions): void {
  const say = (message: WriterMessage, buffers: ArrayBuffer[] = []) => port.postMessage(message, buffers);
  try {
    const store = openDatabase(options.database, options.newEpoch);
    const ops = { ...WRITE_OPS, start: recoverFromCrash, lease: leaseOutput };
    const sweep = sweeper(options);
    const committer = createCommitter({ store, outputs: options.outputs, ops, sweep, appends: APPENDS });
    const started = committer.commit([{ id: 0, op: 'start', params: {}, atMs: options.atMs }]);
    for (const reply of started.replies)
      if ('error' in reply) throw new HubError(reply.error.kind, reply.error.message);
    say({ started: { epoch: epochOf(store), lastSeq: committer.lastSeq() } });
    port.on('message', (first: WorkerCall[]) => {
      const { calls, isEnd } = arrivedWith(port, first);
      if (calls.length > 0) {
        const { replies, feed }: Committed = committer.commit(calls);
        const posted = replies.map(toPosted);
        const buffers = buffersOf(posted);
        const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
        say({ replies: posted, feed, readOnly: committer.failure() !== null }, buffers);
        // Each was parsed, written and told of.
        if (bytes > 0) setImmediate(noteGarbage, bytes);
      }
      if (isEnd) close(port, store);
    });
  } catch (error) {
    // The main thread decides how to report it to the person who started the hub.
    say({ failed: toWorkerError(error instanceof HubError ? error : storageError(error, options.database)) });
  }
}

function epochOf(store: Store): string {
  return store.get<{ value: string }>("SELECT value FROM meta WHERE key = 'epoch'")?.value ?? '';
}

/** All calls that have arrived by now: one commit serves them. A message without a call is the last one. */
function arrivedWith(port: MessagePort, first: WorkerCall[]): { calls: WorkerCall[]; isEnd: boolean } {
  const calls = [...first];
  let isEnd = first.length === 0;
  while (calls.length < BATCH_MAX && !isEnd) {
    const next = receiveMessageOnPort(port);
    if (next === undefined) break;
    isEnd = next.message.length === 0;
    calls.push(...next.message);
  }
  return { calls, isEnd };
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
