import { Worker } from 'node:worker_threads';
import { onAbort, throwIfCancelled } from '../../hub/base/abort.js';
import { HubError } from '../../hub/base/error.js';
import type { CallContext, RawJson } from '../../hub/base/plugin.js';
import type { FeedPage, FeedParams, ReaderMessage, ReaderOptions, ReaderReply } from '../read/read_methods.js';
import { callerNumber, createCallerWindow } from './caller_window.js';
import { asFeed, asResult, createPendingCalls, onThreadExit, THREAD_LIMITS } from './pending_calls.js';

/** The reading thread, as the main thread sees it. */
export interface ReaderThread {
  call(op: string, params: unknown, context: CallContext): Promise<RawJson>;
  feed(params: FeedParams, context: CallContext): Promise<FeedPage>;
  /** Clears the caches, after rows were deleted. */
  forget(): void;
  close(): Promise<void>;
}

/**
 * Starts the reading thread. When it dies only the calls under way fail: the next call starts another, so that a database
 * that cannot be opened is not tried for ever.
 */
export function startReader(entry: URL, options: ReaderOptions): ReaderThread {
  const pending = createPendingCalls();
  const callers = createCallerWindow();
  let isClosed = false;
  let thread: Worker | null = start();

  function start(): Worker {
    const worker = new Worker(entry, { workerData: options, resourceLimits: THREAD_LIMITS });
    worker.on('message', (reply: ReaderReply) => pending.settle(reply));
    onThreadExit(worker, 'reading', (error) => {
      thread = null;
      pending.rejectAll(error);
    });
    return worker;
  }

  async function request(question: { op: string; params: unknown }, context: CallContext): Promise<RawJson | FeedPage> {
    const { signal } = context;
    throwIfCancelled(signal, 'the call');
    if (isClosed) throw new HubError('storage_failed', 'the storage is closed');
    let callId = 0;
    const running = thread ?? start();
    thread = running;
    const answer = pending.begin((id) => {
      running.postMessage({ id, caller: callerNumber(context), ...question });
      callId = id;
    });
    const stopListening = onAbort(signal, () => running.postMessage({ cancel: callId } satisfies ReaderMessage));
    return answer.finally(stopListening);
  }

  const inTurn = (op: string, params: unknown, context: CallContext): Promise<RawJson | FeedPage> =>
    callers.run(context, () => request({ op, params }, context));

  return {
    call: async (op, params, context) => asResult(await inTurn(op, params, context)),
    feed: async (params, context) => asFeed(await inTurn('feed', params, context)),
    forget: () => thread?.postMessage({ forget: true } satisfies ReaderMessage),
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}
