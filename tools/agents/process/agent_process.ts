import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { detach, neverFails } from '../../../hub/base/detach.js';
import { endFamily } from '../../process/end_family.js';
import { usualLimits, watchUse } from '../../process/use_limits.js';
import type { Message, ProcessEnd } from '../agent_cli.js';
import { readJsonLines } from './json_lines.js';

/** Bytes of each stream that are kept on the disk; what comes later is read and dropped. */
const LOG_BYTES_MAX = 10_000_000;
/** The end of the standard error from which a failure is told. */
const STDERR_LENGTH_MAX = 4_000;
/** Why a process is ended that uses too much. */
const EXCESS = 'ended: it ';

export interface ProcessPlan {
  program: string;
  arguments: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** A text in the environment of all that it starts. */
  marker: string;
  /** Whether it is spoken to. */
  isLive: boolean;
  /** A folder for the files `stdout.log` and `stderr.log`, which are appended to. */
  logs: string;
  /** Where it must leave room on the disk. */
  disk: string;
  /** Undoes what was made for it. */
  release(): void;
}

export interface ProcessListener {
  message(message: Message): void;
  noise(text: string): void;
  /** Anything was heard of it. */
  heard(): void;
}

/** A process of an outside agent, with all that it starts. */
export interface AgentProcess {
  pid: number;
  send(message: object): void;
  isAlive(): boolean;
  /** Resolves when nothing of it is left. */
  ended: Promise<ProcessEnd>;
  /** Ends it with all that it has started. */
  end(): Promise<ProcessEnd>;
}

/** Starts an agent's program, which leads a group of its own. Rejects when it cannot be started. */
export async function startProcess(plan: ProcessPlan, listener: ProcessListener): Promise<AgentProcess> {
  const child = await spawned(plan).catch((error: unknown) => {
    plan.release();
    throw error;
  });
  const pid = child.pid ?? 0;
  const family = { marker: plan.marker, leader: pid };
  const logs = { stdout: openLog(plan.logs, 'stdout.log'), stderr: openLog(plan.logs, 'stderr.log') };
  let stderr = '';
  let isAlive = true;
  const lines = readJsonLines(listener);
  child.stdout?.on('data', (bytes: Buffer) => {
    listener.heard();
    logs.stdout.add(bytes);
    lines.add(bytes);
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    listener.heard();
    logs.stderr.add(bytes);
    stderr = (stderr + bytes.toString('utf8')).slice(-STDERR_LENGTH_MAX);
  });
  // One that has ended reads no more, which its end tells.
  child.stdin?.on('error', () => undefined);
  const stopWatching = watchUse(pid, usualLimits(plan.disk), (reason) => {
    stderr += `\n${EXCESS}${reason}`;
    detach(endFamily(family, 'SIGKILL'), neverFails);
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      isAlive = false;
      stopWatching();
      const finish = async (): Promise<void> => {
        // What it has left in the background holds its pipes.
        await endFamily(family, 'SIGTERM');
        await closed;
        lines.end();
        logs.stdout.close();
        logs.stderr.close();
        plan.release();
        resolve({ code, signal, stderr: stderr.trim() });
      };
      detach(finish(), neverFails);
    });
  });
  return {
    pid,
    isAlive: () => isAlive,
    ended,
    send(message) {
      child.stdin?.write(`${JSON.stringify(message)}\n`);
    },
    async end() {
      if (isAlive) await endFamily(family, 'SIGTERM');
      return ended;
    },
  };
}

function spawned({ program, arguments: given, cwd, environment, isLive }: ProcessPlan): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    // Closed where nobody speaks: many wait for the end of their input otherwise.
    const stdio = [isLive ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const;
    const child = spawn(program, [...given], { cwd, env: { ...environment }, detached: true, stdio: [...stdio] });
    child.once('error', reject);
    child.once('spawn', () => resolve(child));
  });
}

interface Log {
  add(bytes: Uint8Array): void;
  close(): void;
}

/** Appends to a file up to a limit. A full disk does not stop the agent. */
function openLog(folder: string, name: 'stdout.log' | 'stderr.log'): Log {
  let fd: number | null = null;
  let left = LOG_BYTES_MAX;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    fd = openSync(join(folder, name), 'a', 0o600);
  } catch {
    // It works without.
  }
  return {
    add(bytes) {
      if (fd === null || left <= 0) return;
      const part = bytes.subarray(0, left);
      left -= part.length;
      try {
        writeSync(fd, part);
      } catch {
        left = 0; // the disk is full
      }
    },
    close() {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}
