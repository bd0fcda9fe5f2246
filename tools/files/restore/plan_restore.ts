import * as z from 'zod';
import { Sha256 } from '../../../hub/protocol/node.js';
import type { Difference, Snapshot, Snapshots } from '../store/snapshot.js';
import { isSameEntry, type TreeEntry } from '../store/tree_format.js';

const Entry = z.strictObject({
  kind: z.enum(['file', 'pieces', 'link', 'folder']),
  mode: z.int(),
  size: z.int(),
  sha256: Sha256,
});

/** What is to be done at a path, a byte string; null for nothing there. */
export const Change = z.strictObject({ path: z.string(), was: Entry.nullable(), want: Entry.nullable() });
export type Change = z.infer<typeof Change>;

/** A path that stays as it is, and why. */
export interface Kept {
  path: string;
  why: string;
}

export interface RestorePlan {
  changes: Change[];
  kept: Kept[];
  /** What the project holds when all of it is carried out; null where that is to be computed. */
  leadsTo: Snapshot | null;
}

/**
 * Plans how a project comes from what it was to what it is to be, by what it holds now: a path that still is as it was is changed,
 * one that somebody else has changed meanwhile stays.
 */
export function planRestore(
  snapshots: Snapshots,
  { now, base, target }: Record<'now' | 'base' | 'target', Snapshot>,
): RestorePlan {
  const plan: RestorePlan = { changes: [], kept: [], leadsTo: null };
  const leftOut = [now, base, target].flatMap((snapshot) => snapshot.left_out);
  const isAsBefore = now.tree === base.tree;
  for (const { path, before, after } of snapshots.diff(base, target)) {
    const have = isAsBefore ? before : snapshots.find(now, path);
    if (isSameEntry(have, after)) continue;
    const unrecorded = leftOut.find((one) => one.path === '' || path === one.path || path.startsWith(`${one.path}/`));
    if (unrecorded !== undefined) plan.kept.push({ path, why: `not recorded: ${unrecorded.why}` });
    else if (isOpenTo({ have, before, after })) plan.changes.push({ path, was: have, want: after });
    else if (have?.kind !== 'folder' || after?.kind !== 'folder') plan.kept.push({ path, why: CHANGED });
  }
  if (!isAsBefore) return withOthers(plan, snapshots.diff(target, now));
  return plan.kept.length > 0 ? plan : { ...plan, leadsTo: { tree: target.tree, left_out: now.left_out } };
}

/** Adds what differs in the end and is not told yet: somebody else has changed it. */
function withOthers({ changes, kept }: RestorePlan, left: readonly Difference[]): RestorePlan {
  const told = new Set([...changes, ...kept].map(({ path }) => path));
  const others = left.filter(({ path, before, after }) => {
    return before?.kind !== 'folder' && after?.kind !== 'folder' && !told.has(path);
  });
  return { changes, kept: [...kept, ...others.map(({ path }) => ({ path, why: CHANGED }))], leadsTo: null };
}

const CHANGED = 'changed since';

interface ThreeWays {
  have: TreeEntry | null;
  before: TreeEntry | null;
  after: TreeEntry | null;
}

/** Whether what is there may be replaced. What is in a folder is looked at path by path. */
function isOpenTo({ have, before, after }: ThreeWays): boolean {
  if (have?.kind === 'folder' && before?.kind === 'folder')
    return after?.kind !== 'folder' || have.mode === before.mode;
  return isSameEntry(have, before);
}
