import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../hub/base/errno.js';
import type { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import { withFileLock } from '../files/file_lock.js';
import { replaceFile } from '../files/replace_file.js';
import { isNodeId, isTreeId, isTurnId } from './ids.js';

/** What this person's clients remember: the current tree, and where they stand in each. */
export interface SessionState {
  version: 1;
  current: TreeId | null;
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
  /** Sets the current tree; null for none. */
  use(tree: TreeId | null): Promise<void>;
  move(tree: TreeId, node: NodeId, following?: TurnId | null): Promise<void>;
  forget(tree: TreeId): Promise<void>;
}

// Far more than one works with; the oldest positions are dropped first.
const TREES_MAX = 2_000;
const EMPTY: SessionState = { version: 1, current: null, trees: {} };

/** The session file of a home. Each change is made under a lock, to one entry, and in one step. */
export function openSession(path: string, note: (text: string) => void, now: () => number): Session {
  const change = (edit: (state: SessionState) => SessionState): Promise<void> => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return withFileLock(`${path}.lock`, () => {
      replace(path, pruned(edit(readState(path, note, now))));
    });
  };
  return {
    read: () => readState(path, note, now),
    use: (tree) => change((state) => ({ ...state, current: tree })),
    move: (tree, node, following = null) =>
      change((state) => {
        const position = { node, moved_at_ms: now(), ...(following === null ? {} : { following }) };
        return { ...state, trees: { ...state.trees, [tree]: position } };
      }),
    forget: (tree) =>
      change(({ version, current, trees }) => {
        const { [tree]: _, ...others } = trees;
        return { version, current: current === tree ? null : current, trees: others };
      }),
  };
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
  const value = parseJson(text);
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
  return { version: 1, current, trees };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // as useless as any other wrong content
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pruned(state: SessionState): SessionState {
  const positions = Object.entries(state.trees);
  if (positions.length <= TREES_MAX) return state;
  const newest = positions.sort(([, a], [, b]) => b.moved_at_ms - a.moved_at_ms).slice(0, TREES_MAX);
  return { ...state, trees: Object.fromEntries(newest) };
}

function replace(path: string, state: SessionState): void {
  replaceFile(path, `${JSON.stringify(state, null, 2)}\n`);
}
