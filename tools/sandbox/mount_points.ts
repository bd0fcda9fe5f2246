import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { answer, attempt, errorCode } from './try_errno.js';

/** What stands where a sandbox needs something to mount on, and nothing was. */
export interface MountPoint {
  path: string;
  /** The text of a file; null for a folder. */
  content: string | null;
}

export interface MountPoints {
  /** Makes it, or joins whoever made it; false when nothing can be made there, from inside neither. */
  hold(point: MountPoint): boolean;
  /** Whether something was made there for a sandbox that runs now. */
  isHeld(path: string): boolean;
  /** Removes it when nobody else holds it and nobody has put anything there. */
  release(point: MountPoint): void;
  /** Removes what processes that were killed have left behind. */
  tidy(): void;
}

/** In a made folder each process that mounts on it keeps a file of this name, so that no other one removes it meanwhile. */
const HELD_BY = 'held-by-';
const REFUSING = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'ELOOP'];

/** Keeps what was made outside for sandboxes; `ledger` is a folder that remembers it for the next start. */
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
    if (REFUSING.includes(errorCode(failure))) return false;
    throw new HubError('disk_full', `nothing can be mounted on ${point.path}: ${String(failure)}`, {
      hint: 'make room on the disk',
      cause: failure,
    });
  }

  return {
    hold(point) {
      const known = holders.get(point.path) ?? 0;
      if (known === 0 && !make(point)) return false;
      holders.set(point.path, known + 1);
      return true;
    },
    isHeld: (path) => holders.has(path) || isMadeFolder(path),
    release(point) {
      const left = (holders.get(point.path) ?? 0) - 1;
      holders.set(point.path, left);
      if (left > 0) return;
      holders.delete(point.path);
      if (remove(point)) rmSync(note(point), { force: true });
    },
    tidy() {
      const failure = attempt(() => {
        for (const name of readdirSync(ledger)) tidyOne(join(ledger, name));
      });
      if (failure !== null && errorCode(failure) !== 'ENOENT') throw failure;
    },
  };
}

function tidyOne(noted: string): void {
  const failure = attempt(() => {
    const { path, content }: MountPoint = JSON.parse(readFileSync(noted, 'utf8'));
    if (typeof path === 'string') remove({ path, content });
  });
  // A note that cannot be read names nothing that could be put away.
  if (failure === null || failure instanceof SyntaxError) rmSync(noted, { force: true });
}

function makeOrJoin({ path, content }: MountPoint): void {
  if (content !== null) {
    writeFileSync(path, content, { flag: 'wx', mode: 0o644 });
    return;
  }
  const exists = attempt(() => mkdirSync(path, { mode: 0o755 }));
  if (exists !== null && errorCode(exists) !== 'EEXIST') throw exists;
  writeFileSync(ownHold(path), '', { mode: 0o644 });
}

function ownHold(path: string): string {
  return join(path, `${HELD_BY}${process.pid}`);
}

/** Takes away what is ours; true when nothing of it is left to do. */
function remove({ path, content }: MountPoint): boolean {
  const failure = attempt(() => {
    if (content === null) removeFolder(path);
    else if (lstatSync(path).isFile() && readFileSync(path, 'utf8') === content) unlinkSync(path);
  });
  return failure === null || ['ENOENT', 'ENOTDIR'].includes(errorCode(failure));
}

function removeFolder(path: string): void {
  rmSync(ownHold(path), { force: true });
  for (const pid of holdersOf(path)) if (!isAlive(pid)) rmSync(join(path, `${HELD_BY}${pid}`), { force: true });
  const failure = attempt(() => rmdirSync(path));
  // Somebody else mounts on it, or has begun to use it.
  if (failure !== null && errorCode(failure) !== 'ENOTEMPTY') throw failure;
}

function holdersOf(path: string): number[] {
  return readdirSync(path)
    .filter((name) => name.startsWith(HELD_BY))
    .map((name) => Number(name.slice(HELD_BY.length)))
    .filter((pid) => Number.isInteger(pid) && pid > 0);
}

/** Whether a folder was made to be mounted on, by this process or another, and holds nothing else. */
function isMadeFolder(path: string): boolean {
  const names = answer(() => readdirSync(path)) ?? [];
  return names.length > 0 && names.every((name) => name.startsWith(HELD_BY));
}

function isAlive(pid: number): boolean {
  const failure = attempt(() => process.kill(pid, 0));
  return failure === null || errorCode(failure) === 'EPERM';
}
