import type { NodeId } from '../../../hub/protocol/node.js';
import { type DisplayAction, type DisplayState, newDisplay, reduce } from '../../display/reduce.js';
import type { DisplayEvent, Front } from '../front/front.js';

/** What is on display of the open conversation, and the way there for all that happens in it. */
export interface ChatDisplay {
  state(): DisplayState;
  /** Applies an action at once, and resolves when the front has shown what it changed. */
  take(action: DisplayAction): Promise<void>;
}

export function createChatDisplay(front: Front, tip: NodeId): ChatDisplay {
  let state = newDisplay(tip);
  return {
    state: () => state,
    take(action) {
      const result = reduce(state, action);
      state = result.state;
      return showAll(front, result.changes);
    },
  };
}

/** Shows several things in their order. */
export async function showAll(front: Front, events: readonly DisplayEvent[]): Promise<void> {
  await Promise.all(events.map((event) => front.show(event)));
}
