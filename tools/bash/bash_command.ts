import { setTimeout as wait } from 'node:timers/promises';
import { detach } from '../../hub/base/detach.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { endFamily, killFamily } from '../process/end_family.js';
import type { Channel, Child } from '../process/spawn_process.js';
import type { Spool } from '../process/spool.js';
import { type UseLimits, watchUse } from '../process/use_limits.js';
import type { CommandEnd, CommandStart } from './command_records.js';
import type { ShellState } from './shell_state.js';

/** How long background processes that hold the pipes may delay an answer. */
const DRAIN_MS = 250;
/** Output not yet read by the reader that sets the pace; with more the command is paused. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** What a command may print in a while when nobody reads along: then it waits, and does not keep the machine busy. */
const UNHEARD_BYTES_MAX = 1024 * 1024;
const UNHEARD_MS = 200;

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
  /** Whether it runs in the background, where nobody reads along. */
  isUnheard: boolean;
  /** Whether its background processes outlive it, as a person's do. */
  sparesBackground: boolean;
  /** Whether nothing of it can outlive its first process: in a sandbox. */
  isEnclosed: boolean;
  /** What it may use; null for no limit. */
  limits: UseLimits | null;
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
  const { start, spool } = started;
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

  const slow = createSlowing(() => child);
  const child = await started.begin((from, bytes) => {
    spool.write(from, bytes);
    if (started.isUnheard) slow(bytes.length);
    notifier.notify();
    if (readOffset !== null) pace();
  });
  const family = { marker: start.marker, leader: child.pid };

  const stop: BashCommand['stop'] = async (reason, signal) => {
    if (!hasExited) stopping ??= { reason, signal, done: endFamily(family, signal) };
    await ended;
  };
  const stopWatching = endInTime(started, child.pid, stop);

  async function toEnd(): Promise<Omit<CommandEnd, 'cwd'>> {
    const exit = await child.exited;
    hasExited = true;
    const duration_ms = Math.max(0, started.clock() - start.started_at_ms);
    stopWatching();
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

/** Ends a command that takes too long, or uses too much; returns what ends the watch. */
function endInTime({ timeoutMs, limits }: CommandRun, leader: number, stop: BashCommand['stop']): () => void {
  const end = (reason: string, signal: NodeJS.Signals): void => detach(stop(reason, signal), answerTells);
  const late = (ms: number) => () => end(`timed out after ${seconds(ms)}`, 'SIGTERM');
  const timer = timeoutMs === null ? undefined : setTimeout(late(timeoutMs), timeoutMs);
  const stopWatching = limits === null ? null : watchUse(leader, limits, (reason) => end(reason, 'SIGKILL'));
  return () => {
    clearTimeout(timer);
    stopWatching?.();
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

/** Counts what is printed, and has whoever prints too much of it wait for a moment. */
function createSlowing(child: () => Child): (bytes: number) => void {
  let printed = 0;
  return (bytes) => {
    printed += bytes;
    if (printed < UNHEARD_BYTES_MAX) return;
    printed = 0;
    child().pause();
    setTimeout(() => child().resume(), UNHEARD_MS).unref();
  };
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
