import { detach } from '../../base/detach.js';
import type { Log } from '../../base/plugin.js';
import type { TreeId } from '../../protocol/node.js';

/** How long after something has come files are looked at: what is recorded of a step is noted after it. */
const REST_MS = 1_500;
/** How long files rest that could not be gone on with, and while a turn runs. */
export const STOPPED_REST_MS = 600_000;
const BUSY_REST_MS = 30_000;

interface LiveFilesParts {
  log: Log;
  /** Whether files of it go along. */
  isFiled(remote: string, tree: TreeId): Promise<boolean>;
  isBusy(tree: TreeId): Promise<boolean>;
  /** Takes them over; returns what is wrong with them, null for nothing, and whether that stopped it. */
  sync(remote: string, tree: TreeId): Promise<{ problem: string | null; isStopped: boolean }>;
  tellStopped(remote: string, tree: TreeId, problem: string): void;
}

/** Takes recorded files over soon after something of their tree has gone or come. */
export interface LiveFiles {
  note(remote: string, tree: TreeId): void;
  end(): void;
}

export function createLiveFiles(parts: LiveFilesParts): LiveFiles {
  const timers = new Map<string, NodeJS.Timeout>();
  const looked = new Map<string, { atMs: number; problem: string | null; isStopped: boolean }>();
  let hasEnded = false;

  const hasRested = (key: string, restMs: number): boolean =>
    performance.now() >= (looked.get(key)?.atMs ?? Number.NEGATIVE_INFINITY) + restMs;

  async function look(remote: string, tree: TreeId): Promise<void> {
    const key = `${remote} ${tree}`;
    const { problem: before = null, isStopped: wasStopped = false } = looked.get(key) ?? {};
    if (!(await parts.isFiled(remote, tree)) || (wasStopped && !hasRested(key, STOPPED_REST_MS))) return;
    if (!hasRested(key, BUSY_REST_MS) && (await parts.isBusy(tree))) return note(remote, tree);
    const { problem, isStopped } = await parts.sync(remote, tree);
    looked.set(key, { atMs: performance.now(), problem, isStopped });
    if (problem !== null && problem !== before) parts.tellStopped(remote, tree, problem);
  }

  function note(remote: string, tree: TreeId): void {
    const key = `${remote} ${tree}`;
    if (hasEnded || timers.has(key)) return;
    const begin = (): void => {
      timers.delete(key);
      detach(look(remote, tree), (error) => {
        if (!hasEnded) parts.log('warn', `files over ${remote}: ${String(error)}`);
      });
    };
    timers.set(key, setTimeout(begin, REST_MS).unref());
  }

  return {
    note,
    end() {
      hasEnded = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
