import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Processes looked at before others get their turn. */
const SLICE = 100;
const PS_BYTES_MAX = 64 * 1024 * 1024;

/** A process that is alive. */
export interface Seen {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** When it began, in the kernel's own count: with it a number that was used again is told apart. */
  start: string;
  /** Whether its environment, as it was started, holds this text. */
  carries(text: string): boolean;
}

/** Every process that is alive. */
export function lookAtProcesses(): Promise<Seen[]> {
  return process.platform === 'linux' ? lookInProc() : askPs();
}

/** One process; null when it is not alive. */
export async function lookAtProcess(pid: number): Promise<Seen | null> {
  if (process.platform === 'linux') return readProcess(pid);
  return (await askPs()).find((seen) => seen.pid === pid) ?? null;
}

async function lookInProc(): Promise<Seen[]> {
  const seen: Seen[] = [];
  let looked = 0;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    looked += 1;
    if (looked % SLICE === 0) await nextTurn();
    const found = readProcess(pid);
    if (found !== null) seen.push(found);
  }
  return seen;
}

function readProcess(pid: number): Seen | null {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The name in brackets may hold anything, brackets as well.
  const [state = 'X', parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return null;
  return {
    ...{ pid, parent: Number(parent), group: Number(group), session: Number(session), start: rest[15] ?? '' },
    carries: (text) => readOrNothing(`/proc/${pid}/environ`).includes(text),
  };
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // it has ended, or belongs to somebody else
  }
}

// macOS, untested. It shows the environment only of the caller's own processes, which is what is wanted.
async function askPs(): Promise<Seen[]> {
  const fields = 'pid=,ppid=,pgid=,sess=,stat=,lstart=,command=';
  const options = { maxBuffer: PS_BYTES_MAX, env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } };
  const { stdout } = await promisify(execFile)('ps', ['-A', '-E', '-ww', '-o', fields], options);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, session, state = 'Z', start = '', words = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\w+)\s+(\S+)\s+(\S+ \S+ +\d+ \S+ \d+) (.*)$/.exec(line) ?? [];
    if (state.startsWith('Z')) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) };
    return [{ ...numbers, start, carries: (text: string) => words.includes(text) }];
  });
}
