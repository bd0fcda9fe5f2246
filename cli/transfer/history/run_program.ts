import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { errnoOf } from '../../../hub/base/errno.js';
import { HubError } from '../../../hub/base/error.js';

const TIME_MS_MAX = 60_000;
const SHOWN_LENGTH_MAX = 2_000;

/** Runs a program of the person to its end; fails with what it said when that is not well. */
export async function runProgram([program, ...words]: readonly [string, ...string[]], cwd: string): Promise<void> {
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: TIME_MS_MAX });
  const said = text(child.stderr);
  const [code] = await once(child, 'close').catch((error: unknown) => Promise.reject(notStarted(program, error)));
  if (code === 0) return;
  const reason = (await said).trim().slice(-SHOWN_LENGTH_MAX);
  throw new HubError('unreachable', `${program} ${words[0] ?? ''} failed${reason === '' ? '' : `: ${reason}`}`);
}

export function notStarted(program: string, cause: unknown): HubError {
  if (errnoOf(cause) !== 'ENOENT') return new HubError('unreachable', `${program} cannot be started`, { cause });
  return new HubError('not_found', `${program} is not installed here`, {
    hint: 'install it, or open the branch in another agent',
    cause,
  });
}
