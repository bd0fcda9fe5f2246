import { HubError } from '../base/error.js';
import type { MethodSpec } from '../protocol/method.js';
import { METHODS } from '../protocol/methods/method_table.js';

/** The most streaming calls of one connection: other calls queue, but these may run for ever. */
export const STREAMS_MAX = 64;

export interface CallStart {
  connection: number;
  /** The id of the request; null for a notification. */
  id: string | number | null;
  method: string;
  stream: string | null;
  /** Whether it continues when its caller goes away. */
  detached: boolean;
}

/** The running calls of all connections. */
export interface Calls {
  /** Refuses a second call under the same id or stream; `end` must be called when the call is answered. */
  begin(call: CallStart): { signal: AbortSignal; end(): void };
  /** False when the connection has no such call running. */
  cancel(connection: number, id: string | number): boolean;
  /** The caller went away: aborts the calls whose methods say so. */
  callerGone(connection: number): void;
  /** The number of calls that would lose something if interrupted now. */
  busy(): number;
  /** Resolves when no running call would lose something. */
  idle(): Promise<void>;
}

interface RunningCall extends CallStart {
  controller: AbortController;
}

/** Starts an empty register of calls. */
export function createCalls(): Calls {
  const byConnection = new Map<number, Set<RunningCall>>();
  let busy = 0;
  let waiters: (() => void)[] = [];

  function remove(call: RunningCall): void {
    const calls = byConnection.get(call.connection);
    calls?.delete(call);
    if (calls?.size === 0) byConnection.delete(call.connection);
    if (!keepsBusy(call)) return;
    busy -= 1;
    if (busy > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  }

  return {
    begin(start) {
      const calls = byConnection.get(start.connection) ?? new Set();
      refuseClash(start, calls);
      const call = { ...start, controller: new AbortController() };
      byConnection.set(start.connection, calls.add(call));
      if (keepsBusy(start)) busy += 1;
      return { signal: call.controller.signal, end: () => remove(call) };
    },
    cancel(connection, id) {
      for (const call of byConnection.get(connection) ?? []) {
        if (call.id !== id) continue;
        call.controller.abort();
        return true;
      }
      return false;
    },
    callerGone(connection) {
      for (const call of byConnection.get(connection) ?? []) {
        if (specOf(call.method)?.callerGone === 'cancel' && !call.detached) call.controller.abort();
      }
    },
    busy: () => busy,
    idle: () => (busy === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
  };
}

function refuseClash(start: CallStart, calls: ReadonlySet<RunningCall>): void {
  let streams = 0;
  for (const call of calls) {
    if (start.id !== null && call.id === start.id) {
      throw new HubError('conflict', `the request id ${JSON.stringify(start.id)} is in use by a call under way`, {
        hint: 'give every request of a connection its own id',
      });
    }
    if (call.stream === null) continue;
    streams += 1;
    if (call.stream === start.stream) {
      throw new HubError('conflict', `the stream ${JSON.stringify(start.stream)} is in use by a call under way`, {
        hint: 'give every streaming call its own token',
      });
    }
  }
  if (start.stream !== null && streams >= STREAMS_MAX) {
    throw new HubError('limit', `this connection has ${STREAMS_MAX} streaming calls under way`, {
      hint: 'cancel one first, or use another connection',
      retryable: true,
    });
  }
}

const SPECS = new Map<string, MethodSpec>(Object.entries(METHODS));

/** The table's entry for a method; undefined for an unknown name. */
export function specOf(method: string): MethodSpec | undefined {
  return SPECS.get(method);
}

function keepsBusy({ method }: CallStart): boolean {
  return specOf(method)?.keepsHubBusy ?? true;
}
