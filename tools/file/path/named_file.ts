import { realpathSync } from 'node:fs';
import { HubError } from '../../../hub/base/error.js';
import { attempt } from '../../walk/pinned_folder.js';
import { resolveBelow, withRoot } from '../../walk/resolve_below.js';
import { shownPath } from './file_errors.js';

/**
 * Where the name of a file really leads. Whoever names a file of a project means one of its own: a link in the folder `held` that leads
 * out of it is refused, because a model may have put it there.
 */
export function realNameOf(absolute: string, held: string): string {
  const found = withRoot('/', (top) => resolveBelow(top, { path: absolute, held }, (_, real) => real));
  if (found?.kind === 'found') return found.value;
  // What is not there is told by whoever opens it; what comes meanwhile must be there itself.
  if (found?.kind !== 'outside') return absolute;
  const real = attempt(() => realpathSync.native(absolute));
  throw new HubError('unauthorised', `${shownPath(found.link)} is a link that leads out of the project`, {
    hint: real === null ? 'name a file of the project' : `if you mean that file, name it: ${shownPath(real)}`,
  });
}
