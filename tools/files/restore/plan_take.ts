import type { Sha256 } from '../../../hub/protocol/node.js';
import type { BlobStore } from '../store/blob_store.js';
import type { Snapshots } from '../store/snapshot.js';
import { mergeKept } from './merge_texts.js';
import type { Change, Kept, RestorePlan } from './plan_restore.js';

/** What of another branch is wanted; paths as people write them. */
export interface TakeRequest {
  base: Sha256;
  target: Sha256;
  /** Files and folders; all when empty. */
  paths: readonly string[];
  /** Paths of which the target is taken where they cannot be merged. */
  theirs: readonly string[];
  look: boolean;
}

export type TakePlan = RestorePlan & { merged: string[] };

/** Narrows a plan to the paths that are wanted, merges what both sides have changed, and takes theirs where that was said. */
export function planTake(
  parts: { store: BlobStore; snapshots: Snapshots },
  { from, whole, wanted }: { from: Sha256; whole: RestorePlan; wanted: TakeRequest },
): TakePlan {
  const { base, target } = wanted;
  const isWanted = wanted.paths.length === 0 ? () => true : isAmong(wanted.paths);
  const narrow = {
    changes: whole.changes.filter(({ path }) => isWanted(path)),
    kept: whole.kept.filter(({ path }) => isWanted(path)),
    leadsTo: null,
  };
  const plan = mergeKept(parts, { base, target, from }, narrow);
  const isTheirs = isAmong(wanted.theirs);
  const { snapshots } = parts;
  const [now, other] = [snapshots.get(from), snapshots.get(target)];
  const changes: Change[] = [...plan.changes];
  const kept: Kept[] = [];
  for (const one of plan.kept) {
    if (!isTheirs(one.path)) kept.push(one);
    else {
      const [was, want] = [snapshots.find(now, one.path) ?? null, snapshots.find(other, one.path) ?? null];
      changes.push({ path: one.path, was, want });
    }
  }
  return { ...plan, changes, kept };
}

/** Whether a path, a byte string, is one of these or in one of them. */
function isAmong(paths: readonly string[]): (path: string) => boolean {
  const names = paths.map((path) => Buffer.from(path.replace(/^\.\//, '').replace(/\/+$/, '')).toString('latin1'));
  return (path) => names.some((name) => name === '.' || path === name || path.startsWith(`${name}/`));
}
