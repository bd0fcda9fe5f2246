import { realpath } from 'node:fs/promises';
import { unless } from './path/file_errors.js';

/** Lets what changes one file happen one after the other, so that no edit is lost to another. */
export interface Turns {
  take<T>(path: string, act: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(path, act) {
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

/** One name for all paths to the same file; only the order depends on it. */
function keyOf(path: string): Promise<string> {
  return unless('any', realpath(path), path);
}
