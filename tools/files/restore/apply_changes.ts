import { chmodSync, linkSync, mkdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type PinnedEntry, pinIn, unpin } from '../../walk/pinned_folder.js';
import { entryPath } from '../scan/entry_path.js';
import { statOf } from '../scan/folder_state.js';
import type { TreeEntry } from '../store/tree_format.js';
import { hasContent, isOther } from './entry_content.js';
import type { Change, Kept } from './plan_restore.js';
import { callIn, foldersAbove, inFolderOf } from './project_folder.js';
import { errorOf, wordsFor } from './system_call.js';

export interface ApplyParts {
  root: PinnedEntry;
  /** The pinned folder of drafts. */
  drafts: PinnedEntry;
  /** Which of the names in the folder of drafts some process has open. */
  openIn(drafts: PinnedEntry): Promise<ReadonlySet<string>>;
  /** The mode that a folder had before, for one that had to be opened; null when it was not there. */
  modeBefore(folder: string): number | null;
  /** Whether a process that was killed may have done a part of it. */
  isResumed: boolean;
}

/** A file of a change, or its folder. */
interface Step {
  path: string;
  was: TreeEntry | null;
  want: TreeEntry | null;
  /** Names the change's files in the folder of drafts. */
  index: number;
}

const OPEN_TRIES = 20;
const OPEN_WAIT_MS = 10;

/**
 * Carries changes through whose new files are staged; also those of which a killed process has done a part. Nothing is overwritten: what
 * stands in the way is renamed into the folder of drafts, must be what the store holds, and only then goes. A new file is linked to its
 * name, which fails when somebody has taken it. Returns what stays as it is.
 */
export async function applyChanges(parts: ApplyParts, changes: readonly Change[]): Promise<Kept[]> {
  const kept: Kept[] = [];
  const keep = (path: string, code: string | null): void => {
    if (code !== null) kept.push({ path, why: wordsFor(code) });
  };
  const steps = changes.map((change, index): Step => ({ ...change, index }));
  const files = steps.map((step) => ({ ...step, was: fileOf(step.was), want: fileOf(step.want) }));
  const folders = steps.map((step) => ({ ...step, was: folderOf(step.was), want: folderOf(step.want) }));
  for (const step of files.filter(isRemoval)) keep(step.path, replaceFile(parts, step));
  // The inner ones first.
  for (const { path } of folders.filter(isRemoval).toReversed()) keep(path, removeFolder(parts, path));
  for (const { path } of folders.filter(isNew)) keep(path, makeFolder(parts, path));
  for (const step of files.filter(({ want }) => want !== null)) keep(step.path, replaceFile(parts, step));
  setModes(parts, folders);
  return [...kept, ...(await removeOld(parts, files))];
}

const isRemoval = ({ was, want }: Step): boolean => was !== null && want === null;
const isNew = ({ was, want }: Step): boolean => was === null && want !== null;
const fileOf = (entry: TreeEntry | null): TreeEntry | null => (entry?.kind === 'folder' ? null : entry);
const folderOf = (entry: TreeEntry | null): TreeEntry | null => (entry?.kind === 'folder' ? entry : null);

/** Returns the code of what kept a file from being replaced. */
function replaceFile(parts: ApplyParts, step: Step): string | null {
  const may = step.want === null ? 'open' : 'make';
  return callIn(parts.root, { path: step.path, may }, (at) => replaceAt(at, parts, step));
}

function replaceAt(at: string | Buffer, { drafts, isResumed }: ApplyParts, { was, want, index }: Step): string | null {
  const draft = `${drafts.at}/${index}.new`;
  const old = `${drafts.at}/${index}.old`;
  if (isResumed && want !== null) {
    // A process that was killed has linked the new file already.
    if (!exists(draft)) return null;
    if (isSameFile(draft, at)) return errorOf(() => unlinkSync(draft));
  }
  const failure = was === null || (isResumed && exists(old)) ? null : moveAside(at, old, was);
  if (failure !== null || want === null) return failure === 'ENOENT' && want === null ? null : failure;
  const taken = errorOf(() => linkSync(draft, at));
  if (taken === null) return errorOf(() => unlinkSync(draft));
  giveBack(old, at);
  return taken;
}

/** What the disk says of a file spares most from being moved that are not what is stored; its content decides when nobody reaches it by its name. */
function moveAside(at: string | Buffer, old: string, was: TreeEntry): string | null {
  const stats = statOf(at);
  if (stats === null || isOther(stats, was)) return stats === null ? 'ENOENT' : 'EEXIST';
  const failure = errorOf(() => renameSync(at, old));
  if (failure !== null || hasContent(old, was)) return failure;
  // Somebody was quicker: theirs goes back.
  return giveBack(old, at) ?? 'EEXIST';
}

/** Gives an old file its name again, unless somebody has taken that. */
function giveBack(old: string, at: string | Buffer): string | null {
  const failure = errorOf(() => linkSync(old, at));
  if (failure === null) return errorOf(() => unlinkSync(old));
  // Not every disk has hard links.
  return failure === 'EEXIST' || exists(at) ? failure : errorOf(() => renameSync(old, at));
}

function removeFolder({ root }: ApplyParts, path: string): string | null {
  const failure = callIn(root, { path, may: 'open' }, (at) => errorOf(() => rmdirSync(at)));
  return failure === 'ENOENT' ? null : failure;
}

function makeFolder({ root }: ApplyParts, path: string): string | null {
  return callIn(root, { path, may: 'make' }, (at) => {
    const failure = errorOf(() => mkdirSync(at, 0o700));
    return failure === 'EEXIST' && statOf(at)?.isDirectory() === true ? null : failure;
  });
}

/** Gives folders the modes that they are to have; those above changed files may have been opened. */
function setModes({ root, modeBefore }: ApplyParts, folders: readonly Step[]): void {
  const modes = new Map<string, number | null>();
  const above = new Set(folders.flatMap(({ path }) => foldersAbove(path)));
  for (const path of above) modes.set(path, modeBefore(path));
  for (const { path, want } of folders) if (want !== null) modes.set(path, want.mode);
  // The inner ones first: one above may be closed after it.
  for (const [path, mode] of [...modes].sort(([a], [b]) => b.length - a.length)) {
    if (mode === null || hasMode(entryPath(root, path), mode)) continue;
    inFolderOf(root, { path, may: 'open' }, (folder, name) => {
      const entry = pinIn(folder, Buffer.from(name, 'latin1'));
      if (entry === null) return;
      const { stats, at } = entry;
      if (stats.isDirectory() && (stats.mode & 0o777) !== mode) errorOf(() => chmodSync(at, mode));
      unpin(entry);
    });
  }
}

function hasMode(at: string | Buffer, mode: number): boolean {
  const stats = statOf(at);
  return stats?.isDirectory() === true && (stats.mode & 0o777) === mode;
}

/** What was moved aside goes when it is what is stored and nobody has it open any more: nobody reaches it by its name. */
async function removeOld(parts: ApplyParts, files: readonly Step[]): Promise<Kept[]> {
  const { drafts } = parts;
  const old = files.filter(({ index, was }) => was !== null && exists(`${drafts.at}/${index}.old`));
  if (old.length === 0) return [];
  const open = await openAtLast(parts);
  return old.flatMap((step) => removeOne(parts, step, open));
}

/** Which old files are open after a while; most writers are about to end. */
async function openAtLast({ drafts, openIn }: ApplyParts): Promise<ReadonlySet<string>> {
  let open = await openIn(drafts);
  for (let count = 0; open.size > 0 && count < OPEN_TRIES; count += 1) {
    await wait(OPEN_WAIT_MS);
    open = await openIn(drafts);
  }
  return open;
}

function removeOne({ drafts, root }: ApplyParts, { path, was, index }: Step, open: ReadonlySet<string>): Kept | [] {
  const at = `${drafts.at}/${index}.old`;
  if (was !== null && hasContent(at, was) && !open.has(`${index}.old`)) {
    const failure = errorOf(() => unlinkSync(at));
    return failure === null ? [] : { path, why: wordsFor(failure) };
  }
  const name = inFolderOf(root, { path, may: 'make' }, (folder, own) => putBeside(at, { folder, own }));
  return { path, why: name === null ? wordsFor('ENOTDIR') : `somebody writes to it: theirs is ${name}` };
}

/** Gives an old file back its name, or one beside it. Returns the name. */
function putBeside(old: string, { folder, own }: { folder: PinnedEntry; own: string }): string | null {
  for (let count = 0; count < 1_000; count += 1) {
    const name = [own, `${own}.yours`][count] ?? `${own}.yours${count}`;
    const failure = giveBack(old, entryPath(folder, name));
    if (failure === null) return name;
    if (failure !== 'EEXIST') return null;
  }
  return null;
}

function exists(path: string | Buffer): boolean {
  return statOf(path) !== null;
}

function isSameFile(a: string | Buffer, b: string | Buffer): boolean {
  const one = statOf(a);
  const other = statOf(b);
  return one !== null && other !== null && one.ino === other.ino && one.dev === other.dev;
}
