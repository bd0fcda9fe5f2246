import { errnoOf } from '../../hub/base/errno.js';

/** Whether a process runs. One of another person cannot be asked, but it is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
