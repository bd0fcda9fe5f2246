import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { withoutInterrupts } from './signals.js';

/** Lends a terminal to one program at a time. */
export interface Lending {
  /** Resolves with how it ended; one that is asked for while another has the terminal waits for that. */
  run(command: string, args: readonly string[], options: SpawnOptions): Promise<number | null>;
  /** Ends the program that has the terminal, with all that it has started; resolves when it is gone, false when there was none. */
  end(): Promise<boolean>;
}

/** An editor may keep what was written in it before it goes. */
const END_MS_MAX = 2_000;
const LIST_MS_MAX = 1_000;

/** Whose terminal it is. */
interface Owner {
  isOpen(): boolean;
  give(): void;
  /** The program was ended by a signal, and has left everything as it was just then. */
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
        const child = spawn(command, [...args], { ...options, stdio: 'inherit' });
        lent = { child, code: ended(child) };
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
      last = next.catch(() => null); // whoever asked for it is told
      return next;
    },
    async end() {
      const { pid } = lent?.child ?? {};
      if (lent === null || pid === undefined) return false;
      // A shell that starts an editor does not pass a signal on, and is gone before it.
      const family = familyOf(pid);
      for (const member of family) tell(member, 'SIGTERM');
      const timer = setTimeout(() => {
        for (const member of family) tell(member, 'SIGKILL');
      }, END_MS_MAX);
      await lent.code.catch(() => null); // what failed to start is told where it was asked for
      clearTimeout(timer);
      return true;
    },
  };
}

/** A shell tells of a program that a signal has ended by a code above this. */
const SIGNAL_CODES_START = 128;

function isKilled(code: number | null): boolean {
  return code === null || code > SIGNAL_CODES_START;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}

/** A process after all that it has started, and that these have. */
function familyOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8', timeout: LIST_MS_MAX });
  const pairs = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const family = [pid];
  // It grows while it is gone through.
  for (const parent of family) {
    for (const [one, of] of pairs) if (one !== undefined && of === parent && !family.includes(one)) family.push(one);
  }
  return family.reverse();
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already, which is what was wanted.
  }
}
