import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Builds the library that logs, or fails, what a hub changes on its disk. */
export function compileDiskShim(folder: string): string {
  const shim = join(folder, 'disk_shim.so');
  const source = fileURLToPath(new URL('disk_shim.c', import.meta.url));
  execFileSync('cc', ['-shared', '-fPIC', '-o', shim, source, '-ldl', '-lpthread']);
  return shim;
}

/** One change of the file system, or what a client noted between two of them. */
export type Change =
  | { kind: 'create'; path: string; inode: string }
  | { kind: 'write'; inode: string; offset: number; bytes: Buffer }
  | { kind: 'truncate'; inode: string; size: number }
  | { kind: 'sync'; inode: string }
  | { kind: 'sync_folder'; path: string }
  | { kind: 'rename' | 'link'; from: string; path: string }
  | { kind: 'unlink'; path: string }
  | { kind: 'note'; text: string };

/** Reads the log of the library. */
export function readDiskLog(file: string): Change[] {
  const log = readFileSync(file);
  const changes: Change[] = [];
  for (let at = 0; at < log.length; ) {
    const end = log.indexOf(10, at);
    const line = log.toString('utf8', at, end);
    at = end + 1;
    if (line === '') continue;
    const [letter = '', first = '', second = '', third = ''] = line.split(' ');
    if (letter === 'W') {
      changes.push({
        kind: 'write',
        inode: first,
        offset: Number(second),
        bytes: log.subarray(at, at + Number(third)),
      });
      at += Number(third);
    } else changes.push(...changeOf(letter, line.slice(2), { first, second }));
  }
  return changes;
}

function changeOf(letter: string, rest: string, { first, second }: { first: string; second: string }): Change[] {
  switch (letter) {
    case 'C':
      return [{ kind: 'create', path: first, inode: second }];
    case 'T':
      return [{ kind: 'truncate', inode: first, size: Number(second) }];
    case 'F':
      return [{ kind: 'sync', inode: first }];
    case 'S':
      return [{ kind: 'sync_folder', path: first }];
    case 'R':
      return [{ kind: 'rename', from: first, path: second }];
    case 'L':
      return [{ kind: 'link', from: first, path: second }];
    case 'U':
      return [{ kind: 'unlink', path: first }];
    case 'A':
      return [{ kind: 'note', text: rest }];
    default:
      return []; // folders are taken to be there
  }
}

interface Content {
  /** What programs read. */
  seen: Buffer;
  /** What a power cut leaves for certain. */
  synced: Buffer;
  /** Writes and truncations since. */
  unsynced: Change[];
}

/** The syncs that a worse disk ignores, for controls. */
export type Ignores = (change: Change, path: string) => boolean;

type NameChange = { path: string; content: Content | null };

/** A disk as POSIX promises it, and no better: what was not synced is lost, names until their folder is synced, too. */
export class SimulatedDisk {
  private readonly inodes = new Map<string, Content>();
  private readonly names = new Map<string, Content>();
  private readonly syncedNames = new Map<string, Content>();
  private unsyncedNames: NameChange[] = [];

  private readonly ignores: Ignores;

  constructor(ignores: Ignores) {
    this.ignores = ignores;
  }

  apply(change: Change): void {
    switch (change.kind) {
      case 'create': {
        const existing = this.names.get(change.path);
        if (existing !== undefined && this.inodes.get(change.inode) === existing) return;
        const content: Content = { seen: Buffer.alloc(0), synced: Buffer.alloc(0), unsynced: [] };
        this.inodes.set(change.inode, content);
        this.setName(change.path, content);
        return;
      }
      case 'write':
      case 'truncate': {
        const content = this.inodes.get(change.inode);
        if (content === undefined) return;
        content.seen = changed(content.seen, change);
        content.unsynced.push(change);
        return;
      }
      case 'sync': {
        const content = this.inodes.get(change.inode);
        if (content === undefined || this.ignores(change, this.nameOf(content))) return;
        content.synced = Buffer.from(content.seen);
        content.unsynced = [];
        return;
      }
      case 'sync_folder':
        if (!this.ignores(change, change.path)) this.syncFolder(change.path);
        return;
      case 'rename':
      case 'link': {
        const content = this.names.get(change.from);
        if (content === undefined) return;
        this.setName(change.path, content);
        if (change.kind === 'rename') this.setName(change.from, null);
        return;
      }
      case 'unlink':
        this.setName(change.path, null);
        return;
      case 'note':
        return;
    }
  }

  /** What is there after a power cut; with luck some of what was not synced as well. */
  afterCut(luck: (() => number) | null): Map<string, Buffer> {
    const names = new Map(this.syncedNames);
    const lucky = luck === null ? 0 : Math.floor(luck() * (this.unsyncedNames.length + 1));
    for (const { path, content } of this.unsyncedNames.slice(0, lucky)) {
      if (content === null) names.delete(path);
      else names.set(path, content);
    }
    const files = new Map<string, Buffer>();
    for (const [path, content] of names) {
      const written = luck === null ? [] : content.unsynced.filter(() => luck() < 0.5);
      files.set(path, written.reduce(changed, content.synced));
    }
    return files;
  }

  private setName(path: string, content: Content | null): void {
    if (content === null) this.names.delete(path);
    else this.names.set(path, content);
    this.unsyncedNames.push({ path, content });
  }

  private syncFolder(folder: string): void {
    for (const { path, content } of this.unsyncedNames) {
      if (dirname(path) !== folder) continue;
      if (content === null) this.syncedNames.delete(path);
      else this.syncedNames.set(path, content);
    }
    this.unsyncedNames = this.unsyncedNames.filter(({ path }) => dirname(path) !== folder);
  }

  private nameOf(content: Content): string {
    for (const [path, one] of this.names) if (one === content) return path;
    return '';
  }
}

function changed(bytes: Buffer, change: Change): Buffer {
  if (change.kind === 'truncate') {
    if (change.size <= bytes.length) return Buffer.from(bytes.subarray(0, change.size));
    return Buffer.concat([bytes, Buffer.alloc(change.size - bytes.length)]);
  }
  if (change.kind !== 'write') return bytes;
  const end = change.offset + change.bytes.length;
  const next = end > bytes.length ? Buffer.concat([bytes, Buffer.alloc(end - bytes.length)]) : Buffer.from(bytes);
  change.bytes.copy(next, change.offset);
  return next;
}

/** Writes what a power cut has left of a home into another folder. */
export function writeFiles(files: Map<string, Buffer>, home: string, folder: string): void {
  for (const [path, bytes] of files) {
    const target = join(folder, relative(home, path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
}
