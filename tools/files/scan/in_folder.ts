import { attempt, type PinnedEntry } from '../../walk/pinned_folder.js';

/**
 * Works in a pinned folder, so that its names need no path: looking them up costs half as much. False when it may not be entered, and then
 * nothing is done. The working directory is the process's.
 */
export function inFolder({ at }: PinnedEntry, work: () => void): boolean {
  const isEntered = attempt(() => {
    process.chdir(at);
    return true;
  });
  if (isEntered === null) return false;
  work();
  return true;
}
