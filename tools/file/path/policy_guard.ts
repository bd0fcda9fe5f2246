import { lstat } from 'node:fs/promises';
import { HubError } from '../../../hub/base/error.js';
import type { Policy } from '../../../hub/protocol/policy.js';
import type { MachinePaths } from '../../base/parts.js';
import { mayRead, mayWrite } from '../../policy/path_rules.js';
import { shownPath, unless } from './file_errors.js';
import { isSame, type Pinned } from './pinned_path.js';

/** What a policy says about real paths. */
export interface FileGuard {
  isOpen: boolean;
  mayRead(real: string): boolean;
  mayWrite(real: string): boolean;
}

export function guardOf(policy: Policy, place: MachinePaths): FileGuard {
  if (policy.kind === 'open') return { isOpen: true, mayRead: () => true, mayWrite: () => true };
  return {
    isOpen: false,
    mayRead: (real) => mayRead(real, policy, place),
    mayWrite: (real) => mayWrite(real, policy, place),
  };
}

/** Refuses what is held when a policy does not let it be read. */
export async function requireRead(guard: FileGuard, held: Pinned, asked: string): Promise<void> {
  if (guard.mayRead(held.path)) return requireReachable(guard, held);
  // The real path is not told: it may say something about folders that the policy hides.
  throw new HubError('unauthorised', `${shownPath(asked)} is outside of what may be read here`, {
    hint: 'a path counts by where its symbolic links lead; ask the person to read it, or to allow its folder',
  });
}

// A file that is reached through another process's root or folder has a path that means something else here.
export async function requireReachable(guard: FileGuard, held: Pinned): Promise<void> {
  if (guard.isOpen) return;
  const stats = await unless('any', lstat(held.path), null);
  if (stats !== null && isSame(stats, held.stats)) return;
  throw new HubError('conflict', `${shownPath(held.path)}: it changed while it was opened`, {
    hint: 'try again',
    retryable: true,
  });
}

export function requireWrite(guard: FileGuard, real: string, asked: string): void {
  if (guard.mayWrite(real)) return;
  throw new HubError('unauthorised', `${shownPath(asked)} is outside of what may be written here`, {
    hint: 'a path counts by where its symbolic links lead; ask the person to write it, or to allow its folder',
  });
}
