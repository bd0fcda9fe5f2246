import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { Context } from './command_context.js';

/** The hub that runs already; null when there is none. It is not started. */
export async function runningHub(context: Context): Promise<Client | null> {
  const { connect } = await import('../../hub/client/client.js');
  try {
    return await connect({ home: context.paths.home, start: false });
  } catch (error) {
    // A hub that is there and does not answer is told with what happened.
    if (error instanceof HubError && error.kind === 'unreachable' && error.cause === undefined) return null;
    throw error;
  }
}
