import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { replaceFile, syncFile } from '../../hub/base/disk/durable_file.js';
import { HubError } from '../../hub/base/error.js';
import { attempt, valueOrNull } from '../sandbox/attempt.js';
import type { GitFolders } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';
import { type JobFolder, type JobParts, runGitJob } from './git_job.js';
import type { StatePaths } from './git_state.js';
import { copyWithTime, enterPerson, personFolder } from './person_git.js';
import { receivedPacks } from './receive_commits.js';

const Change = z.strictObject({ name: z.string(), from: z.string().nullable(), to: z.string().nullable() });

/** One change of the person's repository, as the journal has it. */
const TakeOverRecord = z.strictObject({
  id: z.string(),
  at_ms: z.int(),
  /** What it was, in words. */
  text: z.string(),
  refs: z.array(Change),
  head: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  /** The commits between which the index went; an empty text before the first one. */
  index: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  undone: z.boolean(),
});
export type TakeOverRecord = z.infer<typeof TakeOverRecord>;

const Journal = z.strictObject({
  /** What had begun and is not known to have ended; `lock`: the number of our lock of the index. */
  pending: z.strictObject({ taken: TakeOverRecord, lock: z.string().nullable() }).nullable(),
  taken: z.array(TakeOverRecord),
});
type Journal = z.infer<typeof Journal>;

const TAKEN_MAX = 100;
/** No git holds a lock of a ref for longer. */
const LOCK_MS_MAX = 1_000;

export interface PersonSide {
  paths: StatePaths;
  folders: GitFolders;
}

export function readJournal({ journal }: StatePaths): Journal {
  const text = valueOrNull(() => readFileSync(journal, 'utf8'));
  const parsed = Journal.safeParse(text === null ? null : valueOrNull((): unknown => JSON.parse(text)));
  return parsed.success ? parsed.data : { pending: null, taken: [] };
}

export function writeJournal({ journal }: StatePaths, content: Journal): void {
  replaceFile(journal, JSON.stringify(content));
}

/** Each ref that is still where it was; a transaction of all, or one after the other. */
const UPDATE = [
  'read -r head; read -r from; read -r text',
  'cat >/tmp/refs',
  'if ! git update-ref --create-reflog -m "$text" --stdin </tmp/refs; then',
  '  [ "$way" = again ] || exit 1',
  '  while read -r one; do echo "$one" | git update-ref --create-reflog -m "$text" --stdin || :; done </tmp/refs',
  'fi',
  'if [ -n "$head" ] && [ "$(git symbolic-ref -q HEAD)" = "$from" ]; then git symbolic-ref -m "$text" HEAD "$head"; fi',
].join('\n');

/**
 * Changes the person's repository, while its index is locked where that changes as well: to `scratch/index`. What has begun is
 * ended or taken back, whoever is killed.
 */
export async function writeToPerson(jobs: JobParts, side: PersonSide, taken: TakeOverRecord): Promise<void> {
  const { paths } = side;
  const journal = readJournal(paths);
  const lock = taken.index === null ? null : prepareIndex(side);
  writeJournal(paths, { ...journal, pending: { taken, lock } });
  try {
    bringPacks(side);
    if (lock !== null) lockIndex(side);
    await updateRefs(jobs, side, { taken, way: 'whole' });
  } catch (error) {
    unlockIndex(side, lock);
    writeJournal(paths, journal);
    throw error;
  }
  finish(side, taken, journal);
}

/** Ends what a killed process had begun, or takes it back where it had not come to the refs. */
export async function recover(jobs: JobParts, side: PersonSide): Promise<void> {
  const journal = readJournal(side.paths);
  if (journal.pending === null) return;
  const { taken, lock } = journal.pending;
  rmSync(draftOf(side), { force: true });
  if (taken.index !== null && (lock === null || numberOf(lockOf(side)) !== lock)) {
    writeJournal(side.paths, { ...journal, pending: null });
    return;
  }
  bringPacks(side);
  await removeLeftLocks(side, taken);
  await updateRefs(jobs, side, { taken, way: 'again' });
  finish(side, taken, journal);
}

/** Locks of our refs that a killed git has left: one that a living git holds is gone, or another, after a while. */
async function removeLeftLocks({ folders }: PersonSide, { refs, head }: TakeOverRecord): Promise<void> {
  const names = ['packed-refs', ...refs.map(({ name }) => name)].map((name) => join(folders.common, name));
  const locks = [...names, ...(head === null ? [] : [join(folders.own, 'HEAD')])].map((path) => `${path}.lock`);
  const held = locks.flatMap((path) => {
    const number = numberOf(path);
    return number === null ? [] : [{ path, number }];
  });
  if (held.length > 0) await wait(LOCK_MS_MAX);
  for (const { path, number } of held) if (numberOf(path) === number) rmSync(path, { force: true });
}

function finish(side: PersonSide, taken: TakeOverRecord, journal: Journal): void {
  if (taken.index !== null) renameSync(lockOf(side), join(side.folders.own, 'index'));
  writeJournal(side.paths, { pending: null, taken: [...journal.taken, taken].slice(-TAKEN_MAX) });
}

function lockOf({ folders }: PersonSide): string {
  return join(folders.own, 'index.lock');
}

function draftOf({ folders }: PersonSide): string {
  return join(folders.own, 'index.cognition');
}

/** Writes the new index beside the old one; returns its number, by which it is known when it is the lock. */
function prepareIndex(side: PersonSide): string {
  const draft = draftOf(side);
  const old = valueOrNull(() => statSync(join(side.folders.own, 'index')));
  rmSync(draft, { force: true });
  requireFile(join(side.paths.scratch, 'index'));
  copyWithTime(join(side.paths.scratch, 'index'), draft);
  // Its time stays: a file that was written in the same instant is compared by its content.
  if (old !== null) utimesSync(draft, Math.floor(old.mtimeMs) / 1_000, Math.floor(old.mtimeMs) / 1_000);
  chmodSync(draft, old === null ? 0o644 : old.mode & 0o777);
  syncFile(draft);
  return numberOf(draft) ?? '';
}

/** Locks the index as git does: with the file that will be the next one. */
function lockIndex(side: PersonSide): void {
  const failure = attempt(() => linkSync(draftOf(side), lockOf(side)));
  rmSync(draftOf(side), { force: true });
  const isChanged = digestOf(join(side.folders.own, 'index')) !== digestOf(join(side.paths.scratch, 'person/seen'));
  if (failure === null && !isChanged) return;
  throw new HubError('conflict', 'somebody else is changing the index of the repository; nothing was taken over', {
    hint: 'it is tried again at the end of the next turn',
    cause: failure,
  });
}

function unlockIndex(side: PersonSide, lock: string | null): void {
  rmSync(draftOf(side), { force: true });
  if (lock !== null && numberOf(lockOf(side)) === lock) rmSync(lockOf(side));
}

function numberOf(path: string): string | null {
  return valueOrNull(() => String(lstatSync(path).ino));
}

function digestOf(path: string): string | null {
  return valueOrNull(() => createHash('sha256').update(readFileSync(path)).digest('hex'));
}

/** The pack before its index, by which git finds it. */
function bringPacks({ paths, folders }: PersonSide): void {
  const from = join(paths.scratch, 'git/objects/pack');
  const to = join(folders.common, 'objects/pack');
  for (const name of valueOrNull(() => receivedPacks(paths)) ?? []) {
    for (const end of ['pack', 'idx']) {
      const draft = join(to, `tmp_cognition_${name}.${end}`);
      requireFile(join(from, `${name}.${end}`));
      copyFileSync(join(from, `${name}.${end}`), draft);
      syncFile(draft);
      renameSync(draft, join(to, `${name}.${end}`));
    }
    syncFile(to);
  }
}

/** A job could leave a link in the place of a file, if git itself were overcome by what it reads. */
function requireFile(path: string): void {
  if (kindOf(path) !== 'file') throw new HubError('resolve_failed', `${path} is no file`);
}

async function updateRefs(
  jobs: JobParts,
  { folders }: PersonSide,
  { taken, way }: { taken: TakeOverRecord; way: 'whole' | 'again' },
): Promise<void> {
  const { head, refs, text } = taken;
  // In there nothing is written but refs and logs.
  const held: JobFolder[] = ['hooks', 'objects', 'modules', 'info']
    .filter((name) => kindOf(join(folders.common, name)) === 'folder')
    .map((name) => ({ name: `person/${name}`, source: join(folders.common, name), writable: false }));
  const lines = refs.map(({ name, from, to }) =>
    to === null ? `delete ${name} ${from}` : `update ${name} ${to} ${from ?? '0'.repeat(to.length)}`,
  );
  await runGitJob(jobs, {
    script: [enterPerson(folders), `way=${way}`, UPDATE].join('\n'),
    folders: [personFolder(folders, true), ...held],
    input: [head?.to ?? '', head?.from ?? '', `cognition: ${text}`, ...lines, ''].join('\n'),
  }).catch((error: unknown) => {
    throw new HubError('conflict', 'the repository was changed by somebody else meanwhile; nothing was taken over', {
      hint: 'it is tried again at the end of the next turn',
      cause: error,
    });
  });
}
