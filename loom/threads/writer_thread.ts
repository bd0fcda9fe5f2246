import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { HubError } from '../../hub/base/error.js';
import type { CallContext, RawJson } from '../../hub/base/plugin.js';
import type { PostedCall, PublishedEntry, WriterMessage, WriterOptions } from '../store/thread_messages.js';
import { fromWorkerError } from '../store/worker_error.js';
import { callerNumber } from './caller_window.js';
import { asResult, createPendingCalls, onThreadExit, THREAD_LIMITS } from './pending_calls.js';
import { createPostQueue, textLength } from './post_queue.js';

/** The most calls that wait for the disk; beyond it calls are refused as retryable. */
const WAITING_MAX = 20_000;

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
  const post = createPostQueue((calls) => thread.postMessage(calls));
  thread.on('message', (message: WriterMessage) => {
    if (!('replies' in message)) return;
    isReadOnly = message.readOnly;
    // The feed first: a caller who has its answer may ask what watchers have seen.
    dependencies.onFeed(message.feed);
    for (const reply of message.replies) pending.settle(reply);
    post.answered(message.replies.map(({ id }) => id));
  });
  return {
    epoch,
    lastSeq,
    async call(op, params, context) {
      if (death !== null) throw death;
      if (pending.count() >= WAITING_MAX) throw tooMany();
      const atMs = dependencies.clock();
      const length = textLength(params);
      return asResult(await pending.begin((id) => post.add(callerNumber(context), { id, op, params, atMs, length })));
    },
    waiting: () => pending.count(),
    isReadOnly: () => isReadOnly,
    async close() {
      if (death !== null) return;
      const ended = once(thread, 'exit');
      thread.postMessage([] satisfies PostedCall[]);
      await ended;
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
