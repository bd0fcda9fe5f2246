import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { attempt, valueOrNull } from './attempt.js';

/** Folders made outside, because a sandbox mounts on a path where nothing is. */
export interface MountPoints {
  /** Makes it, or shares an existing one; false when nothing can be made there, from inside neither. */
  hold(path: string): boolean;
  /** Whether a running sandbox holds a mount point there. */
  isHeld(path: string): boolean;
  /** Removes it when nothing else holds it and it is still empty. */
  release(path: string): void;
  /** Removes mount points left behind by killed processes. */
  tidy(): void;
}

/** Each process that mounts on a made folder keeps a file with this prefix in it, so that no other process removes the folder. */
const HELD_BY = 'held-by-';
const REFUSING = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'ELOOP'];
const NOTED_MAX = 1_000;

/** Makes and removes mount points; the folder `ledger` names them for the next start. */
export function createMountPoints(ledger: string): MountPoints {
  const holders = new Map<string, number>();
  const noted = new Set<string>();

  /** Once, and not for each command: a note of what is not there any more does no harm. */
  function note(path: string): void {
    if (noted.has(path)) return;
    if (noted.size >= NOTED_MAX) noted.clear();
    mkdirSync(ledger, { recursive: true, mode: 0o700 });
    const name = createHash('sha256').update(path).digest('hex');
    writeFileSync(join(ledger, name), JSON.stringify({ path }), { mode: 0o600 });
    noted.add(path);
  }

  function make(path: string): boolean {
    note(path);
    const failure = attempt(() => makeOrJoin(path));
    if (failure === null) return true;
    if (REFUSING.includes(errnoOf(failure) ?? '')) return false;
    throw new HubError('disk_full', `nothing can be mounted on ${path}: ${String(failure)}`, {
      hint: 'make room on the disk',
      cause: failure,
    });
  }

  return {
    hold(path) {
      const count = holders.get(path) ?? 0;
      if (count === 0 && !make(path)) return false;
      holders.set(path, count + 1);
      return true;
    },
    isHeld: (path) => holders.has(path) || isMadeFolder(path),
    release(path) {
      const count = (holders.get(path) ?? 0) - 1;
      holders.set(path, count);
      if (count > 0) return;
      holders.delete(path);
      remove(path);
    },
    tidy() {
      const failure = attempt(() => {
        for (const name of readdirSync(ledger)) tidyOne(join(ledger, name));
      });
      if (failure !== null && errnoOf(failure) !== 'ENOENT') throw failure;
    },
  };
}

function tidyOne(note: string): void {
  const failure = attempt(() => {
    const { path }: { path: unknown } = JSON.parse(readFileSync(note, 'utf8'));
    if (typeof path === 'string' && !remove(path)) throw new Error('it cannot be removed now');
  });
  // A torn note names nothing to remove.
  if (failure === null || failure instanceof SyntaxError) rmSync(note, { force: true });
}

function makeOrJoin(path: string): void {
  const exists = attempt(() => mkdirSync(path, { mode: 0o755 }));
  if (exists !== null && errnoOf(exists) !== 'EEXIST') throw exists;
  writeFileSync(join(path, `${HELD_BY}${process.pid}`), '', { mode: 0o644 });
}

/** Removes our part of a mount point; true when nothing is left to do. A folder that nobody of ours held is somebody's own. */
function remove(path: string): boolean {
  const failure = attempt(() => {
    const ended = readdirSync(path).filter((name) => {
      const [, pid] = HOLD.exec(name) ?? [];
      return pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)));
    });
    for (const name of ended) rmSync(join(path, name), { force: true });
    if (ended.length > 0) rmdirSync(path);
  });
  // Another process mounts on it, or has put something there; or it is gone.
  return failure === null || ['ENOTEMPTY', 'ENOENT', 'ENOTDIR'].includes(errnoOf(failure) ?? '');
}

const HOLD = new RegExp(`^${HELD_BY}([1-9][0-9]*)$`);

/** Whether a folder was made as a mount point, by any process, and holds nothing else. */
function isMadeFolder(path: string): boolean {
  const names = valueOrNull(() => readdirSync(path)) ?? [];
  return names.length > 0 && names.every((name) => name.startsWith(HELD_BY));
}

function isAlive(pid: number): boolean {
  const failure = attempt(() => process.kill(pid, 0));
  return failure === null || errnoOf(failure) === 'EPERM';
}
