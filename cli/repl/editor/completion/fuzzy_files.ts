import { folded, NOT_BETTER, rankOf } from './ranking.js';

/** Finds files by a part of their path. */
export interface FuzzyFiles {
  /** Adds files and their folders. */
  add(paths: readonly string[]): void;
  /** The best matches first; folders end with `/`. Hidden files only when a part of the query begins with a dot. */
  find(query: string): string[];
}

const FOUND_MAX = 50;
const RANK_STEP = 10_000;

interface IndexedPath {
  path: string;
  text: string;
  nameStart: number;
  depth: number;
  /** Which letters occur, one bit each: most paths are skipped without reading them. */
  letters: number;
  isHidden: boolean;
}

/** Indexes paths as they are added, so that they can be searched at every key. */
export function createFuzzyFiles(): FuzzyFiles {
  const all: IndexedPath[] = [];
  const shown: IndexedPath[] = [];
  const seen = new Set<string>();
  let last: { query: string; matching: readonly IndexedPath[]; isHiddenWanted: boolean } | null = null;
  return {
    add(paths) {
      last = null;
      for (const path of paths) addWithFolders(path, { all, shown, seen });
    },
    find(query) {
      const sought = folded(query.replace(/^\.\//, ''));
      const isHiddenWanted = /(^|\/)\./.test(sought);
      // A path that does not match the beginning of a query does not match the query.
      const isNarrower = last?.isHiddenWanted === isHiddenWanted && sought.startsWith(last.query);
      const everything = isHiddenWanted ? all : shown;
      const { best, matching } = ranked(isNarrower ? (last?.matching ?? all) : everything, sought);
      last = { query: sought, matching, isHiddenWanted };
      return best.map(({ path }) => path);
    },
  };
}

interface Found {
  rank: number;
  entry: IndexedPath;
}

function ranked(candidates: readonly IndexedPath[], query: string): { best: IndexedPath[]; matching: IndexedPath[] } {
  const letters = lettersOf(query);
  const matching: IndexedPath[] = [];
  const best: Found[] = [];
  let worst = NOT_BETTER;
  for (const entry of candidates) {
    const fit = (entry.letters & letters) === letters ? fitOf(entry, query, worst / RANK_STEP) : null;
    if (fit === null) continue;
    matching.push(entry);
    const rank = fit * RANK_STEP + tieOf(entry, query);
    if (rank >= worst) continue;
    insert(best, { rank, entry });
    if (best.length > FOUND_MAX) best.pop();
    if (best.length === FOUND_MAX) worst = best.at(-1)?.rank ?? worst;
  }
  return { best: best.map(({ entry }) => entry), matching };
}

function fitOf(entry: IndexedPath, query: string, atMost: number): number | null {
  // A folder that is typed already is not offered: its content is.
  if (entry.text === query && query.endsWith('/')) return null;
  return rankOf(query, query.includes('/') ? { text: entry.text, nameStart: 0 } : entry, atMost);
}

/** Breaks ties: shorter paths first; for an empty query, the least nested. */
function tieOf({ text, depth }: IndexedPath, query: string): number {
  return Math.min(query === '' ? depth * 100 + Math.min(text.length, 99) : text.length, RANK_STEP - 1);
}

function insert(best: Found[], found: Found): void {
  let at = best.length;
  while (at > 0 && (best[at - 1]?.rank ?? 0) > found.rank) at--;
  best.splice(at, 0, found);
}

function addWithFolders(
  path: string,
  { all, shown, seen }: { all: IndexedPath[]; shown: IndexedPath[]; seen: Set<string> },
): void {
  for (let rest = path; rest.length > 0 && !seen.has(rest); rest = folderOf(rest)) {
    seen.add(rest);
    const entry = indexed(rest);
    all.push(entry);
    if (!entry.isHidden) shown.push(entry);
  }
}

/** The parent folder of a path, with its `/`; empty at the top. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
}

function indexed(path: string): IndexedPath {
  const text = folded(path);
  const nameStart = text.lastIndexOf('/', text.length - 2) + 1;
  const depth = text.slice(0, nameStart).split('/').length - 1;
  return { path, text, nameStart, depth, letters: lettersOf(text), isHidden: /(^|\/)\./.test(path) };
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}
