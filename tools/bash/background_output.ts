import { detach, neverFails } from '../../hub/base/detach.js';
import type { Child } from '../process/spawn_process.js';

/** Background jobs of a person whose output is read on; with more, the oldest find their pipe closed. */
const ADOPTED_MAX = 256;

/** Reads on what background jobs print after their command has ended, and drops it: without a reader they would die. */
export interface Background {
  adopt(child: Child): void;
  close(): void;
}

/** Starts with none. */
export function createBackground(): Background {
  // A set keeps the order in which it was filled.
  const adopted = new Set<Child>();
  return {
    adopt(child) {
      child.ignore();
      adopted.add(child);
      detach(
        child.closed.then(() => adopted.delete(child)),
        neverFails,
      );
      for (const oldest of adopted) {
        if (adopted.size <= ADOPTED_MAX) break;
        adopted.delete(oldest);
        oldest.cut();
      }
    },
    close() {
      for (const child of adopted) child.cut();
    },
  };
}
