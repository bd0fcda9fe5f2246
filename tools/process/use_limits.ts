import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

/** What a contained command with all its processes may use; beyond that it is ended. */
export interface UseLimits {
  /** Processes and threads. */
  tasksMax: number;
  memoryBytesMax: number;
  /** What is left free on the disk of this folder. */
  disk: string;
  diskFreeBytesMin: number;
}

/** Forks beyond this fail, where the kernel counts by sandbox; the difference lets the command be ended, and told why. */
export const TASKS_HARD_MAX = 4_096;
const TASKS_MAX = 4_000;
const MEMORY_SHARE = 0.75;
const DISK_FREE_BYTES_MIN = 256 * 1024 * 1024;
const LOOK_MS = 250;
const PAGE_BYTES = 4_096;

export function usualLimits(disk: string): UseLimits {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return {
    ...{ tasksMax: TASKS_MAX, disk, diskFreeBytesMin: DISK_FREE_BYTES_MIN },
    memoryBytesMax: Math.floor(memory * MEMORY_SHARE),
  };
}

/**
 * Looks from time to time at what a process with all its descendants uses; calls `exceed` once, with the reason. A limit of the
 * kernel's own would need a control group, which most people may not make, or counts each process alone. Returns what ends the looking.
 */
export function watchUse(leader: number, limits: UseLimits, exceed: (reason: string) => void): () => void {
  const freeBefore = freeBytesOf(limits.disk);
  const timer = setInterval(() => {
    const reason = excessOf(leader, limits, freeBefore);
    if (reason === null) return;
    clearInterval(timer);
    exceed(reason);
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** How many processes and threads there are below a process, itself included. */
export function tasksOf(leader: number): number {
  return familyOf(leader, TASKS_MAX).tasks;
}

function excessOf(leader: number, limits: UseLimits, freeBefore: number): string | null {
  const { pids, tasks } = familyOf(leader, limits.tasksMax);
  if (tasks >= limits.tasksMax) return `reached its limit of ${limits.tasksMax} processes and threads`;
  const ownBytes = sumOf(pids, privateBytesOf);
  // Pages that forks share count for each; what is shared is divided only here, because that is slow to find out.
  if (ownBytes > limits.memoryBytesMax && sumOf(pids, proportionalBytesOf) > limits.memoryBytesMax) {
    return `reached its memory limit of ${gigabytes(limits.memoryBytesMax)}`;
  }
  const isFull = freeBytesOf(limits.disk) < limits.diskFreeBytesMin && freeBefore >= limits.diskFreeBytesMin;
  return isFull ? `left less than ${gigabytes(limits.diskFreeBytesMin)} free on the disk of the conversations` : null;
}

/** The processes below one, and how many threads they have; not all of them where there are too many. */
function familyOf(leader: number, tasksMax: number): { pids: number[]; tasks: number } {
  const pids = [leader];
  let tasks = 0;
  // Iterating an array visits elements added meanwhile.
  for (const pid of pids) {
    for (const task of namesIn(`/proc/${pid}/task`)) {
      tasks += 1;
      const children = textOf(`/proc/${pid}/task/${task}/children`).trim();
      if (children !== '') pids.push(...children.split(' ').map(Number));
    }
    if (tasks >= tasksMax) break;
  }
  return { pids, tasks };
}

function sumOf(pids: readonly number[], bytesOf: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + bytesOf(pid), 0);
}

function privateBytesOf(pid: number): number {
  const [, resident = 0, shared = 0] = textOf(`/proc/${pid}/statm`).split(' ').map(Number);
  return (resident - shared) * PAGE_BYTES;
}

function proportionalBytesOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1];
  return kilobytes === undefined ? privateBytesOf(pid) : Number(kilobytes) * 1_024;
}

function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0; // an unknown disk is never watched
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the process has ended meanwhile
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // the process has ended meanwhile
  }
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
