import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { cliOption } from '../../hub/base/hint.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { mayRead } from '../policy/path_rules.js';
import { valueOrNull } from '../sandbox/attempt.js';

/**
 * The folder in which a command starts: the one asked for, else that of its branch, else that of its session. A model's begins in the
 * session's when the other is gone.
 */
export function folderFor(
  from: { folder: string | null; branch: string | null; session: string; isModels: boolean },
  policy: Policy,
  machine: MachinePaths,
): string {
  const base = from.branch ?? from.session;
  const wanted = from.folder === null ? base : resolve(base, from.folder);
  const folder = from.isModels && !isFolder(wanted) ? from.session : wanted;
  refuseUnusable(folder);
  if (policy.kind === 'open') return folder;
  const real = realpathSync(folder);
  if (mayRead(real, policy, machine)) return real;
  throw new HubError('invalid_params', `the folder ${JSON.stringify(folder)} is not visible to this session`, {
    hint: 'its policy names the folders that its commands may read and write',
  });
}

function refuseUnusable(folder: string): void {
  const shown = JSON.stringify(folder);
  const hint = ['run it in another folder: ', cliOption('cwd', '<folder>')];
  try {
    if (!statSync(folder).isDirectory()) throw new HubError('invalid_params', `${shown} is not a folder`, { hint });
    accessSync(folder, constants.X_OK);
  } catch (error) {
    if (error instanceof HubError) throw error;
    const code = errnoOf(error);
    if (code === 'EACCES' || code === 'EPERM') {
      throw new HubError('invalid_params', `the folder ${shown} may not be entered`, { hint, cause: error });
    }
    throw new HubError('not_found', `the folder ${shown} is not there (any more)`, { hint, cause: error });
  }
}

/** The folder in which the next command starts after one that ended in `end`. */
export function folderAfter(
  end: string,
  begin: string,
  { policy, machine }: { policy: Policy; machine: MachinePaths },
) {
  if (policy.kind === 'open') return end;
  // A folder that exists only inside, such as one in the private /tmp, cannot be started in.
  return isFolder(end) && mayRead(realpathSync(end), policy, machine) ? end : begin;
}

/** What cannot be looked at, such as links in a circle that a model made, is none. */
function isFolder(path: string): boolean {
  return valueOrNull(() => statSync(path, { throwIfNoEntry: false })?.isDirectory()) === true;
}

/** Finds bash, even when a command has broken the search path. */
export function findBash(paths: readonly (string | undefined)[]): string {
  for (const folder of paths.flatMap((path) => path?.split(delimiter) ?? [])) {
    if (!folder.startsWith('/')) continue;
    const file = join(folder, 'bash');
    if (isProgram(file)) return file;
  }
  throw new HubError('not_found', 'bash was not found in PATH', { hint: 'install it: commands are run by bash' });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // it is in another folder
  }
}
