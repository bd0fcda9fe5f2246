import { existsSync, realpathSync } from 'node:fs';
import { HubError } from '../base/error.js';
import { cliOption } from '../base/hint.js';
import { isWithin } from '../base/is_within.js';
import type { Grants } from '../protocol/turn.js';
import { userHome } from './config.js';

const HOMES = ['/home', '/Users'];

/** Whether a folder, by its real path, holds a whole home folder. */
export function holdsHome(folder: string): boolean {
  return [realUserHome(), ...HOMES].some((home) => isWithin(home, folder));
}

/** A model is not let loose on a whole home folder, or more, unless the person insists. */
export function refuseWholeHome(
  project: string,
  { whole_home, unsandboxed }: Partial<Pick<Grants, 'whole_home' | 'unsandboxed'>>,
): void {
  if (whole_home || unsandboxed || !holdsHome(project)) return;
  const what = project === realUserHome() ? 'is your home folder' : 'holds home folders';
  throw new HubError('unauthorised', `${project} ${what}: a model does not work on all of that`, {
    hint: [
      'go to the folder of a project, or insist with ',
      cliOption('here', ''),
      ': then it may read and change what lies there, but for secrets and hidden files',
    ],
  });
}

/** The person's home folder by its real path; a missing one as it is named. */
function realUserHome(): string {
  return existsSync(userHome()) ? realpathSync(userHome()) : userHome();
}
