import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Processes read before other work of this process runs. */
const SLICE = 100;
const PS_BYTES_MAX = 64 * 1024 * 1024;

/** A process that is alive. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Its start time, as the kernel counts: it tells apart processes that reuse a pid. */
  start: string;
  /** Whether its initial environment contains this text. */
  environmentHas(text: string): boolean;
}

/** All living processes. */
export function listProcesses(): Promise<ProcessInfo[]> {
  return process.platform === 'linux' ? listProc() : listWithPs();
}

/** A process by its pid; null when it is not alive. */
export async function findProcess(pid: number): Promise<ProcessInfo | null> {
  if (process.platform === 'linux') return readProcess(pid);
  return (await listWithPs()).find((seen) => seen.pid === pid) ?? null;
}

async function listProc(): Promise<ProcessInfo[]> {
  const processes: ProcessInfo[] = [];
  let count = 0;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    count += 1;
    if (count % SLICE === 0) await nextTurn();
    const info = readProcess(pid);
    if (info !== null) processes.push(info);
  }
  return processes;
}

function readProcess(pid: number): ProcessInfo | null {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The name in brackets may hold anything, brackets as well.
  const [state = 'X', parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return null;
  return {
    ...{ pid, parent: Number(parent), group: Number(group), session: Number(session), start: rest[15] ?? '' },
    environmentHas: (text) => readOrNothing(`/proc/${pid}/environ`).includes(text),
  };
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // it has ended, or belongs to another user
  }
}

// macOS, untested. It shows the environment only of the caller's own processes, which is what is wanted.
async function listWithPs(): Promise<ProcessInfo[]> {
  const fields = 'pid=,ppid=,pgid=,sess=,stat=,lstart=,command=';
  const options = { maxBuffer: PS_BYTES_MAX, env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } };
  const { stdout } = await promisify(execFile)('ps', ['-A', '-E', '-ww', '-o', fields], options);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, session, state = 'Z', start = '', words = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\w+)\s+(\S+)\s+(\S+ \S+ +\d+ \S+ \d+) (.*)$/.exec(line) ?? [];
    if (state.startsWith('Z')) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) };
    return [{ ...numbers, start, environmentHas: (text: string) => words.includes(text) }];
  });
}
