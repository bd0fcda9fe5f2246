import type { Key } from '../editor/keys/key_decoder.js';
import { stepsOf } from './cursor_steps.js';
import { type Early, type Navigation, rowOf } from './navigator_state.js';

/** What a person can press while a large tree is read; more than this is not kept. */
const KEYS_MAX = 1_000;

/** Keys that were pressed before the tree was read, and need all of it. */
export interface WaitingKeys {
  /** Whether a key has to wait, which it does then. */
  keeps(state: Navigation, key: Key, height: number): boolean;
  isAny(): boolean;
  /** All that waited, in their order. */
  taken(): Key[];
}

export function createWaitingKeys(): WaitingKeys {
  let keys: Key[] = [];
  return {
    keeps(state, key, height) {
      if (state.early === null || isInterrupt(key)) return false;
      // What was pressed after a key that waits is meant for what that key makes.
      if (keys.length === 0 && !needsTree(state, state.early, { key, height })) return false;
      if (keys.length < KEYS_MAX) keys.push(key);
      return true;
    },
    isAny: () => keys.length > 0,
    taken() {
      const before = keys;
      keys = [];
      return before;
    },
  };
}

function isInterrupt(key: Key): boolean {
  return key.kind === 'key' && key.ctrl && key.name === 'c';
}

function needsTree(state: Navigation, early: Early, { key, height }: { key: Key; height: number }): boolean {
  if (state.help !== null) return false;
  if (state.typing !== null || state.found !== null) return key.kind === 'key' && key.name === 'tab';
  if (key.kind === 'paste') return false;
  const steps = stepsOf(key, height);
  if (steps !== null) return leavesRows(state, early, steps);
  return key.kind === 'key' ? /^(left|right|tab)$/.test(key.name) : /^[hlzfdxnN]$/.test(key.text);
}

function leavesRows(state: Navigation, { begins, ends }: Early, steps: number): boolean {
  const row = rowOf(state) + steps;
  return (row < 0 && !begins) || (row >= state.rows.length && !ends);
}
