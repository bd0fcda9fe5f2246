import { HubError } from '../../hub/base/error.js';
import { environment } from '../../hub/config/config.js';
import { shortId } from '../render/text/ids_and_counts.js';

/**
 * Refuses the commands that start a model when a model runs this program: for help it has the tool spawn_session. This only
 * guides well-meaning models; what confines the others is the sandbox, which has no hub, no key and no network.
 */
export function refuseInside(command: string): void {
  const tree = environment('COGNITION_SESSION');
  if (tree === undefined) return;
  throw new HubError('unauthorised', `${command} is not for models: this command runs in the tree ${shortId(tree)}`, {
    hint: 'a model that may start sub-sessions has the tool spawn_session',
  });
}
