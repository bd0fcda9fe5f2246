import * as z from 'zod';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { ErrorData } from '../../protocol/errors.js';
import type { TurnMessage } from '../../protocol/methods/live_methods.js';
import { Json, type TurnId } from '../../protocol/node.js';
import type { TurnOutcome } from '../../protocol/turn.js';

/** How long the beginning of an answered turn is waited for: that it fails is known by then. */
const BEGINNING_MS = 1_000;

/** What became of a message. */
export const InboxAnswer = z.union([
  z.object({ done: Json }),
  z.object({ failed: ErrorData.shape.kind, message: z.string().max(10_000) }),
]);
export type InboxAnswer = z.infer<typeof InboxAnswer>;

/** Of a message, or an answer, of no known form. */
export const NOT_KNOWN: InboxAnswer = { failed: 'version', message: 'the hub that has the turn is of another version' };

export type Delivery = (turn: TurnId, message: TurnMessage) => Promise<InboxAnswer>;

/** Does what another hub says to a turn of this one, as if a client of this hub had said it. */
export function createDelivery(reach: InternalCaller): Delivery {
  const done = async (turn: TurnId, message: TurnMessage): Promise<unknown> => {
    switch (message.kind) {
      case 'say': {
        const { id, blocks, when: kind } = message;
        return callHub(reach, 'agent.steer', { id, turn, blocks, kind });
      }
      case 'stop':
        return callHub(reach, 'agent.stop', { turn });
      case 'answer': {
        const { call, answer } = message;
        const going = callHub(reach, 'agent.answer_from_elsewhere', { turn, call, answer });
        return Promise.race([going, begun(reach, turn)]);
      }
    }
  };
  return async (turn, message) => {
    try {
      return { done: await done(turn, message) };
    } catch (error) {
      const told =
        error instanceof HubError
          ? error
          : new HubError('internal', 'the hub of the turn has failed', { cause: error });
      return { failed: told.kind, message: told.message };
    }
  };
}

/** What is told of a turn that goes on. */
async function begun(reach: InternalCaller, id: TurnId): Promise<TurnOutcome> {
  await new Promise((resolve) => setTimeout(resolve, BEGINNING_MS));
  const { turns } = await callHub(reach, 'agent.status', { tree: null });
  const turn = turns.find((one) => one.turn === id);
  if (turn === undefined) throw new HubError('not_found', 'the turn has ended');
  const { tree, tip, questions } = turn;
  return {
    ...{ turn: id, tree, state: 'running', why: null, failure: null, tip, text: '', usage: null },
    ...{ price_microdollars: null, questions },
  };
}
