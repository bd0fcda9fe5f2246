import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { HubError } from '../../hub/base/error.js';
import { openNames } from './open_names.js';
import { WorkerMessage, type WorkerReport, type WorkerRequest, type WorkerStart } from './worker/messages.js';

/** A process that serves the files of one project, one request at a time. */
export interface WorkerProcess {
  ask(request: WorkerRequest): Promise<WorkerReport>;
  /** Resolves when the process has ended. */
  end(): Promise<void>;
  isAlive(): boolean;
  pid: number;
}

export interface WorkerCommand {
  program: string;
  arguments: readonly string[];
  start: WorkerStart;
  /** Called when the process has ended. */
  release(): void;
}

/**
 * Of its threads only one allocates much: with areas of their own for the others, what is decompressed in between leaves 30 MB that nobody
 * uses any more.
 */
export const WORKER_ENVIRONMENT = { LC_ALL: 'C', MALLOC_ARENA_MAX: '1' };

const STDERR_LENGTH_MAX = 2_000;

export function startWorker({ program, arguments: given, start, release }: WorkerCommand): WorkerProcess {
  const child = spawn(program, given, { cwd: '/', env: WORKER_ENVIRONMENT, stdio: 'pipe' });
  const ended = endOf(child, release);
  const send = (message: object): void => {
    child.stdin?.write(`${JSON.stringify(message)}\n`);
  };
  // One that has ended reads no more, which its end tells.
  child.stdin?.on('error', () => undefined);
  let waiting: { resolve(report: WorkerReport): void; reject(error: HubError): void } | null = null;
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  lines.on('line', (line) => {
    const message = WorkerMessage.parse(JSON.parse(line));
    if (message.kind === 'open_files') send({ open: openNames(message.drafts) });
    else if (message.kind === 'report') waiting?.resolve(message.report);
    else waiting?.reject(failureFrom(message));
  });
  send(start);
  return {
    pid: child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        ended.then(
          (reason) => reject(new HubError('resolve_failed', `the files were not looked at: ${reason}`)),
          reject,
        );
        send(request);
      }),
    async end() {
      child.stdin?.end();
      await ended.catch(() => undefined); // it never ran
    },
  };
}

/** Resolves with why the process is no more. */
function endOf(child: ChildProcess, release: () => void): Promise<string> {
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-STDERR_LENGTH_MAX);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('close', (code, signal) => {
      release();
      resolve(errors.trim() || `their process ended with ${code ?? signal}`);
    });
  });
}

function failureFrom({ message, data }: Extract<WorkerMessage, { kind: 'failure' }>): HubError {
  const { kind, hint, retryable, details } = data;
  return new HubError(kind, message, { ...(hint === null ? {} : { hint }), retryable, details });
}
