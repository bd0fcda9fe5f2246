import { detach, neverFails } from '../../hub/base/detach.js';
import type { Child } from '../process/spawn_process.js';

/** Background jobs whose output is still read; beyond that the oldest find their pipe closed. */
const ADOPTED_MAX = 256;

/** Drains what background jobs print after their command has ended: without a reader they would die. */
export interface Background {
  adopt(child: Child): void;
  close(): void;
}

export function createBackground(): Background {
  // A set keeps insertion order.
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
