import { HubError } from '../../hub/base/error.js';
import { createFairQueue } from '../../hub/base/fair_queue.js';
import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import type { FeedPage, ReaderMessage, ReaderReply, ReadOpName, ReadRequest } from '../read/read_methods.js';
import { unexpectedError } from '../store/unexpected_error.js';
import { toWorkerError, type WorkerError } from '../store/worker_error.js';
import { READ_OPS } from './read_operations.js';

/** The most operations of one caller that run interleaved. */
const ACTIVE_MAX = 16;
/** With so many begun that gather a page, a caller may have one: each holds what it has gathered so far. */
const GATHERING_MAX = 32;
/** The most operations of one caller that wait to start. */
const WAITING_MAX = 2_000;
/** How long slices run before new messages are handled. */
const TURN_MS = 1;
/** An operation that takes longer holds a page by then; so many of them run at once, each with up to a page of JSON. */
const SHORT_MS = 3;
const LONG_MAX = 4;
/** Nobody waits for these as for an answer: together they have every other slice, however many they are. */
const BULK: ReadonlySet<ReadOpName> = new Set<ReadOpName>(['feed', 'loom.tree_export']);
/** These hold no page, and may run for as long as the database is large. */
const UNPAGED: ReadonlySet<ReadOpName> = new Set<ReadOpName>(['loom.fsck', 'loom.search', 'loom.cost_get']);

interface Operation {
  request: ReadRequest;
  slices: Slices<string | Uint8Array<ArrayBuffer> | FeedPage>;
  hasStarted: boolean;
  tookMs: number;
  isLong: boolean;
}

const FRESH = { hasStarted: false, tookMs: 0, isLong: false };

interface CallerCounts {
  active: number;
  waiting: number;
  /** Of the active ones those that gather a page. */
  gathering: number;
}

export interface Scheduler {
  accept(message: ReaderMessage): void;
}

/**
 * Runs read operations slice by slice, each caller's in turn, so that a long one delays no other and can be cancelled. A caller
 * whose operations have taken the least time comes first.
 */
export function createScheduler(context: ReadContext, reply: (message: ReaderReply) => void): Scheduler {
  const operations = createTwoQueues();
  const counts = createCounts();
  let longCount = 0;
  const schedule = inShortTurns(runNext);

  function mayStart({ request }: Operation): boolean {
    const { active, gathering } = counts.of(request.caller);
    return active < ACTIVE_MAX && (gathering === 0 || !gathers(request) || counts.gathering() < GATHERING_MAX);
  }

  const mayRun = (operation: Operation): boolean =>
    operation.hasStarted ? operation.isLong || !needsPage(operation) || longCount < LONG_MAX : mayStart(operation);

  function runNext(): boolean {
    const operation = operations.take(mayRun);
    if (operation === undefined) return false;
    run(operation, performance.now());
    return true;
  }

  function run(operation: Operation, startMs: number): void {
    const { request } = operation;
    if (!operation.hasStarted) counts.start(request);
    else if (!operation.isLong && needsPage(operation)) {
      operation.isLong = true;
      longCount += 1;
    }
    operation.hasStarted = true;
    const done = runSlice(request.id, operation.slices);
    const tookMs = performance.now() - startMs;
    operation.tookMs += tookMs;
    operations.charge(request, tookMs);
    if (done === null) operations.push(operation);
    else end(operation, done);
  }

  function end(operation: Operation, answer: ReaderReply): void {
    if (operation.isLong) longCount -= 1;
    counts.end(operation.request, operation.hasStarted);
    reply(answer);
  }

  function cancel(id: number): void {
    const operation = operations.remove(({ request }) => request.id === id);
    // One that has ended was answered already.
    if (operation === undefined) return;
    // This closes a file that it has open.
    operation.slices.return('');
    end(operation, { id, error: toWorkerError(new HubError('cancelled', 'the call was cancelled')) });
  }

  function add(request: ReadRequest): void {
    if (counts.of(request.caller).waiting >= WAITING_MAX) {
      reply({ id: request.id, error: tooMany() });
      return;
    }
    counts.wait(request.caller);
    operations.push({ request, slices: begin(context, request), ...FRESH });
  }

  return {
    accept(message) {
      if ('cancel' in message) cancel(message.cancel);
      else if ('forget' in message) forget(context);
      else add(message);
      schedule();
    },
  };
}

/** What is read in bulk, and all else: each has its turn while both have operations that may run. */
function createTwoQueues() {
  const options = { isInOrder: false, debtMax: SHORT_MS };
  const [bulk, others] = [createFairQueue<Operation>(options), createFairQueue<Operation>(options)];
  const queueOf = ({ op }: ReadRequest) => (BULK.has(op) ? bulk : others);
  let isBulkNext = false;
  return {
    push: (operation: Operation) => queueOf(operation.request).push(operation.request.caller, operation),
    charge: (request: ReadRequest, tookMs: number) => queueOf(request).charge(request.caller, tookMs),
    take(fits: (operation: Operation) => boolean): Operation | undefined {
      const [first, second] = isBulkNext ? [bulk, others] : [others, bulk];
      isBulkNext = !isBulkNext;
      return first.take(fits) ?? second.take(fits);
    },
    remove: (isIt: (operation: Operation) => boolean) => bulk.remove(isIt) ?? others.remove(isIt),
  };
}

/** The result has a step repeated until it is false, and lets the thread handle messages in between. */
function inShortTurns(step: () => boolean): () => void {
  let isScheduled = false;
  const turn = (): void => {
    isScheduled = false;
    for (const endMs = performance.now() + TURN_MS; performance.now() < endMs; ) if (!step()) return;
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(turn);
  };
  return schedule;
}

function needsPage({ tookMs, request }: Operation): boolean {
  return tookMs > SHORT_MS && gathers(request);
}

function gathers({ op }: ReadRequest): boolean {
  return !UNPAGED.has(op);
}

const NOTHING: CallerCounts = { active: 0, waiting: 0, gathering: 0 };

function createCounts() {
  const callers = new Map<number, CallerCounts>();
  let gathering = 0;
  const change = (caller: number, by: CallerCounts): void => {
    const before = callers.get(caller) ?? NOTHING;
    const active = before.active + by.active;
    const waiting = before.waiting + by.waiting;
    gathering += by.gathering;
    if (active + waiting === 0) callers.delete(caller);
    else callers.set(caller, { active, waiting, gathering: before.gathering + by.gathering });
  };
  const started = (request: ReadRequest): CallerCounts => ({
    ...NOTHING,
    active: 1,
    gathering: gathers(request) ? 1 : 0,
  });
  return {
    of: (caller: number): CallerCounts => callers.get(caller) ?? NOTHING,
    gathering: () => gathering,
    wait: (caller: number) => change(caller, { ...NOTHING, waiting: 1 }),
    start: (request: ReadRequest) => change(request.caller, { ...started(request), waiting: -1 }),
    end(request: ReadRequest, hadStarted: boolean) {
      const { active, gathering: gathered } = started(request);
      const by = hadStarted ? { ...NOTHING, active: -active, gathering: -gathered } : { ...NOTHING, waiting: -1 };
      change(request.caller, by);
    },
  };
}

/** Removes purged data from the caches and the search index. */
function forget({ paths, hidden, damage, search }: ReadContext): void {
  paths.clear();
  hidden.clear();
  damage.newest = null;
  search.reset();
}

function begin<O extends ReadOpName>(context: ReadContext, request: ReadRequest<O>): Operation['slices'] {
  return READ_OPS[request.op](context, request.params);
}

/** Null while the operation has more to do. */
function runSlice(id: number, slices: Operation['slices']): ReaderReply | null {
  try {
    const step = slices.next();
    if (step.done !== true) return null;
    if (typeof step.value === 'string') return { id, json: step.value };
    return step.value instanceof Uint8Array ? { id, bytes: step.value } : { id, feed: step.value };
  } catch (error) {
    // The caller is on another thread: the answer is the only way to tell it.
    return { id, error: toWorkerError(unexpectedError('reading', error)) };
  }
}

function tooMany(): WorkerError {
  return toWorkerError(
    new HubError('limit', `${WAITING_MAX} reading calls of this caller are waiting already`, {
      hint: 'try again in a moment',
      retryable: true,
    }),
  );
}
