import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { listenedEnd } from '../../turn/key_command.js';
import { withoutInterrupts } from './signals.js';

/** Lends a terminal to one program at a time. */
export interface Lending {
  /** Resolves with the exit code, null for a signal; while another program has the terminal, the next one waits. */
  run(command: string, args: readonly string[], options: LentOptions): Promise<number | null>;
  /** Ends the program that has the terminal, with its descendants; resolves when it is gone, with false if there was none. */
  end(): Promise<boolean>;
}

/** With a listener the program's standard output goes there instead of the terminal. */
export type LentOptions = Pick<SpawnOptions, 'timeout'> & { onStdout?: (chunk: Buffer) => void };

/** Time for an editor to save before it is killed. */
const END_MS_MAX = 2_000;
const LIST_MS_MAX = 1_000;

/** The owner of the terminal. */
interface Owner {
  isOpen(): boolean;
  give(): void;
  /** The program was ended by a signal, and has restored nothing. */
  killed(): void;
  take(): void;
}

export function createLending(owner: Owner): Lending {
  let lent: { child: ChildProcess; code: Promise<number | null> } | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const run: Lending['run'] = async (command, args, options) => {
    if (!owner.isOpen()) return null;
    owner.give();
    try {
      const code = await withoutInterrupts(() => {
        const { timeout, onStdout } = options;
        const stdout = onStdout === undefined ? 'inherit' : 'pipe';
        const child = spawn(command, [...args], { timeout, stdio: ['inherit', stdout, 'inherit'] });
        lent = { child, code: listenedEnd(child, onStdout ?? (() => undefined)) };
        return lent.code;
      });
      if (isKilled(code)) owner.killed();
      return code;
    } finally {
      lent = null;
      owner.take();
    }
  };
  return {
    run(command, args, options) {
      const next = last.then(() => run(command, args, options));
      last = next.catch(() => null); // the caller of this run gets the error
      return next;
    },
    async end() {
      const { pid } = lent?.child ?? {};
      if (lent === null || pid === undefined) return false;
      // A shell that starts an editor does not pass a signal on, and is gone before it.
      const family = familyOf(pid);
      for (const member of family) sendSignal(member, 'SIGTERM');
      const timer = setTimeout(() => {
        for (const member of family) sendSignal(member, 'SIGKILL');
      }, END_MS_MAX);
      await lent.code.catch(() => null); // the caller of `run` gets the error
      clearTimeout(timer);
      return true;
    },
  };
}

/** A shell's exit code for a program ended by a signal is above this. */
const SIGNAL_CODES_START = 128;

function isKilled(code: number | null): boolean {
  return code === null || code > SIGNAL_CODES_START;
}

/** The descendants of a process, deepest first, and the process itself last. */
function familyOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8', timeout: LIST_MS_MAX });
  const pairs = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const family = [pid];
  // It grows during the iteration.
  for (const parent of family) {
    for (const [one, of] of pairs) if (one !== undefined && of === parent && !family.includes(one)) family.push(one);
  }
  return family.reverse();
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}
