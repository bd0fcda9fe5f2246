import type { NodeId } from '../../../hub/protocol/node.js';
import { createDisplay } from '../../display/display.js';
import type { DisplayAction, DisplayState } from '../../display/reduce.js';
import type { DisplayEvent, Front } from '../front/front.js';

/** The display state of the open conversation, and the way for events into it. */
export interface ChatDisplay {
  state(): DisplayState;
  /** Applies an action at once, and resolves when the front has shown what it changed. */
  take(action: DisplayAction): Promise<void>;
}

export function createChatDisplay(front: Front, tip: NodeId): ChatDisplay {
  const display = createDisplay(tip);
  return { state: display.state, take: (action) => showAll(front, display.take(action)) };
}

/** Shows several things in their order. */
export async function showAll(front: Front, events: readonly DisplayEvent[]): Promise<void> {
  await Promise.all(events.map((event) => front.show(event)));
}
