import { join, resolve } from 'node:path';
import { isWithin } from '../../hub/base/is_within.js';
import { type IgnoreRules, parseRules, stampOf } from './ignore_rules.js';
import { type PinnedEntry, pin, pinIn, readIn, realPathOf, unpin } from './pinned_folder.js';
import { parseIndex, type TrackedPaths, trackedPaths } from './tracked_paths.js';

/** What a repository says of its files. Nothing of it is executed, and its configuration is not read. */
export interface Repository {
  /** The rules beside those in the folders, the least important first. */
  rules: readonly IgnoreRules[];
  /** Names the rules. */
  stamp: string;
  tracked: TrackedPaths;
}

/** How many names lead to its folder, and the ignore file of the person. */
export interface RepositoryPlace {
  depth: number;
  ownIgnoreFile: Buffer | null;
}

export const IGNORE_BYTES_MAX = 1024 * 1024;
const INDEX_BYTES_MAX = 64 * 1024 * 1024;
const LINE_BYTES_MAX = 4_096;
const NONE: TrackedPaths = { has: () => false, hasBelow: () => false };

/** The repository whose top a pinned folder is; null when it is none, as git would say. */
export function repositoryAt(folder: PinnedEntry, { depth, ownIgnoreFile }: RepositoryPlace): Repository | null {
  return withGitFolder(folder, (own) => {
    const common = commonOf(own) ?? own;
    try {
      if (!has(own, 'HEAD') || !has(common, 'objects') || !has(common, 'refs')) return null;
      const files = [ownIgnoreFile, excludeFileIn(common)];
      const rules = files.flatMap((file) => parseRules([file], depth) ?? []);
      return { rules, stamp: stampOf('repository', files), tracked: trackedIn(own) };
    } finally {
      if (common !== own) unpin(common);
    }
  });
}

/** What the repository at a pinned folder has checked out: a branch, or the beginning of a commit; null when it is none. */
export function branchAt(folder: PinnedEntry): string | null {
  return withGitFolder(folder, (own) => {
    const head = lineIn(own, 'HEAD') ?? '';
    const [, branch, commit] =
      /^(?:ref: refs\/heads\/((?!\.)[^\p{Cc}\ufffd]{1,200})|([0-9a-f]{12})[0-9a-f]{28,52})$/u.exec(head) ?? [];
    return branch ?? (commit === undefined ? 'not known' : `none, at commit ${commit}`);
  });
}

/** Pins the folder of git: `.git` itself, or the one that a file of this name leads to. */
function withGitFolder<T>(folder: PinnedEntry, use: (own: PinnedEntry) => T | null): T | null {
  const entry = pinIn(folder, '.git');
  if (entry === null) return null;
  const own = entry.stats.isFile() ? linkedFolder(folder) : entry;
  try {
    return own?.stats.isDirectory() === true ? use(own) : null;
  } finally {
    unpin(entry);
    if (own !== null && own !== entry) unpin(own);
  }
}

/**
 * What a `.git` file leads to. Anybody may have written it, so the other end must agree: the folder of a work tree names the file,
 * and that of a submodule lies in the folder of git of a project above it.
 */
function linkedFolder(folder: PinnedEntry): PinnedEntry | null {
  const at = realPathOf(folder);
  const said = lineIn(folder, '.git')?.replace(/^gitdir: /, '') ?? null;
  const linked = at === null || said === null ? null : pin(resolve(at, said));
  if (linked === null || at === null) return null;
  const real = realPathOf(linked) ?? '';
  const back = lineIn(linked, 'gitdir');
  const [, above] = /^(.*)\/\.git\/modules\/./.exec(real) ?? [];
  if ((back !== null && resolve(real, back) === join(at, '.git')) || (above !== undefined && isWithin(at, above))) {
    return linked;
  }
  unpin(linked);
  return null;
}

/** The folder that work trees share. */
function commonOf(own: PinnedEntry): PinnedEntry | null {
  const said = lineIn(own, 'commondir');
  const at = said === null ? null : realPathOf(own);
  return said === null || at === null ? null : pin(resolve(at, said));
}

function has(folder: PinnedEntry, name: string): boolean {
  const entry = pinIn(folder, name);
  if (entry !== null) unpin(entry);
  return entry !== null;
}

function excludeFileIn(common: PinnedEntry): Buffer | null {
  const info = pinIn(common, 'info');
  if (info === null) return null;
  try {
    return info.stats.isDirectory() ? readIn(info, 'exclude', IGNORE_BYTES_MAX) : null;
  } finally {
    unpin(info);
  }
}

function lineIn(folder: PinnedEntry, name: string): string | null {
  return readIn(folder, name, LINE_BYTES_MAX)?.toString().split('\n', 1)[0] ?? null;
}

const RECENT_MAX = 4;
const recent = new Map<string, { stamp: string; tracked: TrackedPaths }>();

/** What the index of a folder of git names. The last ones stay, since they change seldom. */
function trackedIn(own: PinnedEntry): TrackedPaths {
  const file = pinIn(own, 'index');
  if (file === null) return NONE;
  const { dev, ino, size, mtimeMs, ctimeMs } = file.stats;
  unpin(file);
  const [key, stamp] = [`${own.stats.dev} ${own.stats.ino}`, [dev, ino, size, mtimeMs, ctimeMs].join(' ')];
  const known = recent.get(key);
  if (known?.stamp === stamp) return known.tracked;
  const index = readIn(own, 'index', INDEX_BYTES_MAX);
  const shared = index === null ? null : readIn(own, sharedIndexOf(index), INDEX_BYTES_MAX);
  const tracked = parsedLater([index, shared]);
  if (recent.size >= RECENT_MAX) recent.clear();
  recent.set(key, { stamp, tracked });
  return tracked;
}

/** Parses an index when the first path is asked for: only what rules ignore is. */
function parsedLater(files: readonly (Buffer | null)[]): TrackedPaths {
  let waiting: typeof files | null = files;
  let parsed = NONE;
  const tracked = (): TrackedPaths => {
    if (waiting === null) return parsed;
    parsed = trackedPaths(waiting.flatMap((bytes) => (bytes === null ? [] : (parseIndex(bytes) ?? []))));
    waiting = null;
    return parsed;
  };
  return { has: (path) => tracked().has(path), hasBelow: (folder) => tracked().hasBelow(folder) };
}

/** The file with the rest of a split index; of another index it names none that there is. */
function sharedIndexOf(index: Buffer): string {
  const at = index.lastIndexOf('link') + 8;
  return `sharedindex.${index.toString('hex', at, at + 20)}`;
}
