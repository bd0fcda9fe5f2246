import { realpath } from 'node:fs/promises';
import { fallbackOn } from './path/file_errors.js';

/** Runs changes of the same file one after another, so that no edit overwrites another. */
export interface ChangeQueue {
  run<T>(path: string, act: () => Promise<T>): Promise<T>;
}

export function createChangeQueue(): ChangeQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(path, act) {
      const key = await keyOf(path);
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(act, act);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}

/** The same key for all paths to a file; only the order of changes depends on it. */
function keyOf(path: string): Promise<string> {
  return fallbackOn('any', realpath(path), path);
}
