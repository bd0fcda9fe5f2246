import type { NodeId } from '../../hub/protocol/node.js';
import type { BlockChange } from './block.js';
import { type DisplayAction, type DisplayState, newDisplay, reduce } from './reduce.js';

/** Keeps the state of what is displayed. */
export interface Display {
  state(): DisplayState;
  /** Applies an action, and returns what it changed. */
  take(action: DisplayAction): readonly BlockChange[];
}

export function createDisplay(tip: NodeId | null): Display {
  let state = newDisplay(tip);
  return {
    state: () => state,
    take(action) {
      const result = reduce(state, action);
      state = result.state;
      return result.changes;
    },
  };
}
