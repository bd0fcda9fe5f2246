import { dirname } from 'node:path';
import { repositoryAt } from './repository.js';
import { withRoot } from './resolve_below.js';

/** The top of the repository that a folder lies in, whose rules hold there; the folder itself outside of any. */
export function repositoryTop(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const isTop = withRoot(at, ({ entry }) => repositoryAt(entry, { depth: 0, ownIgnoreFile: null }) !== null);
    if (isTop === true) return at;
    if (at === dirname(at)) return folder;
  }
}
