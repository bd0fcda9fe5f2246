import { onAbort, raceAbort } from '../../base/abort.js';
import { detach } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import type { InternalCaller } from '../../base/internal_call.js';
import type { CallContext, HubCalls, HubResolve } from '../../base/plugin.js';
import { createSleep } from '../live/pause.js';
import { type OpenRemote, openRemote, type Remote, remoteError, requireAddress } from '../remote_connection.js';

/** Connections outlive the calls that use them. */
const NEVER = new AbortController().signal;
const CHANNEL = 'cognition_tasks';
/** Announced where a task waits for a worker; else the id of a task that is another than before is. */
export const QUEUE = 'queue';
/** How long a connection stays that nobody uses. */
const IDLE_MS = 30_000;
/** How often one asks who is told of news: a lease that is over is told by nobody. And how often who is not. */
const HEARING_POLL_MS = 5_000;
const POLL_MS = 2_000;

/** The connections for tasks: one for each remote, beside what else is done there, because a lease cannot wait for a large tree. */
export interface TaskLines {
  use<T>(name: string, context: CallContext, work: (remote: Remote, reach: InternalCaller) => Promise<T>): Promise<T>;
  /** A sleep that ends when that is announced, or the signal aborts. */
  sleepUntil(news: { name: string; what: string; signal: AbortSignal }): NewsSleep;
  /** How often a remote is to be asked. */
  pollMs(name: string): number;
  /** Ends a connection that does not answer. */
  drop(name: string): void;
  end(): void;
}

export interface NewsSleep {
  /** Returns whether the whole time has passed without news. */
  wait(ms: number): Promise<boolean>;
  end(): void;
}

interface Line {
  address: string;
  opening: Promise<OpenRemote>;
  users: number;
  isHeard: boolean;
  timer: NodeJS.Timeout | undefined;
}

export function createTaskLines(
  hub: HubCalls & HubResolve,
  parts: { addressOf(name: string): string | null },
): TaskLines {
  const { tell, sleepUntil } = createHearers();
  const { lines, lineTo, drop } = createLines((name) => requireAddress(parts, name), tell);
  return {
    async use(name, context, work) {
      const line = lineTo(name);
      line.users += 1;
      clearTimeout(line.timer);
      const cancelled = (): HubError => new HubError('cancelled', `the call to ${name} was cancelled`);
      try {
        const done = line.opening.then((remote) => work(remote, { hub, context }));
        return await raceAbort(done, context.signal, cancelled);
      } catch (error) {
        const told = remoteError(name, error, context.signal);
        if (told.kind === 'network') drop(name, line);
        throw told;
      } finally {
        line.users -= 1;
        if (line.users === 0) line.timer = setTimeout(() => drop(name, line), IDLE_MS).unref();
      }
    },
    sleepUntil,
    pollMs: (name) => (lines.get(name)?.isHeard === true ? HEARING_POLL_MS : POLL_MS),
    drop: (name) => drop(name, lines.get(name)),
    end() {
      for (const [name, line] of [...lines]) drop(name, line);
    },
  };
}

function createLines(addressOf: (name: string) => string, tell: (name: string, what: string) => void) {
  const lines = new Map<string, Line>();

  async function open(name: string, line: Pick<Line, 'address' | 'isHeard'>): Promise<OpenRemote> {
    const remote = await openRemote({ name, address: line.address, signal: NEVER });
    onAbort(remote.lost, () => drop(name, line));
    const hear = (what: string): void => {
      line.isHeard = true;
      tell(name, what);
    };
    // A replica, and what only speaks like PostgreSQL, may tell nothing.
    await remote.listen(CHANNEL, hear).catch(() => undefined);
    await announceTask(remote, '');
    return remote;
  }

  function begin(name: string, address: string): Line {
    const line = { address, users: 0, isHeard: false, timer: undefined };
    const begun: Line = Object.assign(line, { opening: open(name, line) });
    begun.opening.catch(() => drop(name, line));
    lines.set(name, begun);
    return begun;
  }

  function drop(name: string, line: object | undefined): void {
    const known = lines.get(name);
    if (known === undefined || known !== line) return;
    lines.delete(name);
    clearTimeout(known.timer);
    const close = known.opening.then((remote) => remote.close());
    detach(close, () => undefined);
  }

  function lineTo(name: string): Line {
    const address = addressOf(name);
    const known = lines.get(name);
    if (known?.address === address) return known;
    drop(name, known);
    return begin(name, address);
  }

  return { lines, lineTo, drop };
}

/** Those who wait for news of tasks. */
function createHearers() {
  const hearers = new Map<string, Set<(what: string) => void>>();
  return {
    tell(name: string, what: string): void {
      for (const hear of hearers.get(name) ?? []) hear(what);
    },
    sleepUntil({ name, what, signal }: Parameters<TaskLines['sleepUntil']>[0]): NewsSleep {
      const { wait, wake } = createSleep();
      const hear = (told: string): void => (told === what ? wake() : undefined);
      const known = hearers.get(name) ?? new Set();
      hearers.set(name, known.add(hear));
      const stopListening = onAbort(signal, wake);
      return {
        wait,
        end() {
          known.delete(hear);
          stopListening();
        },
      };
    },
  };
}

/** Tells that a task is another than before, or that one waits. Where that cannot be told it is found a little later. */
export async function announceTask(remote: Remote, what: string): Promise<void> {
  await remote.query('SELECT pg_notify($1, $2)', [CHANNEL, what]).catch(() => undefined);
}
