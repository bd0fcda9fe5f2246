import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { TurnMessage } from '../../protocol/methods/live_methods.js';
import type { TurnId } from '../../protocol/node.js';

/** Does something with a turn of this hub; where it has none of this id, the hub that has it is told to, if there is one. */
export async function hereOrElsewhere<T>(
  reach: InternalCaller,
  { turn, message }: { turn: TurnId; message: TurnMessage },
  does: { here(): Promise<T>; read(answer: unknown): T },
): Promise<T> {
  try {
    return await does.here();
  } catch (error) {
    if (!(error instanceof HubError) || error.kind !== 'not_found') throw error;
    const { answer } = await callHub(reach, 'sharing.turn_tell', { turn, message });
    if (answer === null) throw error;
    return does.read(answer);
  }
}
