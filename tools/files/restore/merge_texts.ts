import { applyPatch, structuredPatch } from 'diff';
import type { Sha256 } from '../../../hub/protocol/node.js';
import type { BlobStore } from '../store/blob_store.js';
import { getContent, putContent, type Snapshots } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';
import type { Change, Kept, RestorePlan } from './plan_restore.js';

const TEXT_BYTES_MAX = 4 * 1024 * 1024;
const EDIT_LENGTH_MAX = 20_000;
const CONTEXT_LINES = 3;

type Stored = { store: BlobStore; snapshots: Snapshots };
type Ends = Record<'base' | 'target' | 'from', Sha256>;

/** Merges, line by line, what a plan would keep because both sides have changed it. What cannot be merged is kept. */
export function mergeKept(
  { store, snapshots }: Stored,
  ends: Ends,
  plan: RestorePlan,
): RestorePlan & { merged: string[] } {
  const [base, target, from] = [snapshots.get(ends.base), snapshots.get(ends.target), snapshots.get(ends.from)];
  const differing = new Set(snapshots.diff(base, target).map(({ path }) => path));
  const changes: Change[] = [...plan.changes];
  const kept: Kept[] = [];
  const merged: string[] = [];
  // What only this side has changed stays, and need not be told.
  for (const one of plan.kept.filter(({ path }) => differing.has(path))) {
    const [before, after, have] = [base, target, from].map((snapshot) => snapshots.find(snapshot, one.path));
    const want = mergedEntry(store, { before: before ?? null, after: after ?? null, have: have ?? null });
    if (want === null) kept.push({ path: one.path, why: 'changed here and there: nothing of it was taken' });
    else {
      changes.push({ path: one.path, was: have ?? null, want });
      merged.push(one.path);
    }
  }
  store.flush();
  return { changes, kept, merged, leadsTo: null };
}

function mergedEntry(
  store: BlobStore,
  { before, after, have }: Record<'before' | 'after' | 'have', TreeEntry | null>,
): TreeEntry | null {
  const texts = [before, after, have].map((entry) => textOf(store, entry));
  const [old, theirs, ours] = texts;
  if (old == null || theirs == null || ours == null || have === null) return null;
  const options = { context: CONTEXT_LINES, maxEditLength: EDIT_LENGTH_MAX };
  const patch = structuredPatch('', '', old, theirs, '', '', options);
  const text = patch === undefined ? false : applyPatch(ours, patch, { autoConvertLineEndings: false });
  if (text === false) return null;
  const bytes = Buffer.from(text, 'latin1');
  return { ...putContent(store, bytes), mode: have.mode, size: bytes.length };
}

/** A text as a byte string; null for what is none. */
function textOf(store: BlobStore, entry: TreeEntry | null): string | null {
  if (entry === null || entry.kind === 'folder' || entry.kind === 'link' || entry.size > TEXT_BYTES_MAX) return null;
  const content = getContent(store, entry);
  return content.includes(0) ? null : content.toString('latin1');
}
