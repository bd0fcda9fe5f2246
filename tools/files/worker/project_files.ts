import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import type { Sha256, TurnId } from '../../../hub/protocol/node.js';
import type { PinnedEntry } from '../../walk/pinned_folder.js';
import { type FilePatch, patchOf } from '../patch/git_patch.js';
import { emptyFolder } from '../restore/empty_folder.js';
import { readJournal, writeJournal } from '../restore/journal.js';
import { planRestore, type RestorePlan } from '../restore/plan_restore.js';
import { planTake, type TakePlan, type TakeRequest } from '../restore/plan_take.js';
import { createRestorer, type Restored } from '../restore/restore_files.js';
import { openKnownFiles } from '../scan/known_files.js';
import type { ScanLimits } from '../scan/scan_limits.js';
import { createScanner, type Scan } from '../scan/scan_project.js';
import { openBlobStore } from '../store/blob_store.js';
import { type Difference, getContent, type Snapshots, snapshotsIn } from '../store/snapshot.js';
import { isSameEntry } from '../store/tree_format.js';

export interface ProjectFilesParts {
  /** The folder that belongs to the project in the store. */
  folder: string;
  /** The turn whose copy the project is; null for the project itself. */
  copy: TurnId | null;
  /** The pinned top of the repository that the project lies in, the project itself, and the names between. */
  top: PinnedEntry;
  project: PinnedEntry;
  start: readonly string[];
  ownIgnoreFile: Buffer | null;
  clock(): number;
  /** Which names in a folder of drafts some process has open. */
  openIn(drafts: string): Promise<ReadonlySet<string>>;
}

/** How files are to come from one snapshot to another. */
export interface Move {
  /** What the conversation knows of: what differs from it is somebody else's, and stays unless `exact`. */
  base: Sha256;
  target: Sha256;
  exact: boolean;
}

/** How files are taken along. */
export interface GuardedMove {
  base: Sha256;
  target: Sha256;
  /** What was recorded last, by whatever conversation. */
  known: Sha256;
  changes: 'ask' | 'carry' | 'leave';
}

/** The snapshots of one project, and its way back to them. One process at a time may use the folder. */
export interface ProjectFiles {
  /** Carries through, or puts away, what a killed process has left of a restore. */
  recover(): Promise<void>;
  scan(limits?: Partial<ScanLimits>): Scan;
  diff(before: Sha256, after: Sha256): Difference[];
  patch(difference: Difference): FilePatch;
  plan(move: Move): RestorePlan;
  restore(move: Move): Promise<Restored>;
  /** Comes from what one conversation knows of to what it is to be. `done` is null when there is a person's word to be had first. */
  move(steps: GuardedMove): Promise<{ from: Sha256; own: Difference[]; done: Restored | null }>;
  /** Brings what somebody has made of a base elsewhere here; texts that differ from both are merged. */
  take(wanted: TakeRequest): Promise<{ done: Restored; plan: TakePlan }>;
  /** Removes all that is in a copy. */
  empty(): void;
  /** Takes the last restore back; again, it does it anew. Returns what the conversation knows of then. */
  undo(): Promise<Restored & { root: Sha256 }>;
  bytes(): number;
  /** To be called in the end: notes what need not be read again. */
  close(): void;
}

const STORE_BYTES_MAX = 10 * 1_024 ** 3;
const FREE_BYTES_LEAST = 1_024 ** 3;
export const JOURNAL = 'journal.json';
export const PACKS = 'packs';
const STAT_CACHE = 'stat-cache';
/** Is there when the project was recorded once. */
const RECORDED = 'recorded';
const MIB = 1024 * 1024;
const FILE_BYTES_MAX = 50_000_000;
const FIRST: ScanLimits = {
  ...{ fileBytes: FILE_BYTES_MAX, files: 200_000 },
  ...{ newFiles: Number.POSITIVE_INFINITY, newBytes: 4_096 * MIB, ms: 60_000 },
};
const EVERYTHING = {
  newFiles: Number.POSITIVE_INFINITY,
  newBytes: Number.POSITIVE_INFINITY,
  ms: Number.POSITIVE_INFINITY,
};
/** What one step adds at most: more is what programs have made. */
const LATER = { newFiles: 10_000, newBytes: 256 * MIB };

export function openProjectFiles(parts: ProjectFilesParts): ProjectFiles {
  const { folder, project } = parts;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const state = copyStateIn(folder, parts.copy);
  const journal = join(state, JOURNAL);
  const store = openBlobStore(join(folder, PACKS));
  const snapshots = snapshotsIn(store);
  const known = openKnownFiles(join(state, STAT_CACHE), store.has);
  const scanner = createScanner({ store, snapshots, known, clock: parts.clock });

  function scan(limits: Partial<ScanLimits> = {}): Scan {
    refuseFull(store.bytes(), folder);
    const mark = join(state, RECORDED);
    const isFirst = !existsSync(mark);
    const found = scanner(parts, { ...FIRST, ...(isFirst ? {} : LATER), ...limits });
    if (isFirst) writeFileSync(mark, '', { mode: 0o600 });
    return found;
  }

  /** Before files are replaced what is there must be recorded, however much it is. */
  const record = (): Sha256 => scan(EVERYTHING).root;
  const restorer = createRestorer({ project, store, snapshots, journal, record, openIn: parts.openIn });

  const planFrom = (now: Sha256, move: Move): RestorePlan => planOf(snapshots, now, move);

  return {
    recover: restorer.recover,
    scan,
    diff: (before, after) => snapshots.diff(snapshots.get(before), snapshots.get(after)),
    patch: (difference) => patchOf(difference, (entry) => getContent(store, entry)),
    plan: (move) => planFrom(record(), move),
    async restore(move) {
      const from = record();
      return restorer.perform({ from, known: { from: move.base, to: move.target } }, planFrom(from, move));
    },
    async move({ base, target, known, changes }) {
      const from = record();
      const own = ownChanges(snapshots, { known, from, target });
      if (changes === 'ask' && own.length > 0) return { from, own, done: null };
      const plan = planFrom(from, { base, target, exact: changes === 'leave' });
      // What both places have is carried along, and need not be told.
      const differing = new Set(snapshots.diff(snapshots.get(base), snapshots.get(target)).map(({ path }) => path));
      const kept = changes === 'leave' ? plan.kept : plan.kept.filter(({ path }) => differing.has(path));
      const ends = { from, known: { from: base, to: target } };
      return { from, own, done: await restorer.perform(ends, { ...plan, kept }) };
    },
    async take(wanted) {
      const [from, { base, target, look }] = [record(), wanted];
      const whole = planFrom(from, { base, target, exact: false });
      const plan = planTake({ store, snapshots }, { from, whole, wanted });
      if (look) return { done: { changed: plan.changes.length, kept: plan.kept, to: from }, plan };
      return { done: await restorer.perform({ from, known: { from: base, to: target } }, plan), plan };
    },
    empty: () => emptyFolder(project.at),
    async undo() {
      const { last } = readJournal(journal);
      if (last === null) throw new HubError('not_found', 'no files were restored here that could be taken back');
      const from = record();
      const known = { from: last.known.to, to: last.known.from };
      const plan = planFrom(from, { base: last.to, target: last.from, exact: false });
      return { ...(await restorer.perform({ from, known }, plan)), root: known.to };
    },
    bytes: () => store.bytes(),
    close: () => known.save(),
  };
}

function planOf(snapshots: Snapshots, now: Sha256, { base, target, exact }: Move): RestorePlan {
  const present = snapshots.get(now);
  return planRestore(snapshots, {
    now: present,
    base: exact ? present : snapshots.get(base),
    target: snapshots.get(target),
  });
}

/** What differs from what was recorded last, and is not as it is to be: a person's changes. */
function ownChanges(snapshots: Snapshots, { known, from, target }: Record<'known' | 'from' | 'target', Sha256>) {
  const wanted = snapshots.get(target);
  return snapshots
    .diff(snapshots.get(known), snapshots.get(from))
    .filter(({ before, after }) => before?.kind !== 'folder' && after?.kind !== 'folder')
    .filter(({ path, after }) => !isSameEntry(after, snapshots.find(wanted, path)));
}

/** Where the state of a copy lies that is not the project's. */
function copyStateIn(folder: string, copy: TurnId | null): string {
  if (copy === null) return folder;
  const own = join(folder, 'copies', `${copy}.state`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  return own;
}

/** Refuses to store more where a limit is reached. */
export function refuseFull(bytes: number, folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bytes <= STORE_BYTES_MAX && bavail * bsize >= FREE_BYTES_LEAST) return;
  const why = bytes > STORE_BYTES_MAX ? 'what is recorded of it has 10 GiB' : 'less than 1 GiB is free';
  throw new HubError('limit', `the files of the project were not recorded: ${why}`, {
    hint: 'nothing is deleted by itself: purge conversations that are not needed',
  });
}

/** Removes from a store what none of these snapshots needs. Nobody may use it meanwhile. */
export function sweepStore(folder: string, roots: readonly Sha256[]): void {
  const journal = join(folder, JOURNAL);
  const { pending } = readJournal(journal);
  // What could be taken back may be what is to go.
  writeJournal(journal, { pending, last: null });
  // It names paths.
  rmSync(join(folder, STAT_CACHE), { force: true });
  const store = openBlobStore(join(folder, PACKS));
  const snapshots = snapshotsIn(store);
  const needed = new Set<Sha256>();
  for (const root of [...roots, ...(pending === null ? [] : [pending.from])]) {
    if (!snapshots.addBlobs(root, needed)) throw unsweepable(folder);
  }
  for (const change of pending?.changes ?? []) if (change.want !== null) snapshots.addContent(change.want, needed);
  store.sweep((sha256) => needed.has(sha256));
}

/** What a damaged tree needs is not known: it may be whole again one day. */
function unsweepable(folder: string): HubError {
  return new HubError('storage_failed', `nothing was removed from ${folder}: files of a snapshot are lost or damaged`, {
    hint: ['what was purged is still in its packs; see what is damaged: ', cliCommand('fsck')],
  });
}
