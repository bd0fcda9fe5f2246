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

// Longer than any start that is alive; a process number may have been given to somebody else meanwhile.
const ELECTION_AGE_MS_MAX = 120_000;
// Of a starter that has not yet written its number.
const UNSIGNED_AGE_MS_MAX = 5_000;
const YOUNG_GENERATION_MIB = 2;

/** Makes this process the one that starts the hub; false when another one is at it. */
export function electStarter(paths: HomePaths): boolean {
  try {
    const file = openSync(paths.starting, 'wx', 0o600);
    try {
      writeFileSync(file, String(process.pid));
    } catch {
      // On a full disk the file alone does: it is taken for abandoned when it grows old.
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw homeError(paths.starting, error);
    // Two may take the same dead starter away, and both start: then the hub's lock decides.
    if (isAbandoned(paths.starting)) rmSync(paths.starting, { force: true });
    return false;
  }
}

/** Lets others be elected again. */
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
    if (errnoOf(error) === 'ENOENT') return false; // the start has ended meanwhile
    throw homeError(file, error);
  }
}

function isAlive(pid: number): boolean {
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

/** Starts a hub process of its own and waits until it is ready; fails with the reason it gives when it is not. */
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
    obey(line, start.paths);
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

/** What the hub says first; empty when it ends without a word. */
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

function obey(line: string, paths: HomePaths): void {
  if (line === '') {
    throw new HubError('unreachable', `the hub ended before it was ready: ${lastWords(paths.hubLog)}`, {
      hint: ['the whole story is in its log: ', cliCommand('hub logs')],
    });
  }
  const told: { error?: { message: string } & HubError['data'] } = JSON.parse(line);
  if (told.error === undefined) return;
  const { kind, message, hint, retryable, details } = told.error;
  throw new HubError(kind, message, { ...(hint === null ? {} : { hint }), retryable, details });
}

function lastWords(log: string): string {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const reason = lines.findLast((line) => /Error|error/.test(line)) ?? lines.at(-1);
  return reason?.slice(0, 300) ?? 'it says nothing';
}
