import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { attempt } from '../sandbox/attempt.js';
import type { Pipe, PipePool } from './pipes.js';

export type Channel = 'stdout' | 'stderr';

export interface SpawnPlan {
  program: string;
  arguments: readonly string[];
  /** Its argv[0]. */
  calledAs: string;
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** Its descriptor 3. */
  controlFd: number;
  /** A file that is its descriptor 4: then the kernel is to end it first when memory is short. */
  filter?: string;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that leads its own session, and its output with that of its children. */
export interface Child {
  pid: number;
  exited: Promise<Exit>;
  /** Resolves when no process holds the pipes open any more. */
  closed: Promise<void>;
  /** Stops reading for now, so that writers have to wait. */
  pause(): void;
  resume(): void;
  /** Reads on and drops everything, so that writers are not killed by SIGPIPE. */
  ignore(): void;
  /** Closes the pipes. */
  cut(): void;
}

// Shared by all: `take` is called before the next read.
const BUFFER = Buffer.allocUnsafe(64 * 1024);

type Take = (from: Channel, bytes: Buffer) => void;

/** Starts a program without a terminal and without input. The bytes of its output are valid only during `take`. */
export async function spawnChild(pool: PipePool, plan: SpawnPlan, take: Take): Promise<Child> {
  const pipes: Pipe[] = [];
  try {
    const out = await pool.take();
    pipes.push(out);
    const err = await pool.take();
    pipes.push(err);
    const child = await spawnDetached(plan, [out.writeFd, err.writeFd]);
    return readOutput(child, { readers: { stdout: out.readFd, stderr: err.readFd }, take });
  } catch (error) {
    for (const { readFd } of pipes) closeSync(readFd);
    throw error;
  } finally {
    for (const { writeFd } of pipes) closeSync(writeFd);
  }
}

type StartedChild = { process: ChildProcess; pid: number; exited: Promise<Exit> };

function spawnDetached(plan: SpawnPlan, [out, err]: [number, number]): Promise<StartedChild> {
  return new Promise((resolve, reject) => {
    const { program, calledAs: argv0, cwd, environment: env, controlFd, filter } = plan;
    const start = (filterFd: number[]): ChildProcess =>
      spawn(program, [...plan.arguments], {
        ...{ argv0, cwd, env, detached: true },
        stdio: ['ignore', out, err, controlFd, ...filterFd],
      });
    const child = filter === undefined ? start([]) : startFirstToEnd(filter, start);
    const { pid } = child;
    const exited = new Promise<Exit>((exit) => {
      child.once('exit', (code, signal) => exit({ code, signal }));
    });
    child.once('error', reject);
    if (pid !== undefined) resolve({ process: child, pid, exited });
  });
}

const SCORE = '/proc/self/oom_score_adj';
const SCORE_MAX = '1000';

/** A child inherits the score that its parent has for that moment: by the time it could be changed the child has children. */
function startFirstToEnd(filter: string, start: (filterFd: number[]) => ChildProcess): ChildProcess {
  const fd = openSync(filter, 'r');
  const own = readFileSync(SCORE, 'utf8');
  const isSet = setScore(SCORE_MAX);
  try {
    return start([fd]);
  } finally {
    if (isSet) setScore(own);
    closeSync(fd);
  }
}

/** False where /proc cannot be written: then the command is like any other process. */
function setScore(score: string): boolean {
  return attempt(() => writeFileSync(SCORE, score)) === null;
}

interface OutputReaders {
  readers: Record<Channel, number>;
  take: Take;
}

function readOutput({ pid, exited }: StartedChild, { readers, take }: OutputReaders): Child {
  let isIgnored = false;
  const socketOf = (from: Channel): Socket => {
    const callback = (size: number): boolean => {
      if (!isIgnored) take(from, BUFFER.subarray(0, size));
      return true;
    };
    const options = { fd: readers[from], readable: true, writable: false, onread: { buffer: BUFFER, callback } };
    return new Socket(options);
  };
  const sockets = [socketOf('stdout'), socketOf('stderr')];
  const closed = Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.on('error', () => undefined); // it closes after it
          socket.once('close', () => resolve());
        }),
    ),
  );
  const resume = (): void => {
    for (const socket of sockets) socket.resume();
  };
  resume();
  return {
    pid,
    exited,
    closed: closed.then(() => undefined),
    pause() {
      for (const socket of sockets) socket.pause();
    },
    resume,
    ignore() {
      isIgnored = true;
      for (const socket of sockets) socket.unref();
      resume();
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
