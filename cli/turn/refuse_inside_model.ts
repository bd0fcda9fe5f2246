import { HubError } from '../../hub/base/error.js';
import { environment } from '../../hub/config/config.js';
import { shortId } from '../render/text/ids_and_counts.js';

/**
 * Refuses what lets a model work where a model runs this program: one that wants help has spawn_session. This is for those
 * who mean well; what keeps the others is the sandbox, in which there is no hub, no key and no network.
 */
export function refuseInside(command: string): void {
  const tree = environment('COGNITION_SESSION');
  if (tree === undefined) return;
  throw new HubError('unauthorised', `${command} is not for models: this command runs in the tree ${shortId(tree)}`, {
    hint: 'a model that may start sub-sessions has the tool spawn_session',
  });
}
