import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ToolParts } from '../../base/tool_parts.js';
import { valueOrNull } from '../../sandbox/attempt.js';

const VERSION_MS_MAX = 10_000;
const OUTPUT_BYTES_MAX = 64 * 1024;

/** The versions of programs, asked once for each file as it is. */
export interface Versions {
  /** Null where it tells none. */
  of(program: string, home: string): Promise<string | null>;
}

export function createVersions({ machine }: Pick<ToolParts, 'machine'>): Versions {
  const known = new Map<string, Promise<string | null>>();
  return {
    of(program, home) {
      const stats = valueOrNull(() => statSync(program));
      const key = `${program} ${stats?.mtimeMs} ${stats?.size}`;
      const found = known.get(key) ?? askVersion(program, { PATH: machine.path, HOME: home, NO_COLOR: '1' });
      known.set(key, found);
      // On a busy machine it may tell it later.
      return found.then((version) => {
        if (version === null) known.delete(key);
        return version;
      });
    },
  };
}

async function askVersion(program: string, env: Record<string, string>): Promise<string | null> {
  const options = { env, timeout: VERSION_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX, killSignal: 'SIGKILL' as const };
  try {
    // pi tells it on its standard error.
    const { stdout, stderr } = await promisify(execFile)(program, ['--version'], options);
    return /\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null;
  } catch {
    return null; // it says so itself when it is started
  }
}
