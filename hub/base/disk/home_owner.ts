import { type Stats, statSync } from 'node:fs';
import { HubError } from '../error.js';

/** Refuses the home of somebody else: what root wrote there would lock its owner out. One that is not there is nobody's. */
export function refuseForeignHome(home: string): void {
  const stats = statSync(home, { throwIfNoEntry: false });
  if (stats === undefined || isOwn(stats)) return;
  throw new HubError('unauthorised', `the home folder ${home} belongs to another user`, {
    hint: `run this as its owner (sudo -u '#${stats.uid}' …), or set COGNITION_HOME to a folder of your own`,
  });
}

export function isOwn(stats: Stats): boolean {
  return process.getuid === undefined || stats.uid === process.getuid();
}
