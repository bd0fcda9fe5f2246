import { hostname, userInfo } from 'node:os';
import { HubError } from '../base/error.js';
import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { Remote } from './remote_connection.js';

/** Tells the remote who this hub is; who may only read leaves no trace. Returns by which id others know it. */
export async function greet(reach: InternalCaller, remote: Remote, version: string): Promise<string> {
  const { hub } = await callHub(reach, 'loom.share_list', { remote: remote.name, tree: null });
  const [row] = await remote.query<{ is_own: string }>('SELECT cognition.greet($1, $2, $3, $4) AS is_own', [
    ...[hub, personName(), hostname(), version],
  ]);
  if (row?.is_own === 't') return hub;
  throw new HubError('unauthorised', `this home is known at ${remote.name} as one of another login`, {
    hint: `its owner can give it to you: UPDATE cognition.hubs SET login = '<your login>' WHERE id = '${hub}'`,
  });
}

function personName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'somebody'; // a user without a name in the system
  }
}
