import { detach, neverFails } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { Context } from '../../command_line/command_context.js';
import { reasonOf } from '../../output/failure.js';
import type { Front } from '../front/front.js';
import type { ChatDisplay } from './chat_display.js';
import { hintOfFailure } from './hint_in_chat.js';
import type { ReplPosition } from './repl_position.js';

/** The shared parts of an open conversation. */
export interface ConversationParts {
  /** The command context inside the conversation: its position, and the front as its output. */
  context: Context;
  client: Client;
  front: Front;
  place: ReplPosition;
  display: ChatDisplay;
  /** Own nodes that are not displayed yet. */
  ours: Set<NodeId>;
  /** Own nodes that are not displayed at all. */
  beside: Set<NodeId>;
  /** Instruction files that were already announced. */
  toldFiles: Set<string>;
  /** Reasons why no model answers that the first lines tell. */
  toldModelless: Set<string>;
  /** Questions that have been shown. */
  shownQuestions: Set<NodeId>;
}

/** Shows the failure of a promise that nobody awaits. */
export function failureOn(front: Front, hint: string | null = null): (error: unknown) => void {
  return (error) => detach(showFailure(front, error, hint), neverFails);
}

/** Shows a failure as one line with a hint. */
export function showFailure(front: Front, error: unknown, hint: string | null = null): Promise<void> {
  const own = error instanceof HubError ? hintOfFailure(error) : null;
  return front.show({ kind: 'failure', message: reasonOf(error), hint: own ?? hint });
}
