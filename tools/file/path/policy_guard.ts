import { lstat } from 'node:fs/promises';
import { HubError } from '../../../hub/base/error.js';
import type { Policy } from '../../../hub/protocol/policy.js';
import type { MachinePaths } from '../../base/tool_parts.js';
import { mayRead, mayWrite } from '../../policy/path_rules.js';
import { fallbackOn, shownPath } from './file_errors.js';
import { isSame, type Pinned } from './pinned_path.js';

/** A policy applied to real paths. */
export interface FileGuard {
  isOpen: boolean;
  mayRead(real: string): boolean;
  mayWrite(real: string): boolean;
}

export function guardOf(policy: Policy, machine: MachinePaths): FileGuard {
  if (policy.kind === 'open') return { isOpen: true, mayRead: () => true, mayWrite: () => true };
  return {
    isOpen: false,
    mayRead: (real) => mayRead(real, policy, machine),
    mayWrite: (real) => mayWrite(real, policy, machine),
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
  if (guard.mayWrite(real)) return;
  throw new HubError('unauthorised', `${shownPath(name)} is outside of what may be written here`, {
    hint: 'a path counts by where its symbolic links lead; ask the person to write it, or to allow its folder',
  });
}
