import type { Worker } from 'node:worker_threads';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { RawJson } from '../../hub/base/plugin.js';
import type { FeedPage, ReaderReply } from '../read/read_methods.js';
import { fromWorkerError } from '../store/worker_error.js';

/** The answer of a storage thread: a result, or a page of the feed. */
type PendingAnswer = RawJson | FeedPage;

interface Waiting {
  resolve(answer: PendingAnswer): void;
  reject(error: HubError): void;
}

/** Small limits: rows pass through a storage thread, and nothing large stays. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 1_024, stackSizeMb: 4 };

/** The calls that a storage thread has not answered yet. */
export interface PendingCalls {
  count(): number;
  /** Begins a call; `send` receives its id. */
  begin(send: (id: number) => void): Promise<PendingAnswer>;
  settle(reply: ReaderReply): void;
  rejectAll(error: HubError): void;
}

export function createPendingCalls(): PendingCalls {
  const calls = new Map<number, Waiting>();
  let newest = 0;
  return {
    count: () => calls.size,
    begin: (send) =>
      new Promise((resolve, reject) => {
        newest += 1;
        calls.set(newest, { resolve, reject });
        send(newest);
      }),
    settle(reply) {
      const call = calls.get(reply.id);
      if (call === undefined) return;
      calls.delete(reply.id);
      if ('error' in reply) call.reject(fromWorkerError(reply.error));
      else if ('feed' in reply) call.resolve(reply.feed);
      else call.resolve(new RawJson('json' in reply ? reply.json : reply.bytes));
    },
    rejectAll(error) {
      const waiting = [...calls.values()];
      calls.clear();
      for (const call of waiting) call.reject(error);
    },
  };
}

/** Narrows an answer to a result. */
export function asResult(answer: PendingAnswer): RawJson {
  if (answer instanceof RawJson) return answer;
  throw new HubError('internal', 'a storage thread answered a call with a piece of the feed');
}

/** Narrows an answer to a page of the feed. */
export function asFeed(answer: PendingAnswer): FeedPage {
  if (!(answer instanceof RawJson)) return answer;
  throw new HubError('internal', 'a storage thread answered a question about the feed with a result');
}

/** Calls `onExit` with the reason when a thread ends. */
export function onThreadExit(thread: Worker, which: string, onExit: (error: HubError) => void): void {
  let reason = 'it ended by itself';
  thread.on('error', (error) => {
    reason = String(error);
  });
  thread.on('exit', () =>
    onExit(
      new HubError('storage_failed', `the ${which} thread of the storage died: ${reason}`, {
        hint: ['run: ', cliCommand('hub stop'), '   (the next command starts a new hub)'],
      }),
    ),
  );
}
