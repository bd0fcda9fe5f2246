import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueOrNull } from '../sandbox/attempt.js';
import type { GitFolders } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';
import { type JobFolder, type JobParts, runGitJob } from './git_job.js';
import { fingerprintOf } from './git_layout.js';
import { type GitState, newState, type StatePaths, writeState } from './git_state.js';
import { mergeRefs, mergeValue, type RefChange, type Refs } from './merge_refs.js';
import { copyPersonFiles, LIST_REFS, type Listing, type PersonGit, parseListing, readPersonGit } from './person_git.js';

/** Where the person's objects are in a private folder. */
export const BASE_OBJECTS = 'base-objects';

/** Makes the script that follows work on the private folder, and `digest` tell its index. */
export const ENTER_MODEL = [
  'export GIT_DIR=$PWD/model',
  'digest() { if [ -f "$GIT_DIR/index" ]; then git ls-files -s | sha256sum | cut -c1-64; else echo none; fi; }',
].join('\n');

/** Replaces a file of the private folder by one that was given, or removes it. In a sandbox: a link leads nowhere else. */
const TAKE_FILES = [
  'take() { rm -rf "$GIT_DIR/$2"; if [ -e "given/$1" ]; then cp "given/$1" "$GIT_DIR/$2"; fi; }',
  'for name in info objects/info; do if [ -L "$GIT_DIR/$name" ]; then rm "$GIT_DIR/$name"; fi; mkdir -p "$GIT_DIR/$name"; done',
  'rm -rf "$GIT_DIR/commondir" "$GIT_DIR/gitdir" "$GIT_DIR/config.worktree"',
  'if [ -e given/config ]; then take config config; fi',
  'take alternates objects/info/alternates',
  'for name in sparse-checkout exclude attributes; do take $name info/$name; done',
  'take shallow shallow',
].join('\n');

/** Whether nothing is staged that is not committed, but for what we have put there. */
const IS_CLEAN =
  'clean=no; if [ "$(digest)" = "$known" ] || { [ -n "$old" ] && git diff-index --cached --quiet "$old"; }; then clean=yes; fi';

const APPLY = [
  'read -r head; read -r known; read -r person',
  IS_CLEAN,
  'while read -r line; do case $line in delete*) echo "$line" >>/tmp/gone;; *) echo "$line" >>/tmp/new;; esac; done',
  // One that cannot be written, such as a branch below another, keeps none of the others back.
  'apply() { [ ! -f "$1" ] || git update-ref --stdin <"$1" 2>/dev/null || while read -r one; do echo "$one" | git update-ref --stdin || :; done <"$1"; }',
  'apply /tmp/gone; apply /tmp/new',
  'case $head in refs/*) git symbolic-ref HEAD "$head" || :;; ?*) git update-ref --no-deref HEAD "$head" || :;; esac',
  "now=$(git rev-parse -q --verify 'HEAD^{commit}' || :)",
  'if [ $clean = yes ] && [ "$now" = "$person" ] && [ -e given/index ]; then',
  '  rm -rf "$GIT_DIR/index"; cp -p given/index "$GIT_DIR/index.taken"; mv "$GIT_DIR/index.taken" "$GIT_DIR/index"',
  'elif [ -n "$now" ] && { [ "$now" != "$old" ] || [ ! -e "$GIT_DIR/index" ]; }; then',
  // Its time stays: a file that was written in the same instant is compared by its content.
  '  if [ -e "$GIT_DIR/index" ]; then touch -r "$GIT_DIR/index" /tmp/time; fi',
  '  { [ -n "$old" ] && git read-tree -i -m "$old" "$now" 2>/dev/null; } || git read-tree "$now" || :',
  '  if [ -e /tmp/time ]; then touch -r /tmp/time "$GIT_DIR/index"; fi',
  'fi',
  'echo "clean $clean"',
  'echo "index $(digest)"',
  LIST_REFS,
].join('\n');

const SCRIPT = [
  ENTER_MODEL,
  TAKE_FILES,
  "old=$(git rev-parse -q --verify 'HEAD^{commit}' || :)",
  LIST_REFS,
  'echo .',
  APPLY,
].join('\n');

export interface SyncParts {
  paths: StatePaths;
  folders: GitFolders;
  state: GitState;
}

/** What both sides say after a synchronisation. */
export interface BothSides {
  person: PersonGit;
  model: Listing;
}

/** Brings the private folder up to date with what the person has done, and makes it when there is none. */
export async function syncIn(jobs: JobParts, { paths, folders, state }: SyncParts): Promise<BothSides> {
  const isNew = makeSkeleton(paths);
  const before = isNew ? newState(state.project) : state;
  const print = fingerprintOf(folders);
  const lastConfig = isNew ? null : valueOrNull(() => readFileSync(`${paths.given}/config.last`, 'utf8'));
  rmSync(paths.given, { recursive: true, force: true });
  mkdirSync(paths.given, { mode: 0o700 });
  // Before the refs are read: an index that is newer than they are would look staged.
  copyPersonFiles(folders, paths.given);
  const person = await readPersonGit(jobs, folders);
  writeFileSync(join(paths.given, 'alternates'), `../${BASE_OBJECTS}\n`);
  writeFileSync(join(paths.given, 'config.last'), person.config);
  const giveConfig = (): void => writeFileSync(join(paths.given, 'config'), person.config);
  // What a model has set for itself stays, unless nothing works with it.
  if (lastConfig !== person.config) giveConfig();
  const merging = { before, person, isNew };
  const synced = await apply(jobs, { paths, folders }, merging).catch(() => {
    giveConfig();
    return apply(jobs, { paths, folders }, merging);
  });
  Object.assign(state, before, synced.state, { person: print });
  writeState(paths, state);
  return { person, model: synced.model };
}

interface Merging {
  before: GitState;
  person: PersonGit;
  isNew: boolean;
}

async function apply(
  jobs: JobParts,
  { paths, folders }: Pick<SyncParts, 'paths' | 'folders'>,
  { before, person, isNew }: Merging,
): Promise<{ model: Listing; state: Pick<GitState, 'refs' | 'head' | 'index'> }> {
  const agreed: Refs = new Map(Object.entries(before.refs));
  let merged = mergeRefs({ agreed, person: person.refs, model: agreed });
  let head = mergeValue(before.head, person.head, before.head);
  const input = (lines: string[]): string => {
    const model = parseListing(lines);
    merged = mergeRefs({ agreed, person: person.refs, model: model.refs });
    head = mergeValue(isNew ? model.head : before.head, person.head, model.head);
    const wanted = head.value === model.head ? null : head.value;
    return [wanted ?? '', before.index ?? 'none', person.commit ?? '', ...merged.changes.map(updateLine), ''].join(
      '\n',
    );
  };
  const given: JobFolder = { name: 'given', source: paths.given, writable: false };
  const printed = await runGitJob(jobs, { script: SCRIPT, folders: [...modelFolders(paths, folders), given], input });
  const lines = printed.slice(`\n${printed}`.indexOf('\n.\n') + 2).split('\n');
  const after = parseListing(lines);
  const failed = merged.changes.filter(({ name, to }) => (after.refs.get(name) ?? null) !== to);
  const refs = new Map(merged.agreed);
  for (const { name } of failed) restore(refs, name, agreed.get(name));
  const index = lines.find((line) => line.startsWith('index '))?.slice('index '.length) ?? null;
  const next = {
    refs: Object.fromEntries(refs),
    head: after.head === head.value ? head.agreed : before.head,
    index: lines.includes('clean yes') ? index : before.index,
  };
  return { model: after, state: next };
}

function restore(refs: Map<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) refs.delete(name);
  else refs.set(name, value);
}

function updateLine({ name, from, to }: RefChange): string {
  if (to === null) return `delete ${name} ${from ?? ''}`;
  return `update ${name} ${to}${from === null ? '' : ` ${from}`}`;
}

/** The private folder as git's own folders. */
export function ownFolders({ model }: StatePaths): GitFolders {
  return { own: model, common: model };
}

/** The private folder with the person's objects in it, for jobs. */
export function modelFolders({ model }: StatePaths, { common }: GitFolders): JobFolder[] {
  return [
    { name: 'model', source: model, writable: true },
    { name: `model/${BASE_OBJECTS}`, source: join(common, 'objects'), writable: false },
  ];
}

/** Whether a private folder is one that git and the mounts can work with: a model may have removed or replaced any part of it. */
export function isSound(model: string): boolean {
  const folders = ['', 'objects', 'refs', BASE_OBJECTS];
  return kindOf(join(model, 'HEAD')) === 'file' && folders.every((name) => kindOf(join(model, name)) === 'folder');
}

/** True when a new one was made; one that is damaged is put aside, over what was put aside before. */
function makeSkeleton({ model }: StatePaths): boolean {
  if (kindOf(join(model, 'HEAD')) === 'file') addFolder(join(model, BASE_OBJECTS));
  if (isSound(model)) return false;
  const aside = `${model}.damaged`;
  if (valueOrNull(() => lstatSync(model)) !== null) {
    rmSync(aside, { recursive: true, force: true });
    renameSync(model, aside);
  }
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', BASE_OBJECTS]) {
    mkdirSync(join(model, name), { recursive: true, mode: 0o700 });
  }
  writeFileSync(join(model, 'HEAD'), 'ref: refs/heads/main\n');
  return true;
}

/** Of a repository that a model made where there was none. */
function addFolder(path: string): void {
  if (kindOf(path) === 'absent') mkdirSync(path, { mode: 0o700 });
}
