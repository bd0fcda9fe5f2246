import { raceAbort } from '../../hub/base/abort.js';
import { HubError } from '../../hub/base/error.js';
import type { CallContext } from '../../hub/base/plugin.js';

/** The most calls of one caller that the reading thread has: their pages still come when the caller reads no more. */
const AT_ONCE_MAX = 4;

/** The reading calls of one caller: few of them are with the reading thread at once, and none begins while its caller is behind. */
export interface CallerWindow {
  run<T>(context: CallContext, call: () => Promise<T>): Promise<T>;
}

interface Line {
  inside: number;
  waiting: (() => void)[];
}

export function createCallerWindow(): CallerWindow {
  const lines = new Map<number, Line>();

  function leave(caller: number, line: Line): void {
    const next = line.waiting.shift();
    if (next === undefined) line.inside -= 1;
    else next();
    if (line.inside === 0) lines.delete(caller);
  }

  async function enter(caller: number, line: Line, signal: AbortSignal): Promise<void> {
    if (line.inside < AT_ONCE_MAX) {
      line.inside += 1;
      return;
    }
    let admit = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      admit = resolve;
    });
    line.waiting.push(admit);
    try {
      await raceAbort(turn, signal, cancelled);
    } catch (error) {
      if (!line.waiting.includes(admit)) leave(caller, line);
      line.waiting = line.waiting.filter((one) => one !== admit);
      throw error;
    }
  }

  return {
    async run(context, call) {
      // The hub's own parts read all that they ask for.
      if (context.caller.kind === 'internal') return call();
      const caller = callerNumber(context);
      const line = lines.get(caller) ?? { inside: 0, waiting: [] };
      lines.set(caller, line);
      await enter(caller, line, context.signal);
      try {
        if (!context.hasRoom()) await raceAbort(context.drained(), context.signal, cancelled);
        return await call();
      } finally {
        leave(caller, line);
      }
    },
  };
}

/** Whose share a call takes: a connection's, or that of the hub itself, 0. */
export function callerNumber({ caller }: Pick<CallContext, 'caller'>): number {
  return caller.kind === 'client' ? caller.connection : 0;
}

function cancelled(): HubError {
  return new HubError('cancelled', 'the call was cancelled');
}
