import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { valueOrNull } from './attempt.js';
import { isFolder } from './machine.js';

/**
 * Makes a mount point in a session's temporary folder for a path of the policy right below `/tmp`. Anything else that commands
 * of the session have put there is refused: a link would lead the mount elsewhere.
 */
export function makeTmpMountPoint(path: string, tmp: string): void {
  const mountPoint = join(tmp, basename(path));
  const existing = valueOrNull(() => lstatSync(mountPoint));
  const fits = isFolder(path) ? existing?.isDirectory() : existing?.isFile();
  if (existing === null && isFolder(path)) mkdirSync(mountPoint, { mode: 0o755 });
  if (existing === null && !isFolder(path)) writeFileSync(mountPoint, '', { flag: 'wx' });
  if (existing === null || fits) return;
  throw new HubError('sandbox_unavailable', `${mountPoint} stands where ${path} belongs`, {
    hint: 'open a new session: a command of this one has put it there',
  });
}
