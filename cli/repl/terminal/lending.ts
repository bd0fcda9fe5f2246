import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';

/** Lends a terminal to one program at a time. */
export interface Lending {
  /** Resolves with how it ended. */
  run(command: string, args: readonly string[], options: SpawnOptions): Promise<number | null>;
  /** Ends the program that has the terminal, with all that it has started; resolves when it is gone, false when there was none. */
  end(): Promise<boolean>;
}

/** An editor may keep what was written in it before it goes. */
const END_MS_MAX = 2_000;
const LIST_MS_MAX = 1_000;

export function createLending(): Lending {
  let lent: { child: ChildProcess; code: Promise<number | null> } | null = null;
  return {
    async run(command, args, options) {
      const child = spawn(command, [...args], { ...options, stdio: 'inherit' });
      const code = ended(child);
      lent = { child, code };
      try {
        return await code;
      } finally {
        lent = null;
      }
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
