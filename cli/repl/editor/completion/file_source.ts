import { setImmediate as otherWork } from 'node:timers/promises';
import type { ListFiles } from './file_list.js';
import { createFuzzyFiles, type FuzzyFiles } from './fuzzy_files.js';

/** The files of a project, for completion. */
export interface FileSource {
  /** The matches known so far; the list is read at the first call, and again when it is old. */
  find(query: string): readonly string[];
  close(): void;
}

// Reading the list takes a second in the largest projects.
const AGE_MS_MAX = 15_000;
// While the first list is read, the menu is refreshed at most this often: searching many files is slow.
const TOLD_MS_MIN = 200;

/** Reads nothing before the first `find`. Calls `changed` when `find` would return something else. */
export function openFileSource(
  folder: string,
  { list, changed, now }: { list: ListFiles; changed: () => void; now: () => number },
): FileSource {
  const closing = new AbortController();
  let index = createFuzzyFiles();
  let listed: readonly string[] = [];
  let loadedAtMs: number | null = null;
  let isLoading = false;
  /** Whether files were found since the last `changed`. */
  let hasMore = false;
  let toldMs = Number.NEGATIVE_INFINITY;

  const tell = (): void => {
    hasMore = false;
    toldMs = now();
    changed();
  };
  /** Offers the first list while it is read. */
  const grow = (found: readonly string[]): void => {
    index.add(found);
    hasMore ||= found.length > 0;
    if (hasMore && now() - toldMs >= TOLD_MS_MIN) tell();
  };
  const load = async (): Promise<void> => {
    const isFirst = loadedAtMs === null;
    const paths: string[] = [];
    const take = (found: readonly string[]): Promise<void> => {
      for (const path of found) paths.push(path);
      if (isFirst) grow(found);
      return otherWork();
    };
    await list(folder, { signal: closing.signal, take });
    const isSame = isFirst || (paths.length === listed.length && paths.every((path, at) => path === listed[at]));
    if (!isSame) {
      index = await indexOf(paths);
      hasMore = true;
    }
    if (closing.signal.aborted) return;
    listed = paths;
    loadedAtMs = now();
    isLoading = false;
    if (hasMore) tell();
  };
  /** A failure, such as too many open files, must not end the chat: the read is tried again later. */
  const failed = (): void => {
    loadedAtMs = now();
    isLoading = false;
  };
  return {
    find(query) {
      const isOld = loadedAtMs === null || now() - loadedAtMs > AGE_MS_MAX;
      if (isOld && !isLoading && !closing.signal.aborted) {
        isLoading = true;
        load().catch(failed);
      }
      return index.find(query);
    },
    close: () => closing.abort(),
  };
}

// Keys are read between two slices of indexing.
const SLICE_LENGTH = 4_000;

async function indexOf(paths: readonly string[]): Promise<FuzzyFiles> {
  const index = createFuzzyFiles();
  for (let start = 0; start < paths.length; start += SLICE_LENGTH) {
    index.add(paths.slice(start, start + SLICE_LENGTH));
    await otherWork();
  }
  return index;
}
