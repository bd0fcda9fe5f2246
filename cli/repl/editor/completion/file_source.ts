import { setImmediate as otherWork } from 'node:timers/promises';
import { listFiles } from './file_list.js';
import { createFuzzyFiles, type FuzzyFiles } from './fuzzy_files.js';

/** The files of a project, for completion. */
export interface FileSource {
  /** Those that fit, as far as they are known; the list is read when it is first asked for, and now and then anew. */
  find(query: string): readonly string[];
  close(): void;
}

// Files come and go; reading the list takes a second in the largest trees.
const AGE_MS_MAX = 15_000;
// While the first list grows, the menu follows it only so often: looking through many files takes longer than a key may.
const TOLD_MS_MIN = 200;

/** Nothing is read before `find` is called first. `changed` tells that it would find something else now. */
export function openFileSource(
  folder: string,
  { changed, now }: { changed: () => void; now: () => number },
): FileSource {
  const closing = new AbortController();
  let index = createFuzzyFiles();
  let listed: readonly string[] = [];
  let loadedAtMs: number | null = null;
  let isLoading = false;
  /** Whether more is found than was told. */
  let hasMore = false;
  let toldMs = Number.NEGATIVE_INFINITY;

  const tell = (): void => {
    hasMore = false;
    toldMs = now();
    changed();
  };
  /** The first list is offered while it comes in. */
  const grow = (found: readonly string[]): void => {
    index.add(found);
    hasMore ||= found.length > 0;
    if (hasMore && now() - toldMs >= TOLD_MS_MIN) tell();
  };
  const load = async (): Promise<void> => {
    const isFirst = loadedAtMs === null;
    const { paths, hasGone } = await read(folder, closing.signal, isFirst ? grow : () => undefined);
    const isSame = !isFirst && paths.length === listed.length && paths.every((path, at) => path === listed[at]);
    if (!isSame && (hasGone || !isFirst)) {
      index = await indexOf(paths);
      hasMore = true;
    }
    if (closing.signal.aborted) return;
    listed = paths;
    loadedAtMs = now();
    isLoading = false;
    if (hasMore) tell();
  };
  /** As where no more files can be opened. Completing is no reason to end a chat: later it is tried again. */
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

/** Reads the list; what is found is told at once, and what is gone is left out of the whole. */
async function read(
  folder: string,
  signal: AbortSignal,
  take: (found: readonly string[]) => void,
): Promise<{ paths: string[]; hasGone: boolean }> {
  const paths: string[] = [];
  const gone = new Set<string>();
  for await (const news of listFiles(folder, signal)) {
    for (const path of news.found) paths.push(path);
    for (const path of news.gone) gone.add(path);
    take(news.found);
    await otherWork();
  }
  return { paths: gone.size === 0 ? paths : paths.filter((path) => !gone.has(path)), hasGone: gone.size > 0 };
}

// Keys are read between two slices of the preparation.
const SLICE_LENGTH = 4_000;

async function indexOf(paths: readonly string[]): Promise<FuzzyFiles> {
  const index = createFuzzyFiles();
  for (let start = 0; start < paths.length; start += SLICE_LENGTH) {
    index.add(paths.slice(start, start + SLICE_LENGTH));
    await otherWork();
  }
  return index;
}
