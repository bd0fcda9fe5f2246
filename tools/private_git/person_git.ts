import { copyFileSync, lstatSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { attempt, valueOrNull } from '../sandbox/attempt.js';
import type { GitFolders } from '../sandbox/linked_git.js';
import { type JobFolder, type JobParts, runGitJob } from './git_job.js';
import type { Refs } from './merge_refs.js';
import { safeConfig } from './safe_config.js';

/** Where a repository stands. */
export interface Listing {
  refs: Refs;
  /** A ref, or a commit when HEAD is detached. */
  head: string | null;
  /** The commit of HEAD; null before the first one. */
  commit: string | null;
  /** What was put aside last. */
  stash: string | null;
  /** What was kept of a model's commits. */
  kept: Refs;
}

/** What the person's repository says now. */
export interface PersonGit extends Listing {
  /** Branches that other work trees have checked out. */
  elsewhere: readonly string[];
  /** Whether a merge, a rebase or the like is under way. */
  isBusy: boolean;
  isSha256: boolean;
  /** The settings of a private folder. */
  config: string;
}

/** Where commits of a model are kept that are on none of the person's branches. */
export const KEPT = 'refs/cognition/';

/** Prints branches, tags, what is known of remotes and what was kept, then HEAD, its commit and the stash. */
export const LIST_REFS = [
  `git for-each-ref --format='%(objectname) %(refname) %(symref)' refs/heads refs/tags refs/remotes ${KEPT}`,
  'echo "head $(git symbolic-ref -q HEAD || git rev-parse -q --verify HEAD || :)"',
  'echo "commit $(git rev-parse -q --verify \'HEAD^{commit}\' || :)"',
  'echo "stash $(git rev-parse -q --verify refs/stash || :)"',
].join('\n');

/** The person's git folder for jobs that only read it. */
export function personFolder({ common }: GitFolders, writable = false): JobFolder {
  return { name: 'person', source: common, writable };
}

/** The command that makes the person's git folder that of a script. */
export function enterPerson({ own, common }: GitFolders): string {
  return `export GIT_DIR=$PWD/person/${JSON.stringify(relative(common, own))}`;
}

export async function readPersonGit(jobs: JobParts, folders: GitFolders): Promise<PersonGit> {
  const script = [
    enterPerson(folders),
    LIST_REFS,
    'for file in person/HEAD person/worktrees/*/HEAD; do',
    '  if [ -f "$file" ] && ! [ "$file" -ef "$GIT_DIR/HEAD" ]; then sed -n "s/^ref: /elsewhere /p" "$file"; fi',
    'done',
    'for name in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply; do if [ -e "$GIT_DIR/$name" ]; then echo busy; fi; done',
    'echo "format $(git rev-parse --show-object-format)"',
    'echo .',
    'git config --local --no-includes --list -z',
  ].join('\n');
  const printed = await runGitJob(jobs, { script, folders: [personFolder(folders)], input: '' });
  const end = `\n${printed}`.indexOf('\n.\n');
  const lines = printed.slice(0, end).split('\n');
  const elsewhere = lines.flatMap((line) => /^elsewhere (\S+)$/.exec(line)?.[1] ?? []);
  const config = safeConfig(printed.slice(end + 2));
  return {
    ...parseListing(lines),
    ...{ elsewhere, config, isBusy: lines.includes('busy'), isSha256: lines.includes('format sha256') },
  };
}

/** What git lets no ref be called: a folder above, a hidden file, a lock. What is listed may be forged, and becomes a path. */
const NO_REF = /\.\.|\/\.|\/\/|\/$|\.lock(\/|$)|@\{|[\p{Cc}~^:?*[\\]/u;

/** What `LIST_REFS` has printed; links among refs are left out. */
export function parseListing(lines: readonly string[]): Listing {
  const refs = new Map<string, string>();
  const kept = new Map<string, string>();
  const told = (word: string): string | null =>
    lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) || null;
  for (const line of lines) {
    const [, oid, name] = /^([0-9a-f]{40,64}) (refs\/\S+) $/.exec(line) ?? [];
    if (oid === undefined || name === undefined || NO_REF.test(name)) continue;
    (name.startsWith(KEPT) ? kept : refs).set(name, oid);
  }
  return { refs, kept, head: told('head'), commit: told('commit'), stash: told('stash') };
}

/** Copies the person's files that a private folder gets as they are. */
export function copyPersonFiles({ own, common }: GitFolders, to: string): void {
  const isSplit = (valueOrNull(() => readdirSync(own)) ?? []).some((name) => name.startsWith('sharedindex.'));
  const files: [from: string, name: string][] = [
    [join(own, 'info/sparse-checkout'), 'sparse-checkout'],
    [join(common, 'info/attributes'), 'attributes'],
    [join(common, 'shallow'), 'shallow'],
    // Half of a split index lies in another file.
    ...(isSplit ? [] : [[join(own, 'index'), 'index'] satisfies [string, string]]),
  ];
  // Most of them are absent.
  for (const [from, name] of files) attempt(() => copyWithTime(from, join(to, name)));
  copyExcludes(common, to);
}

/** What git is not to look at: as the person says, and the mount point that a sandbox may have put there. */
function copyExcludes(common: string, to: string): void {
  const own = valueOrNull(() => readFileSync(join(common, 'info/exclude'), 'utf8')) ?? '';
  writeFileSync(join(to, 'exclude'), `${own}\n/.cognition/\n`);
}

/** Git compares by their content the files of an index that are not older than it is. */
export function copyWithTime(from: string, to: string): void {
  const seconds = Math.floor(lstatSync(from).mtimeMs) / 1_000;
  copyFileSync(from, to);
  utimesSync(to, seconds, seconds);
}
