import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HubError } from '../error.js';

const ROOT = 0;

/**
 * Refuses the home of somebody else: what root wrote there would lock its owner out. One that is not there is nobody's, unless root
 * would make it for `sudo`, whose caller is known by number, in a folder of that caller.
 */
export function refuseForeignHome(home: string, sudoUser: string | undefined): void {
  const stats = statSync(home, { throwIfNoEntry: false });
  if (stats === undefined) refuseToMakeFor(home, sudoUser);
  if (stats === undefined || isOwn(stats)) return;
  throw new HubError('unauthorised', `the home folder ${home} belongs to another user`, {
    hint: `run this as its owner (sudo -u '#${stats.uid}' …), or set COGNITION_HOME to a folder of your own`,
  });
}

function refuseToMakeFor(home: string, sudoUser: string | undefined): void {
  if (sudoUser === undefined || process.getuid?.() !== ROOT) return;
  let parent = dirname(home);
  let stats = statSync(parent, { throwIfNoEntry: false });
  for (; stats === undefined; stats = statSync(parent, { throwIfNoEntry: false })) parent = dirname(parent);
  if (stats.uid === ROOT || stats.uid !== Number(sudoUser)) return;
  throw new HubError('unauthorised', `the home folder ${home} would be root's, in a folder of another user`, {
    hint: 'run this without sudo, or with sudo -H; or set COGNITION_HOME to a folder of your own',
  });
}

export function isOwn(stats: Stats): boolean {
  return process.getuid === undefined || stats.uid === process.getuid();
}
