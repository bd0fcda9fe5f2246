import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { isFolder } from './machine.js';
import { answer } from './try_errno.js';

/**
 * Makes room in a session's temporary folder for a path of the policy that lies right below `/tmp`. What commands of the
 * session have put there in its place is refused: a link would lead the mount elsewhere.
 */
export function makeRoomFor(path: string, tmp: string): void {
  const room = join(tmp, basename(path));
  const found = answer(() => lstatSync(room));
  const isWanted = isFolder(path) ? found?.isDirectory() : found?.isFile();
  if (found === null && isFolder(path)) mkdirSync(room, { mode: 0o755 });
  if (found === null && !isFolder(path)) writeFileSync(room, '', { flag: 'wx' });
  if (found === null || isWanted) return;
  throw new HubError('sandbox_unavailable', `${room} stands where ${path} belongs`, {
    hint: 'open a new session: a command of this one has put it there',
  });
}
