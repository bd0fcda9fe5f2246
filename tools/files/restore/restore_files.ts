import { errnoOf } from '../../../hub/base/errno.js';
import { HubError } from '../../../hub/base/error.js';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { type PinnedEntry, pinIn, unpin } from '../../walk/pinned_folder.js';
import type { BlobStore } from '../store/blob_store.js';
import type { Snapshots } from '../store/snapshot.js';
import { applyChanges } from './apply_changes.js';
import { newDraftsName, removeDrafts, writeDrafts } from './draft_files.js';
import { noteInJournal, type Pending, type RestoreJournal, readJournal, writeJournal } from './journal.js';
import type { Kept, RestorePlan } from './plan_restore.js';
import { snapshotAfter } from './snapshot_after.js';

export interface RestoreParts {
  /** The pinned folder of the project. */
  project: PinnedEntry;
  store: BlobStore;
  snapshots: Snapshots;
  /** The file of the journal. */
  journal: string;
  /** Takes a snapshot of what is there. */
  record(): Sha256;
  /** Which names in a folder of drafts some process has open. */
  openIn(drafts: string): Promise<ReadonlySet<string>>;
}

export interface Restored {
  changed: number;
  kept: Kept[];
  /** What the project holds now. */
  to: Sha256;
}

/** Carries plans out, so that a kill leaves all old or, from the next start on, all new. */
export interface Restorer {
  /** Carries through, or puts away, what a killed process has left. */
  recover(): Promise<void>;
  perform(move: { from: Sha256; known: Pending['known'] }, plan: RestorePlan): Promise<Restored>;
}

export function createRestorer({ project, store, snapshots, journal, record, openIn }: RestoreParts): Restorer {
  async function apply({ drafts, from, changes }: Pending, isResumed: boolean): Promise<Kept[]> {
    const before = snapshots.get(from);
    const entry = pinIn(project, drafts);
    if (entry === null) return [];
    const modeBefore = (path: string): number | null => snapshots.find(before, path)?.mode ?? null;
    const parts = { root: project, drafts: entry, openIn: () => openIn(drafts), modeBefore, isResumed };
    try {
      return await applyChanges(parts, changes);
    } finally {
      unpin(entry);
    }
  }

  /** Without a plan what a killed process has left. */
  async function carryThrough(pending: Pending, plan: RestorePlan | null): Promise<{ kept: Kept[]; to: Sha256 }> {
    const { drafts, from, known } = pending;
    const kept = await apply(pending, plan === null);
    removeDrafts(project, drafts);
    // What others change meanwhile is theirs: it is not recorded as what the restore has brought.
    const expected = plan === null || kept.length > 0 ? null : snapshotAfter(snapshots, from, plan);
    if (expected !== null) store.flush();
    const to = expected ?? record();
    noteInJournal(journal, { pending: null, last: { from, to, known } });
    return { kept, to };
  }

  function putAway({ drafts }: Pending, last: RestoreJournal['last']): void {
    removeDrafts(project, drafts);
    noteInJournal(journal, { pending: null, last });
  }

  return {
    async recover() {
      const { pending, last } = readJournal(journal);
      if (pending?.state === 'applying') await carryThrough(pending, null);
      else if (pending !== null) putAway(pending, last);
    },
    async perform({ from, known }, plan) {
      const { changes, kept } = plan;
      if (changes.length === 0) return { changed: 0, kept, to: from };
      const { last } = readJournal(journal);
      // Nothing is changed yet: to put it away only the name of the folder is needed.
      const staging: Pending = { state: 'staging', drafts: newDraftsName(), from, known, changes: [] };
      noteInJournal(journal, { pending: staging, last });
      try {
        writeDrafts(project, staging.drafts, { store, changes });
      } catch (error) {
        putAway(staging, last);
        throw unwritable(error);
      }
      const applying: Pending = { ...staging, state: 'applying', changes };
      writeJournal(journal, { pending: applying, last });
      const { kept: left, to } = await carryThrough(applying, plan);
      const untouched = new Set(left.map(({ path }) => path));
      return { changed: changes.filter(({ path }) => !untouched.has(path)).length, kept: [...left, ...kept], to };
    },
  };
}

function unwritable(error: unknown): unknown {
  const code = errnoOf(error);
  if (code === null) return error;
  return new HubError('conflict', `no file was changed: the folder of the project cannot be written to (${code})`, {
    cause: error,
  });
}
