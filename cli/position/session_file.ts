import { readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from '../../hub/base/disk/durable_file.js';
import { makeFolder } from '../../hub/base/disk/make_folder.js';
import { errnoOf } from '../../hub/base/errno.js';
import { jsonOrNull } from '../../hub/base/json/json_or_null.js';
import type { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import { withFileLock } from '../files/file_lock.js';
import { isNodeId, isTreeId, isTurnId } from './ids.js';

/** What this person's clients remember: the current tree of each project, and where they stand in each tree. */
export interface SessionState {
  version: 1;
  /** The last one of any project. */
  current: TreeId | null;
  /** By the folder of the project, the last used one at the end. A file that an older version wrote has none. */
  projects: Record<string, TreeId>;
  trees: Record<string, SavedPosition>;
}

export interface SavedPosition {
  node: NodeId;
  moved_at_ms: number;
  /** The turn that this person began there and follows: the position moves to its tip. */
  following?: TurnId;
}

export interface Session {
  read(): SessionState;
  /** Makes a tree the current one of a project. */
  use(tree: TreeId, project: string): Promise<void>;
  /** Makes it the current one nowhere. */
  drop(tree: TreeId): Promise<void>;
  move(tree: TreeId, node: NodeId, following?: TurnId | null): Promise<void>;
  forget(tree: TreeId): Promise<void>;
}

// Far more than one works with; the oldest positions are dropped first.
const TREES_MAX = 2_000;
const EMPTY: SessionState = { version: 1, current: null, projects: {}, trees: {} };

/** The session file of a home. Each change is made under a lock, to one entry, and in one step. */
export function openSession(path: string, note: (text: string) => void, now: () => number): Session {
  const change = (edit: (state: SessionState) => SessionState): Promise<void> => {
    makeFolder(dirname(path));
    return withFileLock(`${path}.lock`, () => {
      replace(path, pruned(edit(readState(path, note, now))));
    });
  };
  return {
    read: () => readState(path, note, now),
    use: (tree, project) =>
      change((state) => {
        const { [project]: _, ...others } = state.projects;
        return { ...state, current: tree, projects: { ...others, [project]: tree } };
      }),
    drop: (tree) => change((state) => dropped(state, tree)),
    move: (tree, node, following = null) =>
      change((state) => {
        const position = { node, moved_at_ms: now(), ...(following === null ? {} : { following }) };
        return { ...state, trees: { ...state.trees, [tree]: position } };
      }),
    forget: (tree) =>
      change((state) => {
        const { [tree]: _, ...others } = state.trees;
        return { ...dropped(state, tree), trees: others };
      }),
  };
}

function dropped(state: SessionState, tree: TreeId): SessionState {
  const projects = Object.entries(state.projects).filter(([, current]) => current !== tree);
  return { ...state, current: state.current === tree ? null : state.current, projects: Object.fromEntries(projects) };
}

function readState(path: string, note: (text: string) => void, now: () => number): SessionState {
  const text = readIfThere(path);
  if (text === null) return EMPTY;
  const state = parseState(text);
  if (state !== null) return state;
  const aside = `${path}.corrupt-${now()}`;
  try {
    renameSync(path, aside);
    note(`${path} could not be read; it was set aside as ${aside}, and positions start anew`);
  } catch (error) {
    note(`${path} could not be read and not be set aside (${String(error)}); positions start anew`);
  }
  return EMPTY;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return null;
    if (code === 'EISDIR') return ''; // as useless as an empty file
    throw error;
  }
}

/** Parses the file; null when this program did not write it so. */
export function parseState(text: string): SessionState | null {
  const value = jsonOrNull(text);
  if (!isRecord(value) || value.version !== 1 || !isRecord(value.trees)) return null;
  const current = value.current;
  if (current !== null && !isTreeId(current)) return null;
  const trees: Record<string, SavedPosition> = {};
  for (const [tree, position] of Object.entries(value.trees)) {
    if (!isTreeId(tree) || !isRecord(position) || !isNodeId(position.node)) return null;
    const movedAtMs = position.moved_at_ms;
    if (typeof movedAtMs !== 'number') return null;
    const following = isTurnId(position.following) ? { following: position.following } : {};
    trees[tree] = { node: position.node, moved_at_ms: movedAtMs, ...following };
  }
  return { version: 1, current, projects: projectsIn(value.projects), trees };
}

/** Each entry by itself: one that this version does not know is no reason to forget where one stands. */
function projectsIn(value: unknown): Record<string, TreeId> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, TreeId] => entry[0].startsWith('/') && isTreeId(entry[1])),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pruned(state: SessionState): SessionState {
  const projects = Object.fromEntries(Object.entries(state.projects).slice(-TREES_MAX));
  const positions = Object.entries(state.trees);
  if (positions.length <= TREES_MAX) return { ...state, projects };
  const newest = positions.sort(([, a], [, b]) => b.moved_at_ms - a.moved_at_ms).slice(0, TREES_MAX);
  return { ...state, projects, trees: Object.fromEntries(newest) };
}

function replace(path: string, state: SessionState): void {
  replaceFile(path, `${JSON.stringify(state, null, 2)}\n`);
}
