import type { Key } from '../editor/keys/key.js';
import { stepsOf } from './cursor_steps.js';
import { type Navigation, type PartialTree, rowOf } from './navigator_state.js';

/** More keys than a person presses while a large tree is read. */
const KEYS_MAX = 1_000;

/** Keys that were pressed before the tree was read, and need all of it. */
export interface WaitingKeys {
  /** Puts a key by if it has to wait, and says whether it has. */
  holdIfNeeded(state: Navigation, key: Key, height: number): boolean;
  hasAny(): boolean;
  /** Removes all keys, in their order. */
  takeAll(): Key[];
}

export function createWaitingKeys(): WaitingKeys {
  let keys: Key[] = [];
  return {
    holdIfNeeded(state, key, height) {
      if (state.partial === null || isInterrupt(key)) return false;
      // A key after one that waits is meant for the state that the first one makes.
      if (keys.length === 0 && !needsTree(state, state.partial, { key, height })) return false;
      if (keys.length < KEYS_MAX) keys.push(key);
      return true;
    },
    hasAny: () => keys.length > 0,
    takeAll() {
      const before = keys;
      keys = [];
      return before;
    },
  };
}

function isInterrupt(key: Key): boolean {
  return key.kind === 'key' && key.ctrl && key.name === 'c';
}

function needsTree(state: Navigation, partial: PartialTree, { key, height }: { key: Key; height: number }): boolean {
  if (state.help !== null) return false;
  if (state.typing !== null || state.results !== null) return key.kind === 'key' && key.name === 'tab';
  if (key.kind === 'paste') return false;
  const steps = stepsOf(key, height);
  if (steps !== null) return leavesRows(state, partial, steps);
  return key.kind === 'key' ? /^(left|right|tab)$/.test(key.name) : /^[hlzfdxnN]$/.test(key.text);
}

function leavesRows(state: Navigation, { begins, ends }: PartialTree, steps: number): boolean {
  const row = rowOf(state) + steps;
  return (row < 0 && !begins) || (row >= state.rows.length && !ends);
}
