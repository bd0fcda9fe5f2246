import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { detach, neverFails } from '../../hub/base/detach.js';
import { valueOrNull } from './attempt.js';

/** The repositories below writable folders, beside those of the folders themselves. */
export interface NestedRepositories {
  /** Their `.git`, and bare ones. Looked for at the first call, and again in the background later. */
  below(root: string): string[];
}

/** How far is looked: the nearest folders first. */
const DEPTH_MAX = 6;
const FOLDERS_MAX = 3_000;
const FOUND_MAX = 50;
const ROOTS_MAX = 100;
const FRESH_MS = 5_000;
/** Folders read before other work of this process runs. */
const SLICE = 20;
/** Folders of many files, made by programs. */
const SKIPPED = new Set(['node_modules', '__pycache__', '.venv', '.cache']);
const BARE = ['HEAD', 'objects', 'refs'];

interface Look {
  found: string[];
  atMs: number;
}

export function findNestedRepositories(freshMs = FRESH_MS): NestedRepositories {
  const looks = new Map<string, Look>();

  // One that was away while it was looked for, such as a folder that was replaced, is as before when it is back.
  function remember(root: string, found: string[]): string[] {
    const all = [...new Set([...found, ...(looks.get(root)?.found ?? [])])].slice(0, FOUND_MAX);
    if (looks.size >= ROOTS_MAX) looks.clear();
    looks.set(root, { found: all, atMs: performance.now() });
    return all;
  }

  async function lookAgain(root: string): Promise<void> {
    const walk = walkBelow(root);
    for (let count = 1; ; count++) {
      const { done, value } = walk.next();
      if (done) {
        remember(root, value);
        return;
      }
      if (count % SLICE === 0) await nextTurn();
    }
  }

  return {
    below(root) {
      const look = looks.get(root);
      if (look === undefined) {
        const walk = walkBelow(root);
        for (;;) {
          const { done, value } = walk.next();
          if (done) return remember(root, value);
        }
      }
      if (performance.now() - look.atMs >= freshMs) {
        look.atMs = performance.now();
        detach(lookAgain(root), neverFails);
      }
      return look.found;
    },
  };
}

/** Reads one folder per step. */
function* walkBelow(root: string): Generator<undefined, string[]> {
  const found: string[] = [];
  let level = [root];
  let count = 0;
  for (let depth = 0; depth <= DEPTH_MAX && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (count++ >= FOLDERS_MAX || found.length >= FOUND_MAX) return found;
      const entries = valueOrNull(() => readdirSync(folder, { withFileTypes: true })) ?? [];
      if (folder !== root) found.push(...repositoriesIn(folder, entries));
      if (!found.includes(folder)) next.push(...foldersIn(folder, entries));
      yield;
    }
    level = next;
  }
  return found;
}

function repositoriesIn(folder: string, entries: readonly Dirent[]): string[] {
  if (BARE.every((name) => entries.some((entry) => entry.name === name))) return [folder];
  const isGit = (entry: Dirent): boolean => entry.name.toLowerCase() === '.git' && !entry.isSymbolicLink();
  return entries.filter(isGit).map(({ name }) => join(folder, name));
}

function foldersIn(folder: string, entries: readonly Dirent[]): string[] {
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name) && entry.name.toLowerCase() !== '.git')
    .map(({ name }) => join(folder, name));
}
