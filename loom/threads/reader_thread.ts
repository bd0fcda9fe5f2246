import { Worker } from 'node:worker_threads';
import type { RawJson } from '../../hub/base/plugin.js';
import type { FeedPage, FeedParams, ReaderMessage, ReaderOptions, ReaderReply } from '../read/read_methods.js';
import { asFeed, asResult, createPending, onDeath, THREAD_LIMITS } from './calls_to_thread.js';

/** The reading thread, as the main thread sees it. */
export interface ReaderThread {
  call(op: string, params: unknown, signal: AbortSignal): Promise<RawJson>;
  feed(params: FeedParams, signal: AbortSignal): Promise<FeedPage>;
  /** Forgets what is kept of rows, after some were deleted. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts the reading thread. One that dies is replaced: nothing is lost with it but its answers. */
export function startReader(entry: URL, options: ReaderOptions): ReaderThread {
  const pending = createPending();
  let isClosed = false;
  let thread = start();

  function start(): Worker {
    const made = new Worker(entry, { workerData: options, resourceLimits: THREAD_LIMITS });
    made.on('message', (reply: ReaderReply) => pending.settle(reply));
    onDeath(made, 'reading', (error) => {
      pending.rejectAll(error);
      if (!isClosed) thread = start();
    });
    return made;
  }

  async function ask(question: { op: string; params: unknown }, signal: AbortSignal): Promise<RawJson | FeedPage> {
    signal.throwIfAborted();
    let asked = 0;
    const answer = pending.begin((id) => {
      thread.postMessage({ id, ...question });
      asked = id;
    });
    const cancel = () => thread.postMessage({ cancel: asked } satisfies ReaderMessage);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  return {
    call: async (op, params, signal) => asResult(await ask({ op, params }, signal)),
    feed: async (params, signal) => asFeed(await ask({ op: 'feed', params }, signal)),
    forget: () => thread.postMessage({ forget: true } satisfies ReaderMessage),
    async close() {
      isClosed = true;
      await thread.terminate();
    },
  };
}
