import { setTimeout as wait } from 'node:timers/promises';
import { detach } from '../../hub/base/detach.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { endFamily, killFamily } from '../process/end_family.js';
import type { Channel, Child } from '../process/spawn_process.js';
import type { Spool } from '../process/spool.js';
import type { CommandEnd, CommandStart } from './command_records.js';
import type { ShellState } from './shell_state.js';

/** How long background processes that hold the pipes may delay an answer. */
const DRAIN_MS = 250;
/** Output not yet read by the reader that sets the pace; with more the command is paused. */
const UNREAD_BYTES_MAX = 1024 * 1024;

/** A running command. */
export interface BashCommand {
  start: CommandStart;
  spool: Spool;
  /** Ends it with all its processes, and resolves then; only the first reason counts. */
  stop(reason: string, signal: NodeJS.Signals): Promise<void>;
  /** Whether all its output is in the spool. */
  hasEnded(): boolean;
  /** Resolves when it has printed more, or ended. */
  nextOutput(): Promise<void>;
  /** Sets the offset of the reader that sets the pace; null when there is none. */
  readTo(offset: number | null): void;
  answer: Promise<ToolAnswer>;
}

/** What running a command needs. */
export interface CommandRun {
  start: CommandStart;
  spool: Spool;
  timeoutMs: number | null;
  /** Whether its background processes outlive it, as a person's do. */
  sparesBackground: boolean;
  /** Whether nothing of it can outlive its first process: in a sandbox. */
  isEnclosed: boolean;
  begin(take: (from: Channel, bytes: Buffer) => void): Promise<Child>;
  state(): ShellState | null;
  clock(): number;
  /** Takes over a process whose background children hold its pipes. */
  adopt(child: Child): void;
  /** Stores the result. */
  conclude(end: Omit<CommandEnd, 'cwd'>, state: ShellState | null): Promise<ToolAnswer>;
}

/** Runs a command to its end. */
export async function runCommand(started: CommandRun): Promise<BashCommand> {
  const { start, spool, timeoutMs } = started;
  let readOffset: number | null = null;
  let hasExited = false;
  let hasEnded = false;
  let stopping: { reason: string; done: Promise<unknown>; signal: NodeJS.Signals } | null = null;
  const notifier = createNotifier();

  function pace(): void {
    const isAhead = readOffset !== null && spool.totalBytes() - readOffset > UNREAD_BYTES_MAX;
    if (isAhead && !hasExited) child.pause();
    else child.resume();
  }

  const child = await started.begin((from, bytes) => {
    spool.write(from, bytes);
    notifier.notify();
    if (readOffset !== null) pace();
  });
  const family = { marker: start.marker, leader: child.pid };

  const stop: BashCommand['stop'] = async (reason, signal) => {
    if (!hasExited) stopping ??= { reason, signal, done: endFamily(family, signal) };
    await ended;
  };
  const timer =
    timeoutMs === null
      ? null
      : setTimeout(() => detach(stop(`timed out after ${seconds(timeoutMs)}`, 'SIGTERM'), answerTells), timeoutMs);

  async function toEnd(): Promise<Omit<CommandEnd, 'cwd'>> {
    const exit = await child.exited;
    hasExited = true;
    const duration_ms = Math.max(0, started.clock() - start.started_at_ms);
    if (timer !== null) clearTimeout(timer);
    pace();
    const cause = stopping;
    await cause?.done;
    const isClosed = await settlesWithin(DRAIN_MS, child.closed);
    const background_ended = cause === null ? await endBackground(started, child) : 0;
    if (!isClosed && cause === null && started.sparesBackground) started.adopt(child);
    else child.cut();
    hasEnded = true;
    notifier.notify();
    const signal = exit.signal ?? (cause !== null && exit.code !== 0 ? cause.signal : null);
    return { exit_code: exit.code, signal, duration_ms, reason: cause?.reason ?? null, background_ended };
  }

  const ending = toEnd();
  const ended = ending.then(() => undefined);
  const answer = ending.then((end) => started.conclude(end, endedItself(end) ? started.state() : null));
  detach(answer, answerTells);

  return {
    start,
    spool,
    stop,
    hasEnded: () => hasEnded,
    nextOutput: () => (hasEnded ? Promise.resolve() : notifier.next()),
    readTo(offset) {
      readOffset = offset;
      if (!hasEnded) pace();
    },
    answer,
  };
}

/** A failure is reported to the callers that await the answer; without one it is no failure of this process. */
const answerTells = (): undefined => undefined;

/** Whether a shell ended by itself: only then it reports its state. */
function endedItself({ reason, signal }: Omit<CommandEnd, 'cwd'>): boolean {
  return reason === null && signal === null;
}

/** Ends what a model's command left running outside a sandbox; returns the number of processes. */
async function endBackground({ start, sparesBackground, isEnclosed }: CommandRun, child: Child): Promise<number> {
  if (sparesBackground || isEnclosed) return 0;
  const count = await killFamily({ marker: start.marker, leader: child.pid });
  await settlesWithin(DRAIN_MS, child.closed);
  return count;
}

/** Wakes all waiters at once. */
function createNotifier() {
  let waiters: (() => void)[] = [];
  return {
    next: () => new Promise<void>((resolve) => waiters.push(resolve)),
    notify(): void {
      const woken = waiters;
      waiters = [];
      for (const resolve of woken) resolve();
    },
  };
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

/** Whether a promise resolves in time. */
async function settlesWithin(ms: number, promise: Promise<void>): Promise<boolean> {
  const abort = new AbortController();
  const late = wait(ms, false, { signal: abort.signal }).catch(() => false);
  const inTime = await Promise.race([promise.then(() => true), late]);
  abort.abort();
  return inTime;
}
