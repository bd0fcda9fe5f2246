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

/** What everything that happens in one open conversation shares. */
export interface ConversationParts {
  /** As commands see it from inside: its session is the place, its output the front. */
  context: Context;
  client: Client;
  front: Front;
  place: ReplPosition;
  display: ChatDisplay;
  /** Nodes that we have named and that are not on display yet. */
  ours: Set<NodeId>;
  /** Files of instructions that the person knows the model is told. */
  toldFiles: Set<string>;
  /** Questions that have been shown. */
  shownQuestions: Set<NodeId>;
}

/** The handler of a promise that nobody awaits: shows its failure. */
export function failureOn(front: Front, hint: string | null = null): (error: unknown) => void {
  return (error) => detach(showFailure(front, error, hint), neverFails);
}

/** Shows a failure as one clear line, and what to do. */
export function showFailure(front: Front, error: unknown, hint: string | null = null): Promise<void> {
  const own = error instanceof HubError ? hintOfFailure(error) : null;
  return front.show({ kind: 'failure', message: reasonOf(error), hint: own ?? hint });
}
