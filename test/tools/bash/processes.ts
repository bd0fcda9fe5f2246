import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_AGAIN_MS = 20;

/** The processes alive whose environment or words hold a text (Linux). */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && holds(pid, text));
}

function holds(pid: number, text: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    if (/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))) return false;
    return ['environ', 'cmdline'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text));
  } catch {
    return false; // it has ended
  }
}

/** Resolves when something is so; the test's own time ends the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(LOOK_AGAIN_MS);
}

/** The process of the tools of a home; fails when none runs. */
export function toolsOf(home: string): number {
  const found = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && titleOf(pid) === home);
  const [first] = found;
  if (first === undefined) throw new Error('no tools run for this home');
  return first;
}

function titleOf(pid: number): string | undefined {
  try {
    return /^cognition tools ([^\0]*)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))?.[1]?.trim();
  } catch {
    return undefined; // it has ended
  }
}
