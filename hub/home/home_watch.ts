import { type Stats, statSync } from 'node:fs';
import { connect } from 'node:net';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import type { HomePaths } from '../config/config.js';
import { knownSocket } from './socket_path.js';

const CHECK_EVERY_MS = 1_000;

/**
 * Reports, once, when a watched file is replaced or removed, perhaps before this call: deleted, replaced by a backup, or
 * moved with its folder. The next client would find no hub there and start another, while this one keeps writing elsewhere.
 */
export function watchFiles(files: readonly string[], onLost: (file: string) => void): { stop(): void } {
  // This process keeps the files open, so their inode numbers cannot be reused.
  const watched = files.map((file) => ({ file, stats: statsOf(file) }));
  const timer = setInterval(() => {
    const lost = watched.find(({ file, stats }) => !isSame(statsOf(file), stats));
    if (lost === undefined) return;
    clearInterval(timer);
    onLost(lost.file);
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // a file that cannot be read counts as removed
  }
}

function isSame(now: Stats | undefined, before: Stats | undefined): boolean {
  return now !== undefined && now.ino === before?.ino && now.dev === before?.dev;
}

/** Refuses a home whose hub still runs although its lock is free, because its lock file was deleted. */
export async function refuseServed(paths: HomePaths): Promise<void> {
  const socket = knownSocket(paths);
  if (socket === null || !(await isServed(socket))) return;
  throw new HubError('conflict', `another hub listens on ${socket}`, {
    hint: ['run: ', cliCommand('hub status')],
    retryable: true,
  });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    // EAGAIN: a hub listens there, but its backlog of callers is full.
    socket.on('error', (error) => resolve(errnoOf(error) === 'EAGAIN'));
  });
}
