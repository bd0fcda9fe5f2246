import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { errnoOf } from '../../hub/base/errno.js';

/** Whether a process exists; EPERM means that it does, as another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** Ticks of `/proc` in a second, and how far two clocks may differ. */
const TICKS_PER_SECOND = 100;
const SLACK_MS = 2_000;

/** Whether the process that has written a file exists: one that began later has only got its number. */
export function isWriterAlive(pid: number, writtenAtMs: number): boolean {
  return isAlive(pid) && startedAtMs(pid) <= writtenAtMs + SLACK_MS;
}

/** 0 where the system does not tell. */
function startedAtMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name, in parentheses, may have blanks; the 20th word after it is the start, since the system began.
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    return Date.now() - (uptime() - ticks / TICKS_PER_SECOND) * 1_000;
  } catch {
    return 0; // it has ended, or there is no such folder
  }
}
