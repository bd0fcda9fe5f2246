import type { Stats } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { pin, realPathOf, unpin } from './pinned_folder.js';

/** The same for a folder however it is reached, as by the place where a sandbox mounts it. */
export function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** Of a folder by its real path; refused where that leads elsewhere now: somebody has put a link in its place. */
export function identityOfPath(path: string): string {
  const entry = pin(path);
  if (entry === null) throw new HubError('not_found', 'the folder of the project is not there (any more)');
  try {
    if (realPathOf(entry) !== path) throw exchangedFolder();
    return identityOf(entry.stats);
  } finally {
    unpin(entry);
  }
}

export function exchangedFolder(): HubError {
  return new HubError(
    'conflict',
    'the folder of the project was exchanged while it was opened: nothing of it was read',
    {
      hint: 'look who renames it, then try again',
    },
  );
}
