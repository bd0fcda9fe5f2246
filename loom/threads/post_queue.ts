import { createFairQueue } from '../../hub/base/fair_queue.js';
import { LARGE_LENGTH, type PostedCall } from '../store/thread_messages.js';

/** The most calls that the thread has: those of one commit, and of the next. Later ones wait here, where each caller gets its turn. */
const POSTED_MAX = 512;
/** The most text that the small ones of them have. */
const POSTED_LENGTH_MAX = 2 * 1024 * 1024;
/** So much text takes about as long as a call. */
const CALL_LENGTH = 4 * 1024;
const DEBT_CALLS_MAX = 32;

interface Waiting {
  caller: number;
  call: PostedCall;
}

/** What is posted to the writing thread: many small calls, and one large one, which those of other callers overtake there. */
export interface PostQueue {
  add(caller: number, call: PostedCall): void;
  answered(ids: readonly number[]): void;
}

/** Calls of one turn of the event loop are posted together: waking a thread costs more than a call. */
export function createPostQueue(send: (calls: PostedCall[]) => void): PostQueue {
  const queue = createFairQueue<Waiting>({ isInOrder: true, debtMax: DEBT_CALLS_MAX });
  const posted = new Map<number, Waiting>();
  let smallLength = 0;
  let large: Waiting | null = null;
  let isScheduled = false;

  function fits({ caller, call }: Waiting): boolean {
    if (isLarge(call)) return large === null;
    // What a caller sends after a large one may be below it.
    return large?.caller !== caller && (smallLength === 0 || smallLength + call.length <= POSTED_LENGTH_MAX);
  }

  function note(waiting: Waiting): void {
    posted.set(waiting.call.id, waiting);
    if (isLarge(waiting.call)) large = waiting;
    else smallLength += waiting.call.length;
    queue.charge(waiting.caller, 1 + waiting.call.length / CALL_LENGTH);
  }

  function post(): void {
    isScheduled = false;
    const calls: PostedCall[] = [];
    while (posted.size < POSTED_MAX) {
      const next = queue.take(fits);
      if (next === undefined) break;
      note(next);
      calls.push(next.call);
    }
    if (calls.length > 0) send(calls);
  }

  return {
    add(caller, call) {
      queue.push(caller, { caller, call });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(post);
    },
    answered(ids) {
      for (const id of ids) {
        const waiting = posted.get(id);
        if (waiting === undefined) continue;
        posted.delete(id);
        if (waiting === large) large = null;
        else smallLength -= waiting.call.length;
      }
      if (queue.size() > 0) post();
    },
  };
}

function isLarge({ length }: PostedCall): boolean {
  return length > LARGE_LENGTH;
}

/** The length of all texts in a value. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((length: number, part) => length + textLength(part), 0);
}
