import { errnoOf } from '../../hub/base/errno.js';

/** Whether a process exists; EPERM means that it does, as another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
