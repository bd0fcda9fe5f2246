import { setTimeout as wait } from 'node:timers/promises';
import { detach } from '../../hub/base/detach.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { endFamily, killFamily } from '../process/end_family.js';
import type { Channel, Child } from '../process/spawn_process.js';
import type { Spool } from '../process/spool.js';
import type { Begun, End } from './command_records.js';
import type { ShellState } from './shell_state.js';

/** What background processes that hold the pipes may delay an answer. */
const DRAIN_MS = 250;
/** Printed, but not yet taken by the reader whose speed the command follows; with more it has to wait. */
const UNREAD_BYTES_MAX = 1024 * 1024;

/** A command that runs. */
export interface BashCommand {
  begun: Begun;
  spool: Spool;
  /** Ends it and all its processes; only the first reason counts. Resolves when it has ended. */
  stop(reason: string, signal: NodeJS.Signals): Promise<void>;
  /** Whether everything that it printed is in the spool. */
  hasEnded(): boolean;
  /** Resolves when it has printed more, or ended. */
  news(): Promise<void>;
  /** The reader that it must not run away from has come so far; null when there is none. */
  readTo(offset: number | null): void;
  answer: Promise<ToolAnswer>;
}

/** What a started command is made of. */
export interface Started {
  begun: Begun;
  spool: Spool;
  timeoutMs: number | null;
  /** Whether its background processes live on after it: a person's. */
  sparesBackground: boolean;
  /** Whether nothing of it can outlive its first process: in a sandbox. */
  isEnclosed: boolean;
  begin(take: (from: Channel, bytes: Buffer) => void): Promise<Child>;
  state(): ShellState | null;
  clock(): number;
  /** Takes over a process whose background children hold its pipes. */
  adopt(child: Child): void;
  /** Keeps what it came to. */
  conclude(end: Omit<End, 'cwd'>, state: ShellState | null): Promise<ToolAnswer>;
}

/** Runs a command to its end. */
export async function runCommand(started: Started): Promise<BashCommand> {
  const { begun, spool, timeoutMs } = started;
  let readOffset: number | null = null;
  let hasExited = false;
  let hasEnded = false;
  let stopping: { reason: string; done: Promise<unknown>; signal: NodeJS.Signals } | null = null;
  const news = createNews();

  function pace(): void {
    const isAhead = readOffset !== null && spool.totalBytes() - readOffset > UNREAD_BYTES_MAX;
    if (isAhead && !hasExited) child.pause();
    else child.resume();
  }

  const child = await started.begin((from, bytes) => {
    spool.write(from, bytes);
    news.tell();
    if (readOffset !== null) pace();
  });
  const family = { marker: begun.marker, leader: child.pid };

  const stop: BashCommand['stop'] = async (reason, signal) => {
    if (!hasExited) stopping ??= { reason, signal, done: endFamily(family, signal) };
    await ended;
  };
  const timer =
    timeoutMs === null
      ? null
      : setTimeout(() => detach(stop(`timed out after ${seconds(timeoutMs)}`, 'SIGTERM'), answerTells), timeoutMs);

  async function toEnd(): Promise<Omit<End, 'cwd'>> {
    const exit = await child.exited;
    hasExited = true;
    const duration_ms = Math.max(0, started.clock() - begun.started_at_ms);
    if (timer !== null) clearTimeout(timer);
    pace();
    const cause = stopping;
    await cause?.done;
    const isClosed = await within(DRAIN_MS, child.closed);
    const background_ended = cause === null ? await endBackground(started, child) : 0;
    if (!isClosed && cause === null && started.sparesBackground) started.adopt(child);
    else child.cut();
    hasEnded = true;
    news.tell();
    const signal = exit.signal ?? (cause !== null && exit.code !== 0 ? cause.signal : null);
    return { exit_code: exit.code, signal, duration_ms, reason: cause?.reason ?? null, background_ended };
  }

  const ending = toEnd();
  const ended = ending.then(() => undefined);
  const answer = ending.then((end) => started.conclude(end, endedItself(end) ? started.state() : null));
  detach(answer, answerTells);

  return {
    begun,
    spool,
    stop,
    hasEnded: () => hasEnded,
    news: () => (hasEnded ? Promise.resolve() : news.next()),
    readTo(offset) {
      readOffset = offset;
      if (!hasEnded) pace();
    },
    answer,
  };
}

/** A failure is reported to the callers that await the answer; without one it is no failure of this process. */
const answerTells = (): undefined => undefined;

/** Whether a shell came to its own end: only then it tells its state. */
function endedItself({ reason, signal }: Omit<End, 'cwd'>): boolean {
  return reason === null && signal === null;
}

/** Ends what a model's command left running outside a sandbox; returns how many processes that were. */
async function endBackground({ begun, sparesBackground, isEnclosed }: Started, child: Child): Promise<number> {
  if (sparesBackground || isEnclosed) return 0;
  const count = await killFamily({ marker: begun.marker, leader: child.pid });
  await within(DRAIN_MS, child.closed);
  return count;
}

/** Wakes whoever waits for something to happen. */
function createNews() {
  let waiters: (() => void)[] = [];
  return {
    next: () => new Promise<void>((resolve) => waiters.push(resolve)),
    tell(): void {
      const told = waiters;
      waiters = [];
      for (const resolve of told) resolve();
    },
  };
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

/** Whether something came about in time. */
async function within(ms: number, happening: Promise<void>): Promise<boolean> {
  const abort = new AbortController();
  const late = wait(ms, false, { signal: abort.signal }).catch(() => false);
  const inTime = await Promise.race([happening.then(() => true), late]);
  abort.abort();
  return inTime;
}
