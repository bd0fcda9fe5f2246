import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { onAbort } from '../base/abort.js';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { type HomePaths, hubEnvironment } from '../config/config.js';
import { homeError } from '../home/home_folder.js';

// Longer than any live start takes; the process number may have been reused meanwhile.
const ELECTION_AGE_MS_MAX = 120_000;
// For a starter that has not yet written its process number.
const UNSIGNED_AGE_MS_MAX = 5_000;
const YOUNG_GENERATION_MIB = 2;

/** Makes this process the one that starts the hub; false when another process is starting it. */
export function electStarter(paths: HomePaths): boolean {
  try {
    const file = openSync(paths.starting, 'wx', 0o600);
    try {
      writeFileSync(file, String(process.pid));
    } catch {
      // On a full disk the empty file suffices: it counts as abandoned after a while.
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw homeError(paths.starting, error);
    // Two processes may remove the same dead starter's file and both start: then the hub's lock decides.
    if (isAbandoned(paths.starting)) rmSync(paths.starting, { force: true });
    return false;
  }
}

/** Allows another process to be elected. */
export function resignStarter(paths: HomePaths): void {
  rmSync(paths.starting, { force: true });
}

function isAbandoned(file: string): boolean {
  try {
    const ageMs = Math.abs(Date.now() - statSync(file).mtimeMs);
    const pid = Number(readFileSync(file, 'utf8'));
    if (!Number.isSafeInteger(pid) || pid <= 0) return ageMs > UNSIGNED_AGE_MS_MAX;
    return ageMs > ELECTION_AGE_MS_MAX || !isAlive(pid);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false; // the other start has ended meanwhile
    throw homeError(file, error);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

export interface HubStart {
  paths: HomePaths;
  /** The built file of the hub. */
  entry: string;
  listen: string | null;
  signal: AbortSignal;
}

/** Starts a detached hub process and waits until it is ready; fails with the reason that the hub reports. */
export async function spawnHub(start: HubStart): Promise<void> {
  if (!existsSync(start.entry)) {
    throw new HubError('unreachable', `the hub's program ${start.entry} is missing`, {
      hint: 'install cognition again',
    });
  }
  const child = spawnDetached(start);
  const pipe = child.stdio[3];
  if (pipe === undefined || pipe === null || !('setEncoding' in pipe))
    throw new Error('the hub was started without its pipe');
  try {
    const line = await Promise.race([firstLine(pipe, start.signal), failure(child)]);
    throwStartFailure(line, start.paths);
  } finally {
    pipe.destroy();
    child.unref();
  }
}

function spawnDetached({ paths, entry, listen }: HubStart): ChildProcess {
  const log = openSync(paths.hubLog, 'a', 0o600);
  try {
    const words = [`--max-semi-space-size=${YOUNG_GENERATION_MIB}`, entry, paths.home, '--ready'];
    return spawn(process.execPath, listen === null ? words : [...words, '--listen', listen], {
      detached: true,
      cwd: paths.home,
      env: hubEnvironment(),
      stdio: ['ignore', log, log, 'pipe'],
    });
  } finally {
    closeSync(log);
  }
}

async function failure(child: ChildProcess): Promise<never> {
  const [error] = await once(child, 'error');
  throw new HubError('unreachable', `the hub could not be started: ${String(error)}`, {
    hint: ['run: ', cliCommand('doctor')],
    cause: error,
  });
}

/** The first line of the hub; empty when it ends without one. */
async function firstLine(pipe: Readable, signal: AbortSignal): Promise<string> {
  pipe.setEncoding('utf8');
  let text = '';
  const stopListening = onAbort(signal, () =>
    pipe.destroy(new HubError('cancelled', 'the start of the hub was cancelled')),
  );
  try {
    for await (const piece of pipe) {
      text += String(piece);
      if (text.includes('\n')) break;
    }
  } finally {
    stopListening();
  }
  return text.split('\n', 1)[0] ?? '';
}

function throwStartFailure(line: string, paths: HomePaths): void {
  if (line === '') {
    throw new HubError('unreachable', `the hub ended before it was ready: ${lastLogLine(paths.hubLog)}`, {
      hint: ['the whole story is in its log: ', cliCommand('hub logs')],
    });
  }
  const report: { error?: { message: string } & HubError['data'] } = JSON.parse(line);
  if (report.error === undefined) return;
  const { kind, message, hint, retryable, details } = report.error;
  throw new HubError(kind, message, { ...(hint === null ? {} : { hint }), retryable, details });
}

function lastLogLine(log: string): string {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const reason = lines.findLast((line) => /Error|error/.test(line)) ?? lines.at(-1);
  return reason?.slice(0, 300) ?? 'it says nothing';
}
