import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { Context } from './command_context.js';

/** Connects to a running hub; null when none runs. It starts none. */
export async function runningHub(context: Context): Promise<Client | null> {
  const { connect } = await import('../../hub/client/client.js');
  try {
    return await connect({ home: context.paths.home, start: false });
  } catch (error) {
    // The error of a hub that exists and does not answer has a cause, and is thrown.
    if (error instanceof HubError && error.kind === 'unreachable' && error.cause === undefined) return null;
    throw error;
  }
}
