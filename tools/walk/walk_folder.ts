import type { FolderCache } from './folder_cache.js';
import { type IgnoreRules, isIgnored, parseRules, stampOf } from './ignore_rules.js';
import { type FolderNames, listFolder } from './list_folder.js';
import { type PinnedEntry, pinIn, readIn, unpin } from './pinned_folder.js';
import { IGNORE_BYTES_MAX, type Repository, repositoryAt } from './repository.js';

/** What one folder holds. Names are byte strings: each character is one byte. */
export interface WalkedFolder extends Omit<FolderNames, 'folders' | 'hasGit'> {
  /** The names from the start of the walk down to the folder. */
  names: readonly string[];
  /** The folder itself, pinned until the walk goes on: its files can be looked at and opened through it. */
  entry: PinnedEntry;
  /** Files, links and folders that were left out because rules ignore them. */
  ignored: readonly string[];
  /** Names what the rules of the folders above say, and what these say with the folder's own. */
  rules: { above: string; own: string };
  /** Whether all that is in it counts, whatever git tracks. */
  isPlain: boolean;
}

/** A folder that the walk comes to: its names from where the walk starts, the pinned folder above it, and what names the rules there. */
export interface NextFolder {
  names: readonly string[];
  above: PinnedEntry;
  rules: string;
}

export interface WalkOptions {
  /** The names from the pinned folder, whose rules hold below, down to where the walk starts. */
  start: readonly string[];
  /** The ignore file of the person; null for none. */
  ownIgnoreFile: Buffer | null;
  /** Folders that are left out where there is no repository. */
  skipped: ReadonlySet<string>;
  /** Gains the names of each folder; null where none are kept. */
  known: FolderCache | null;
  /** Says of a folder how many names are in it, where it need not be looked at; null where it must. */
  skip(folder: NextFolder): number | null;
}

/** What lies deeper is left out, and what is listed beyond. */
export const DEPTH_MAX = 200;
export const ENTRIES_MAX = 1_000_000;
/** The later counts more. */
export const IGNORE_FILES = ['.gitignore', '.ignore'];

/** The rules that hold in a folder. */
interface Scope {
  rules: readonly IgnoreRules[];
  repository: Repository | null;
  /** How many names lead to the top of the repository. */
  depth: number;
  /** Whether the folder is ignored, so that only what git tracks counts. */
  onlyTracked: boolean;
  /** Names the rules by what they are read from. */
  stamp: string;
}

interface Place {
  /** From the pinned folder on. */
  names: readonly string[];
  /** Of the folder above. */
  scope: Scope;
}

interface WalkState extends WalkOptions {
  entriesLeft: number;
}

const NO_RULES: Scope = { rules: [], repository: null, depth: 0, onlyTracked: false, stamp: '' };

/**
 * Walks a folder and those below, each pinned before it is read, so that no link is followed, whatever is renamed meanwhile. What git
 * ignores is left out but for what it tracks, and so is `.git`; a repository within another has rules of its own. It yields each folder,
 * and null within large ones, so that whoever reads it can rest or end it.
 */
export function* walkFolder(top: PinnedEntry, options: WalkOptions): Generator<WalkedFolder | null, void> {
  yield* walkDown(top, { names: [], scope: NO_RULES }, { ...options, entriesLeft: ENTRIES_MAX });
}

/** Goes down to where the walk starts, and takes the rules on the way along. */
function* walkDown(entry: PinnedEntry, place: Place, state: WalkState): Generator<WalkedFolder | null, void> {
  const { names } = place;
  const next = state.start[names.length];
  if (next === undefined) return yield* walkFrom(entry, place, state);
  const scope = scopeIn(entry, place, { state, has: () => true });
  const inner = pinIn(entry, bytesOf(next));
  if (inner === null) return;
  try {
    const path = [...names, next];
    // Whoever starts in a folder that is ignored means it all the same.
    const isLeftOut = isIgnored(scope.rules, path, true);
    if (inner.stats.isDirectory()) yield* walkDown(inner, { names: path, scope: isLeftOut ? NO_RULES : scope }, state);
  } finally {
    unpin(inner);
  }
}

function* walkFrom(entry: PinnedEntry, place: Place, state: WalkState): Generator<WalkedFolder | null, void> {
  const { names } = place;
  const known = state.known?.find(entry) ?? null;
  const listed = known ?? (yield* listFolder(entry, state.entriesLeft));
  if (known === null) state.known?.keep(entry, listed);
  const { files, links, others, hasGit } = listed;
  state.entriesLeft -= files.length + links.length + others.length + listed.folders.length;
  const has = (name: string): boolean => (name === '.git' ? hasGit : files.includes(name));
  const scope = scopeIn(entry, place, { state, has });
  const { folders, ...kept } = withoutIgnored(listed, { names, scope }, state);
  const { start, skip } = state;
  const rules = { above: place.scope.stamp, own: scope.stamp };
  yield { names: names.slice(start.length), entry, rules, ...kept, isPlain: kept.isPlain && !hasGit };
  if (names.length >= DEPTH_MAX) return;
  for (const { name, onlyTracked } of folders) {
    const below = { names: [...names, name], scope: { ...scope, onlyTracked } };
    const next = { names: below.names.slice(start.length), above: entry, rules: scope.stamp };
    const skipped = onlyTracked ? null : skip(next);
    if (skipped === null) yield* walkInto(entry, below, state);
    else state.entriesLeft -= skipped;
  }
}

function* walkInto(above: PinnedEntry, place: Place, state: WalkState): Generator<WalkedFolder | null, void> {
  const inner = pinIn(above, bytesOf(place.names.at(-1) ?? ''));
  if (inner === null) return;
  try {
    if (inner.stats.isDirectory()) yield* walkFrom(inner, place, state);
  } finally {
    unpin(inner);
  }
}

function scopeIn(
  entry: PinnedEntry,
  { names, scope }: Place,
  { state, has }: { state: WalkState; has(name: string): boolean },
): Scope {
  const depth = names.length;
  const repository = has('.git') ? repositoryAt(entry, { depth, ownIgnoreFile: state.ownIgnoreFile }) : null;
  const files = IGNORE_FILES.map((name) => (has(name) ? readIn(entry, name, IGNORE_BYTES_MAX) : null));
  const own = parseRules(files, depth) ?? [];
  const stamp = stampOf(repository?.stamp ?? scope.stamp, files);
  if (repository === null) return { ...scope, rules: [scope.rules, own].flat(), stamp };
  return { rules: [repository.rules, own].flat(), repository, depth, onlyTracked: false, stamp };
}

interface Kept extends Pick<WalkedFolder, 'files' | 'links' | 'others' | 'ignored' | 'isPlain'> {
  folders: { name: string; onlyTracked: boolean }[];
}

/** Tells apart what counts and what is ignored. */
function withoutIgnored(listed: FolderNames, { names, scope }: Place, { skipped }: WalkState): Kept {
  const { rules, repository, depth, onlyTracked } = scope;
  if (rules.length === 0 && repository !== null && !onlyTracked) return allOf(listed);
  const ignored: string[] = [];
  const pathOf = (name: string): string => [...names.slice(depth), name].join('/');
  const path = [...names, ''];
  let isPlain = true;
  const isLeftOut = (name: string, isFolder: boolean): boolean => {
    path[names.length] = name;
    const isOut = onlyTracked || (rules.length > 0 && isIgnored(rules, path, isFolder));
    if (isOut) isPlain = false;
    return isOut;
  };
  const keeps = (name: string, isKept: boolean): boolean => {
    if (!isKept) ignored.push(name);
    return isKept;
  };
  const keptOf = (all: string[]): string[] =>
    all.filter((name) => keeps(name, !isLeftOut(name, false) || repository?.tracked.has(pathOf(name)) === true));
  const folders = listed.folders
    .map((name) => ({ name, onlyTracked: isLeftOut(name, true) || (repository === null && skipped.has(name)) }))
    .filter((one) => keeps(one.name, !one.onlyTracked || repository?.tracked.hasBelow(pathOf(one.name)) === true));
  const [files, links, others] = [keptOf(listed.files), keptOf(listed.links), keptOf(listed.others)];
  return { files, links, others, ignored, folders, isPlain: isPlain && ignored.length === 0 };
}

/** Where there are no rules. */
function allOf({ files, links, others, folders }: FolderNames): Kept {
  const all = folders.map((name) => ({ name, onlyTracked: false }));
  return { files, links, others, ignored: [], folders: all, isPlain: true };
}

function bytesOf(name: string): string | Buffer {
  // Almost all names are plain.
  return /^[ -~]*$/.test(name) ? name : Buffer.from(name, 'latin1');
}
