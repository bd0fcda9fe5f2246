import { Worker } from 'node:worker_threads';
import { onAbort } from '../../hub/base/abort.js';
import type { RawJson } from '../../hub/base/plugin.js';
import type { FeedPage, FeedParams, ReaderMessage, ReaderOptions, ReaderReply } from '../read/read_methods.js';
import { asFeed, asResult, createPendingCalls, onThreadExit, THREAD_LIMITS } from './pending_calls.js';

/** The reading thread, as the main thread sees it. */
export interface ReaderThread {
  call(op: string, params: unknown, signal: AbortSignal): Promise<RawJson>;
  feed(params: FeedParams, signal: AbortSignal): Promise<FeedPage>;
  /** Clears the caches, after rows were deleted. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts the reading thread. When it dies another is started; only the calls under way fail. */
export function startReader(entry: URL, options: ReaderOptions): ReaderThread {
  const pending = createPendingCalls();
  let isClosed = false;
  let thread = start();

  function start(): Worker {
    const worker = new Worker(entry, { workerData: options, resourceLimits: THREAD_LIMITS });
    worker.on('message', (reply: ReaderReply) => pending.settle(reply));
    onThreadExit(worker, 'reading', (error) => {
      pending.rejectAll(error);
      if (!isClosed) thread = start();
    });
    return worker;
  }

  async function request(question: { op: string; params: unknown }, signal: AbortSignal): Promise<RawJson | FeedPage> {
    signal.throwIfAborted();
    let callId = 0;
    const answer = pending.begin((id) => {
      thread.postMessage({ id, ...question });
      callId = id;
    });
    const stopListening = onAbort(signal, () => thread.postMessage({ cancel: callId } satisfies ReaderMessage));
    return answer.finally(stopListening);
  }

  return {
    call: async (op, params, signal) => asResult(await request({ op, params }, signal)),
    feed: async (params, signal) => asFeed(await request({ op: 'feed', params }, signal)),
    forget: () => thread.postMessage({ forget: true } satisfies ReaderMessage),
    async close() {
      isClosed = true;
      await thread.terminate();
    },
  };
}
