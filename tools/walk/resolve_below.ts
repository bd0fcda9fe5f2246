import { join } from 'node:path';
import { isWithin } from '../../hub/base/is_within.js';
import { linkIn, type PinnedEntry, pin, pinIn, realPathOf, unpin } from './pinned_folder.js';

/** As many as the system itself follows. */
const LINKS_MAX = 40;
const NAMES_MAX = 1_000;

/** A pinned folder from which paths are resolved. */
export interface Root {
  /** Its real path. */
  path: string;
  entry: PinnedEntry;
}

/** What a path leads to. */
export type ResolvedPath<T> =
  | { kind: 'found'; value: T }
  | { kind: 'absent' }
  /** A link leads out of where it must stay. */
  | { kind: 'outside'; link: string };

type Stop = Exclude<ResolvedPath<never>, { kind: 'found' }>;

interface PathBelow {
  /** From the root on. */
  path: string;
  /** A folder whose links must not lead out of it. No link leads out of the root. */
  held: string;
}

/** Pins a folder, given by its real path, for as long as it is used; null when it is none. */
export function withRoot<T>(path: string, use: (root: Root) => T): T | null {
  const entry = pin(path);
  if (entry === null) return null;
  try {
    return entry.stats.isDirectory() && realPathOf(entry) === path ? use({ path, entry }) : null;
  } finally {
    unpin(entry);
  }
}

/**
 * Resolves a path one name at a time, each in the folder that the name before has pinned. Links are read and resolved here, never
 * by the system, so that nothing that is renamed meanwhile leads elsewhere: RESOLVE_BENEATH of `openat2`, with links inside.
 */
export function resolveBelow<T>(
  root: Root,
  { path, held }: PathBelow,
  use: (found: PinnedEntry, real: string) => T,
): ResolvedPath<T> {
  const steps = createSteps(root);
  const links = createLinks(root, held);
  const rest = path.split('/').reverse();
  try {
    for (let names = 0; names < NAMES_MAX; names += 1) {
      const name = rest.pop();
      if (name === undefined) {
        const link = links.leaving(steps.path());
        if (link !== null) return { kind: 'outside', link };
        return { kind: 'found', value: use(steps.entry(), steps.path()) };
      }
      const taken = takeName(name, steps, links);
      if (!Array.isArray(taken)) return taken;
      rest.push(...taken);
    }
    return { kind: 'absent' };
  } finally {
    steps.restart();
  }
}

/** Takes the next name; returns those to take before the rest, the last first: what a link says. */
function takeName(
  name: string,
  steps: ReturnType<typeof createSteps>,
  links: ReturnType<typeof createLinks>,
): string[] | Stop {
  const from = join(steps.path(), name);
  const step = steps.take(name);
  if (step.kind === 'taken') return [];
  if (step.kind === 'absent') return step;
  if (step.kind === 'above') return { kind: 'outside', link: links.first() ?? from };
  const target = links.follow(from, step.target);
  if (typeof target === 'object') return target;
  if (target.startsWith('/')) steps.restart();
  return target.split('/').reverse();
}

/** The links that were followed. */
function createLinks(root: Root, held: string) {
  let first: string | null = null;
  let count = 0;
  let mustStay = false;
  return {
    first: () => first,
    /** The link that leads out of where it must stay; null when all is well. */
    leaving: (real: string): string | null => (mustStay && !isWithin(real, held) ? first : null),
    /** What a link says, an absolute path from the root on. */
    follow(link: string, target: string): string | Stop {
      count += 1;
      if (count > LINKS_MAX) return { kind: 'absent' };
      // The first that must stay counts, else the first of all.
      if (!mustStay && (first === null || isWithin(link, held))) first = link;
      mustStay ||= isWithin(link, held);
      if (!target.startsWith('/') || root.path === '/') return target;
      return isWithin(target, root.path)
        ? `/${target.slice(root.path.length)}`
        : { kind: 'outside', link: first ?? link };
    },
  };
}

type Step = { kind: 'taken' } | { kind: 'absent' } | { kind: 'above' } | { kind: 'link'; target: string };

/** The pinned folders from the root to where the resolution stands. */
function createSteps(root: Root) {
  const all: { name: string; entry: PinnedEntry }[] = [];
  const entry = (): PinnedEntry => all.at(-1)?.entry ?? root.entry;
  const drop = (): boolean => {
    const last = all.pop();
    if (last !== undefined) unpin(last.entry);
    return last !== undefined;
  };
  const enter = (name: string): Step => {
    const next = pinIn(entry(), name);
    if (next === null) return { kind: 'absent' };
    if (!next.stats.isSymbolicLink()) {
      all.push({ name, entry: next });
      return { kind: 'taken' };
    }
    unpin(next);
    const target = linkIn(entry(), name);
    return target === null ? { kind: 'absent' } : { kind: 'link', target };
  };
  return {
    entry,
    path: () => join(root.path, ...all.map(({ name }) => name)),
    restart(): void {
      while (drop()); // down to the root
    },
    take(name: string): Step {
      if (name === '..') return { kind: drop() || root.path === '/' ? 'taken' : 'above' };
      if (!entry().stats.isDirectory()) return { kind: 'absent' };
      return name === '' || name === '.' ? { kind: 'taken' } : enter(name);
    },
  };
}
