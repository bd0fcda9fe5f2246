import { type Stats, statSync } from 'node:fs';
import { connect } from 'node:net';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import type { HomePaths } from '../config/config.js';
import { knownSocket } from './socket_path.js';

const LOOK_EVERY_MS = 1_000;

/**
 * Tells once when one of these files is not the one it was any more: deleted, replaced by a backup, or gone with its
 * folder. Whoever comes next would find no hub there and start another, while this one goes on writing elsewhere.
 */
export function watchPresence(files: readonly string[], onLost: (file: string) => void): { stop(): void } {
  // This process has the files open, so that no other file can have got their numbers.
  const known = files.map((file) => ({ file, stats: statsOf(file) }));
  const timer = setInterval(() => {
    const lost = known.find(({ file, stats }) => !isSame(statsOf(file), stats));
    if (lost === undefined) return;
    clearInterval(timer);
    onLost(lost.file);
  }, LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // a file that cannot be looked at is as good as gone
  }
}

function isSame(now: Stats | undefined, before: Stats | undefined): boolean {
  return now?.ino === before?.ino && now?.dev === before?.dev;
}

/** Refuses a home whose hub runs although its lock is free, because somebody deleted the file that it holds. */
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
    // Of a socket whose hub does not get round to its callers the system says EAGAIN.
    socket.on('error', (error) => resolve(errnoOf(error) === 'EAGAIN'));
  });
}
