import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../sandbox/attempt.js';
import type { GitFolders } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';
import { type JobParts, runGitJob } from './git_job.js';
import type { StatePaths } from './git_state.js';
import { copyPersonFiles, type PersonGit } from './person_git.js';
import { ENTER_MODEL, modelFolders } from './sync_in.js';

/** A pack of a model's may have that many bytes. */
const PACK_BYTES_MAX = 2 * 1024 ** 3;
/** What git itself only warns of: names that lead out of a work tree, or that no file can have. */
const STRICT = ['hasdot', 'hasdotdot', 'hasdotgit', 'emptyname', 'fullpathname', 'nullsha1', 'zeropaddedfilemode']
  .map((problem) => `${problem}=error`)
  .join(',');

/** A ref that a model has moved or made. */
export interface Moved {
  name: string;
  /** Where the person's is; null when there is none. */
  from: string | null;
  to: string;
}

/** What commits were found to be, once they were received. */
export interface Received {
  /** Objects are missing, or are not what they say. */
  isBroken: boolean;
  /** Whether the person's ref only goes forward. */
  isForward: boolean;
  /** How many are new. */
  commits: number;
  /** Whether some of them add a submodule: a folder in which the person's git would use another repository. */
  addsSubmodule: boolean;
}

export interface ReceivedAll {
  refs: ReadonlyMap<string, Received>;
  /** Whether the person's index could go from one commit to the other; the new one is `scratch/index`. */
  indexFits: boolean;
}

export interface Receiving {
  paths: StatePaths;
  folders: GitFolders;
  moved: readonly Moved[];
  person: PersonGit;
  /** The commits between which the person's index is to go; an empty text before the first one. */
  index: { from: string; to: string } | null;
}

const CHECK = [
  'export GIT_DIR=$PWD/scratch/git',
  `if [ -s scratch/in/pack ]; then git index-pack --strict=${STRICT} --max-input-size=${PACK_BYTES_MAX} --stdin <scratch/in/pack >/dev/null; fi`,
  'touch /tmp/not /tmp/refs; from=; to=',
  'while read -r word a b c; do case $word in',
  'have) echo "^$a" >>/tmp/not;; ref) echo "$a $b $c" >>/tmp/refs;; index) to=$a; from=$b;;',
  'esac; done',
  'fresh() { local tip=$1; shift; { echo "$tip"; cat /tmp/not; } | git rev-list --stdin "$@"; }',
  'while read -r name new old; do',
  '  if ! fresh "$new" --objects --quiet; then echo "broken $name"; continue; fi',
  '  if [ -z "$old" ]; then forward=yes; commits=$(fresh "$new" --count)',
  '  else commits=$(git rev-list --count "$old..$new"); if git merge-base --is-ancestor "$old" "$new"; then forward=yes; else forward=no; fi; fi',
  '  fresh "$new" | git diff-tree --stdin --root -r -c --raw --no-commit-id >/tmp/raw',
  '  if grep -qE "^:+((000000|[14][02][0-9]{4}) )+160000 " /tmp/raw; then links=yes; else links=no; fi',
  '  echo "ref $name $forward $commits $links"',
  'done </tmp/refs',
  'if [ -n "$to" ]; then',
  '  empty=$(git hash-object -w -t tree /dev/null)',
  '  if [ "$from" = none ]; then from=$empty; fi; if [ "$to" = none ]; then to=$empty; fi',
  '  if GIT_INDEX_FILE=$PWD/scratch/index git read-tree -i -m "$from" "$to"; then echo "index fits"; fi',
  'fi',
].join('\n');

/**
 * Brings the objects of a model's commits into a repository of ours, and looks at them there. They are packed by git on the private
 * folder, in a sandbox; what comes out is as a stranger's push: every object is checked, and that none is missing.
 */
export async function receiveCommits(jobs: JobParts, receiving: Receiving): Promise<ReceivedAll> {
  const { paths, folders, moved, person, index } = receiving;
  prepareScratch(receiving);
  const have = [...new Set(person.refs.values())];
  if (moved.length > 0) await packCommits(jobs, receiving, have);
  const lines = [
    ...have.map((oid) => `have ${oid}`),
    ...moved.map(({ name, from, to }) => `ref ${name} ${to} ${from ?? ''}`),
    ...(index === null ? [] : [`index ${index.to || 'none'} ${index.from || 'none'}`]),
  ];
  const printed = await runGitJob(jobs, {
    script: CHECK,
    folders: [
      { name: 'scratch', source: paths.scratch, writable: true },
      { name: 'objects', source: join(folders.common, 'objects'), writable: false },
    ],
    input: `${lines.join('\n')}\n`,
  });
  return parseReceived(printed.split('\n'));
}

async function packCommits(
  jobs: JobParts,
  { paths, folders, moved }: Receiving,
  have: readonly string[],
): Promise<void> {
  await runGitJob(jobs, {
    script: [
      ENTER_MODEL,
      `ulimit -f ${PACK_BYTES_MAX / 1024}`,
      'git pack-objects --revs --stdout --quiet --delta-base-offset >out/pack',
    ].join('\n'),
    folders: [...modelFolders(paths, folders), { name: 'out', source: join(paths.scratch, 'in'), writable: true }],
    input: [...moved.map(({ to }) => to), ...have.map((oid) => `^${oid}`), ''].join('\n'),
  });
}

/** The packs that were received, without the ends of their names. */
export function receivedPacks({ scratch }: StatePaths): string[] {
  const names = readdirSync(join(scratch, 'git/objects/pack'));
  return names.flatMap((name) => /^(pack-[0-9a-f]{40,64})\.idx$/.exec(name)?.[1] ?? []);
}

function prepareScratch({ paths, folders, person, index }: Receiving): void {
  const at = (name: string): string => join(paths.scratch, name);
  rmSync(paths.scratch, { recursive: true, force: true });
  for (const name of ['in', 'person', 'git/refs', 'git/objects/info', 'git/objects/pack']) {
    mkdirSync(at(name), { recursive: true, mode: 0o700 });
  }
  writeFileSync(at('git/HEAD'), 'ref: refs/heads/none\n');
  const format = person.isSha256 ? '1\n[extensions]\n\tobjectFormat = sha256' : '0';
  writeFileSync(at('git/config'), `[core]\n\tbare = false\n\trepositoryformatversion = ${format}\n`);
  writeFileSync(at('git/objects/info/alternates'), '/run/cognition/objects\n');
  copyPersonFiles(folders, at('person'));
  if (index !== null) attempt(() => copyFileSync(at('person/index'), at('index'))); // there may be none yet
  renameIfThere(at('person/index'), at('person/seen'));
  renameIfThere(at('person/shallow'), at('git/shallow'));
}

function renameIfThere(from: string, to: string): void {
  if (kindOf(from) === 'file') renameSync(from, to);
}

function parseReceived(lines: readonly string[]): ReceivedAll {
  const refs = new Map<string, Received>();
  for (const line of lines) {
    const [word, name = '', forward, commits, links] = line.split(' ');
    if (word !== 'ref' && word !== 'broken') continue;
    refs.set(name, {
      isBroken: word === 'broken',
      isForward: forward === 'yes',
      commits: Number(commits ?? 0),
      addsSubmodule: links === 'yes',
    });
  }
  return { refs, indexFits: lines.includes('index fits') };
}
