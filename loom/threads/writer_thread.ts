import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { HubError } from '../../hub/base/error.js';
import { createFairQueue } from '../../hub/base/fair_queue.js';
import type { CallContext, RawJson } from '../../hub/base/plugin.js';
import type { PublishedEntry, WorkerCall, WriterMessage, WriterOptions } from '../store/thread_messages.js';
import { fromWorkerError } from '../store/worker_error.js';
import { callerNumber } from './caller_window.js';
import { asResult, createPendingCalls, onThreadExit, THREAD_LIMITS } from './pending_calls.js';

/** The most calls that wait for the disk; beyond it calls are refused as retryable. */
const WAITING_MAX = 20_000;
/** The most calls that the thread has: those of one commit, and of the next. Later ones wait here, where each caller gets its turn. */
const POSTED_MAX = 512;

/** The writing thread, as the main thread sees it. */
export interface WriterThread {
  /** The identity of the database, within which numbers of the feed are valid. */
  epoch: string;
  /** The newest number of the feed at the start. */
  lastSeq: number;
  call(op: string, params: unknown, context: Pick<CallContext, 'caller'>): Promise<RawJson>;
  waiting(): number;
  /** True after a lasting failure: nothing is written until the hub restarts. */
  isReadOnly(): boolean;
  close(): Promise<void>;
}

interface WriterDependencies {
  entry: URL;
  clock: () => number;
  onFeed: (entries: PublishedEntry[]) => void;
}

/** Starts the writing thread and waits until the database is open; rejects when it cannot be opened. */
export async function startWriter(options: WriterOptions, dependencies: WriterDependencies): Promise<WriterThread> {
  const thread = new Worker(dependencies.entry, { workerData: options, resourceLimits: THREAD_LIMITS });
  const pending = createPendingCalls();
  let isReadOnly = false;
  let death: HubError | null = null;
  onThreadExit(thread, 'writing', (error) => {
    isReadOnly = true;
    death = error;
    pending.rejectAll(error);
  });
  const { epoch, lastSeq } = await awaitStart(thread);
  const post = createPosting((calls) => thread.postMessage(calls));
  thread.on('message', (message: WriterMessage) => {
    if (!('replies' in message)) return;
    isReadOnly = message.readOnly;
    // The feed first: a caller who has its answer may ask what watchers have seen.
    dependencies.onFeed(message.feed);
    for (const reply of message.replies) pending.settle(reply);
    post.answered(message.replies.length);
  });
  return {
    epoch,
    lastSeq,
    async call(op, params, context) {
      if (death !== null) throw death;
      if (pending.count() >= WAITING_MAX) throw tooMany();
      const atMs = dependencies.clock();
      return asResult(await pending.begin((id) => post.add(callerNumber(context), { id, op, params, atMs })));
    },
    waiting: () => pending.count(),
    isReadOnly: () => isReadOnly,
    async close() {
      if (death !== null) return;
      const ended = once(thread, 'exit');
      thread.postMessage([] satisfies WorkerCall[]);
      await ended;
    },
  };
}

interface Posting {
  add(caller: number, call: WorkerCall): void;
  answered(count: number): void;
}

/** Calls of one turn of the event loop are posted together: waking a thread costs more than a call. */
function createPosting(send: (calls: WorkerCall[]) => void): Posting {
  const queue = createFairQueue<[caller: number, call: WorkerCall]>({ isInOrder: true, debtMax: 32 });
  let posted = 0;
  let isScheduled = false;

  function post(): void {
    isScheduled = false;
    const calls: WorkerCall[] = [];
    while (posted + calls.length < POSTED_MAX) {
      const [caller, call] = queue.take() ?? [];
      if (caller === undefined || call === undefined) break;
      queue.charge(caller, 1);
      calls.push(call);
    }
    posted += calls.length;
    if (calls.length > 0) send(calls);
  }

  return {
    add(caller, call) {
      queue.push(caller, [caller, call]);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(post);
    },
    answered(count) {
      posted -= count;
      if (queue.size() > 0) post();
    },
  };
}

function awaitStart(thread: Worker): Promise<{ epoch: string; lastSeq: number }> {
  return new Promise((resolve, reject) => {
    onThreadExit(thread, 'writing', reject);
    thread.once('message', (message: WriterMessage) => {
      if ('started' in message) resolve(message.started);
      else if ('failed' in message) reject(fromWorkerError(message.failed));
    });
  });
}

function tooMany(): HubError {
  return new HubError('limit', `${WAITING_MAX} writing calls are waiting for the disk already`, {
    hint: 'try again in a moment',
    retryable: true,
  });
}
