import { HubError } from '../../hub/base/error.js';
import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import type { FeedPage, ReaderMessage, ReaderReply, ReadOpName, ReadRequest } from '../read/read_methods.js';
import { unexpectedError } from '../store/unexpected_error.js';
import { toWorkerError, type WorkerError } from '../store/worker_error.js';
import { READ_OPS } from './read_operations.js';

/** The most operations that run interleaved; more would only slow each other down. */
const ACTIVE_MAX = 16;
/** The most operations that wait to start. */
const WAITING_MAX = 2_000;
/** How long slices run before new messages are handled. */
const TURN_MS = 5;

interface Running {
  id: number;
  slices: Slices<string | FeedPage>;
}

export interface Scheduler {
  accept(message: ReaderMessage): void;
}

/** Runs read operations round-robin, slice by slice, so that a long one delays no other and can be cancelled. */
export function createScheduler(context: ReadContext, reply: (message: ReaderReply) => void): Scheduler {
  const active: Running[] = [];
  const waiting: ReadRequest[] = [];
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || active.length === 0) return;
    isScheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    isScheduled = false;
    const endMs = performance.now() + TURN_MS;
    for (let next = active.shift(); next !== undefined; next = active.shift()) {
      const done = runSlice(next);
      if (done === null) active.push(next);
      else reply(done);
      startWaiting();
      if (performance.now() >= endMs) break;
    }
    schedule();
  }

  function startWaiting(): void {
    while (active.length < ACTIVE_MAX) {
      const request = waiting.shift();
      if (request === undefined) return;
      active.push({ id: request.id, slices: begin(context, request) });
    }
  }

  function cancel(id: number): void {
    const running = remove(active, id);
    // This closes a file that it has open.
    running?.slices.return('');
    // An operation that has ended was answered already.
    if (running === undefined && remove(waiting, id) === undefined) return;
    reply({ id, error: toWorkerError(new HubError('cancelled', 'the call was cancelled')) });
    startWaiting();
  }

  return {
    accept(message) {
      if ('cancel' in message) cancel(message.cancel);
      else if ('forget' in message) forget(context);
      else if (waiting.length >= WAITING_MAX) reply({ id: message.id, error: tooMany() });
      else waiting.push(message);
      startWaiting();
      schedule();
    },
  };
}

function remove<T extends { id: number }>(list: T[], id: number): T | undefined {
  const at = list.findIndex((entry) => entry.id === id);
  return at === -1 ? undefined : list.splice(at, 1)[0];
}

/** Removes purged data from the caches and the search index. */
function forget({ paths, hidden, damage, search }: ReadContext): void {
  paths.clear();
  hidden.clear();
  damage.newest = null;
  search.reset();
}

function begin<O extends ReadOpName>(context: ReadContext, request: ReadRequest<O>): Slices<string | FeedPage> {
  return READ_OPS[request.op](context, request.params);
}

/** Null while the operation has more to do. */
function runSlice(running: Running): ReaderReply | null {
  const { id } = running;
  try {
    const step = running.slices.next();
    if (step.done !== true) return null;
    return typeof step.value === 'string' ? { id, json: step.value } : { id, feed: step.value };
  } catch (error) {
    // The caller is on another thread: the answer is the only way to tell it.
    return { id, error: toWorkerError(unexpectedError('reading', error)) };
  }
}

function tooMany(): WorkerError {
  return toWorkerError(
    new HubError('limit', `${WAITING_MAX} reading calls are waiting already`, {
      hint: 'try again in a moment',
      retryable: true,
    }),
  );
}
