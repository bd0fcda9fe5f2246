import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { attempt, valueOrNull } from './attempt.js';

/** A file or folder made outside, because a sandbox mounts on a path where nothing is. */
export interface MountPoint {
  path: string;
  /** The text of a file; null for a folder. */
  content: string | null;
}

export interface MountPoints {
  /** Makes it, or shares an existing one; false when nothing can be made there, from inside neither. */
  hold(point: MountPoint): boolean;
  /** Whether a running sandbox holds a mount point there. */
  isHeld(path: string): boolean;
  /** Removes it when nothing else holds it and it is still empty. */
  release(point: MountPoint): void;
  /** Removes mount points left behind by killed processes. */
  tidy(): void;
}

/** Each process that mounts on a made folder keeps a file with this prefix in it, so that no other process removes the folder. */
const HELD_BY = 'held-by-';
const REFUSING = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'ELOOP'];

/** Makes and removes mount points; the folder `ledger` records them for the next start. */
export function createMountPoints(ledger: string): MountPoints {
  const holders = new Map<string, number>();

  function note({ path }: MountPoint): string {
    return join(ledger, createHash('sha256').update(path).digest('hex'));
  }

  function make(point: MountPoint): boolean {
    mkdirSync(ledger, { recursive: true, mode: 0o700 });
    writeFileSync(note(point), JSON.stringify(point), { mode: 0o600 });
    const failure = attempt(() => makeOrJoin(point));
    if (failure === null) return true;
    rmSync(note(point), { force: true });
    if (REFUSING.includes(errnoOf(failure) ?? '')) return false;
    throw new HubError('disk_full', `nothing can be mounted on ${point.path}: ${String(failure)}`, {
      hint: 'make room on the disk',
      cause: failure,
    });
  }

  return {
    hold(point) {
      const count = holders.get(point.path) ?? 0;
      if (count === 0 && !make(point)) return false;
      holders.set(point.path, count + 1);
      return true;
    },
    isHeld: (path) => holders.has(path) || isMadeFolder(path),
    release(point) {
      const count = (holders.get(point.path) ?? 0) - 1;
      holders.set(point.path, count);
      if (count > 0) return;
      holders.delete(point.path);
      if (remove(point)) rmSync(note(point), { force: true });
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
    const { path, content }: MountPoint = JSON.parse(readFileSync(note, 'utf8'));
    if (typeof path === 'string') remove({ path, content });
  });
  // A torn note names nothing to remove.
  if (failure === null || failure instanceof SyntaxError) rmSync(note, { force: true });
}

function makeOrJoin({ path, content }: MountPoint): void {
  if (content !== null) {
    writeFileSync(path, content, { flag: 'wx', mode: 0o644 });
    return;
  }
  const exists = attempt(() => mkdirSync(path, { mode: 0o755 }));
  if (exists !== null && errnoOf(exists) !== 'EEXIST') throw exists;
  writeFileSync(ownHold(path), '', { mode: 0o644 });
}

function ownHold(path: string): string {
  return join(path, `${HELD_BY}${process.pid}`);
}

/** Removes our part of a mount point; true when nothing is left to do. */
function remove({ path, content }: MountPoint): boolean {
  const failure = attempt(() => {
    if (content === null) removeFolder(path);
    else if (lstatSync(path).isFile() && readFileSync(path, 'utf8') === content) unlinkSync(path);
  });
  return failure === null || ['ENOENT', 'ENOTDIR'].includes(errnoOf(failure) ?? '');
}

function removeFolder(path: string): void {
  rmSync(ownHold(path), { force: true });
  for (const pid of holdersOf(path)) if (!isAlive(pid)) rmSync(join(path, `${HELD_BY}${pid}`), { force: true });
  const failure = attempt(() => rmdirSync(path));
  // Another process mounts on it, or has put something there.
  if (failure !== null && errnoOf(failure) !== 'ENOTEMPTY') throw failure;
}

function holdersOf(path: string): number[] {
  return readdirSync(path)
    .filter((name) => name.startsWith(HELD_BY))
    .map((name) => Number(name.slice(HELD_BY.length)))
    .filter((pid) => Number.isInteger(pid) && pid > 0);
}

/** Whether a folder was made as a mount point, by any process, and holds nothing else. */
function isMadeFolder(path: string): boolean {
  const names = valueOrNull(() => readdirSync(path)) ?? [];
  return names.length > 0 && names.every((name) => name.startsWith(HELD_BY));
}

function isAlive(pid: number): boolean {
  const failure = attempt(() => process.kill(pid, 0));
  return failure === null || errnoOf(failure) === 'EPERM';
}
