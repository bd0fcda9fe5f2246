import { setPriority } from 'node:os';

const NICENESS = 10;

/** Lets all others go first while there is not enough time of processors: for threads that work long and that nobody waits for at once. */
export function lowerPriority(): void {
  // Elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(NICENESS);
}
