import { lstat } from 'node:fs/promises';
import { HubError } from '../../../hub/base/error.js';
import { isWithin } from '../../../hub/base/is_within.js';
import type { Policy } from '../../../hub/protocol/policy.js';
import type { MachinePaths } from '../../base/tool_parts.js';
import { copyNames } from '../../policy/copy_folder.js';
import { mayMakeFolder, mayRead, mayWrite } from '../../policy/path_rules.js';
import { fallbackOn, shownPath } from './file_errors.js';
import { isSame, type Pinned } from './pinned_path.js';
import type { SessionTmp } from './session_tmp.js';

/** A policy applied to real paths. */
export interface FileGuard {
  isOpen: boolean;
  mayRead(real: string): boolean;
  mayWrite(real: string): boolean;
  mayMakeFolder(real: string): boolean;
  /** Whether it lies where the conversations are kept. */
  isInHome(real: string): boolean;
}

/** What a call may touch by its policy, and in the `/tmp` of its session. */
export function guardOf(policy: Policy, machine: MachinePaths, tmp: Pick<SessionTmp, 'folder'> | null): FileGuard {
  if (policy.kind === 'open')
    return {
      isOpen: true,
      mayRead: () => true,
      mayWrite: () => true,
      mayMakeFolder: () => true,
      isInHome: () => false,
    };
  const isInTmp = (real: string): boolean => tmp !== null && isWithin(real, tmp.folder);
  const copy = copyNames(policy.copy, machine);
  /** By the name that a file of a copy has in the project, whose own files are out of reach then. */
  const allows = (rule: typeof mayRead, real: string): boolean =>
    isInTmp(real) || (copy?.isBeside(real) !== true && rule(copy?.nameOf(real) ?? real, policy, machine));
  return {
    isOpen: false,
    mayRead: (real) => allows(mayRead, real),
    mayWrite: (real) => allows(mayWrite, real),
    mayMakeFolder: (real) => allows(mayMakeFolder, real),
    isInHome: (real) => isWithin(real, machine.cognitionHome),
  };
}

/** Throws when the policy does not let a pinned file be read. */
export async function requireRead(guard: FileGuard, pinned: Pinned, name: string): Promise<void> {
  if (guard.mayRead(pinned.path)) return requireReachable(guard, pinned);
  // The message leaves out the real path: it may reveal folders that the policy hides.
  throw new HubError('unauthorised', `${shownPath(name)} is outside of what may be read here`, {
    hint: 'a path counts by where its symbolic links lead; ask the person to read it, or to allow its folder',
  });
}

// The path of a file reached through another process's root or folder means something else here.
export async function requireReachable(guard: FileGuard, pinned: Pinned): Promise<void> {
  if (guard.isOpen) return;
  const stats = await fallbackOn('any', lstat(pinned.path), null);
  if (stats !== null && isSame(stats, pinned.stats)) return;
  throw new HubError('conflict', `${shownPath(pinned.path)}: it changed while it was opened`, {
    hint: 'try again',
    retryable: true,
  });
}

export function requireWrite(guard: FileGuard, real: string, name: string): void {
  if (!guard.mayWrite(real)) throw notWritable(guard, real, name);
}

/** Throws when the policy does not let a folder be made. */
export function requireFolder(guard: FileGuard, real: string, name: string): void {
  if (!guard.mayMakeFolder(real)) throw notWritable(guard, real, name);
}

function notWritable(guard: FileGuard, real: string, name: string): HubError {
  if (guard.isInHome(real)) {
    return new HubError('unauthorised', `${shownPath(name)} lies where the conversations are kept`, {
      hint: 'the person is to start in the folder of a project',
    });
  }
  return new HubError('unauthorised', `${shownPath(name)} is outside of what may be written here`, {
    hint: 'a path counts by where its symbolic links lead; ask the person to write it, or to allow its folder',
  });
}
