import { listFiles } from './file_list.js';
import { createFuzzyFiles, NO_FILES } from './fuzzy_files.js';

/** The files of a project, for completion. */
export interface FileSource {
  /** Those that fit, as far as they are known; the list is read when it is first asked for, and now and then anew. */
  find(query: string): readonly string[];
  close(): void;
}

// Files come and go; reading the list takes a second in the largest trees.
const AGE_MS_MAX = 15_000;

/** Nothing is read before `find` is called first. `changed` tells that it would find something else now. */
export function openFileSource(
  folder: string,
  { changed, now }: { changed: () => void; now: () => number },
): FileSource {
  const closing = new AbortController();
  let index = NO_FILES;
  let listed: readonly string[] = [];
  let loadedAtMs: number | null = null;
  let isLoading = false;

  const load = async (): Promise<void> => {
    const paths = await listFiles(folder, closing.signal);
    const isSame = paths.length === listed.length && paths.every((path, at) => path === listed[at]);
    const next = isSame ? index : await createFuzzyFiles(paths);
    if (closing.signal.aborted) return;
    index = next;
    listed = paths;
    loadedAtMs = now();
    isLoading = false;
    if (!isSame) changed();
  };
  return {
    find(query) {
      const isOld = loadedAtMs === null || now() - loadedAtMs > AGE_MS_MAX;
      if (isOld && !isLoading && !closing.signal.aborted) {
        isLoading = true;
        void load();
      }
      return index.find(query);
    },
    close: () => closing.abort(),
  };
}
