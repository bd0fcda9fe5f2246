import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../hub/base/plugin.js';
import type { Contained } from '../../hub/protocol/policy.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { shownBy } from '../policy/path_rules.js';
import { valueOrNull } from '../sandbox/attempt.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import type { GitFolders } from '../sandbox/linked_git.js';
import { isFolder, realPath } from '../sandbox/machine.js';
import type { Mount, MountOverlay } from '../sandbox/mounts.js';
import { kindOf } from '../sandbox/path_kind.js';
import { JOB_ROOT, type JobParts } from './git_job.js';
import { fingerprintOf, gitLayoutOf, type PrivateGitId, privateGitId } from './git_layout.js';
import { type GitState, makeFolders, readState, type StatePaths, statePaths } from './git_state.js';
import { BASE_OBJECTS, isSound, syncIn } from './sync_in.js';

/** A project whose git models have a private folder for. */
export interface PrivateProject {
  root: string;
  paths: StatePaths;
  jobs: JobParts;
  /** As it was written last. */
  state(): GitState;
}

/** The private git folders of this home: a model's git works in one, and nothing that it writes there is used by anybody else. */
export interface PrivateGit {
  /** What is mounted over the `.git` of each folder that a policy lets be written. */
  overlays(policy: Contained): Promise<MountOverlay[]>;
  /** Does something with a project while no command of it begins. */
  withProject<T>(root: string, use: (project: PrivateProject) => Promise<T>): Promise<T>;
  /** The folders of the projects that there are private folders for. */
  roots(): string[];
  /** Why git is read-only for models in a project; null when it is not. */
  problem(root: string): string | null;
}

interface PrivateGitParts {
  sandbox: Sandbox;
  machine: MachinePaths;
  log: Log;
}

export function createPrivateGit({ sandbox, machine, log }: PrivateGitParts): PrivateGit {
  const top = join(machine.cognitionHome, 'git');
  const queues = new Map<PrivateGitId, Promise<unknown>>();
  const problems = new Map<string, string>();

  function withProject<T>(root: string, use: (project: PrivateProject) => Promise<T>): Promise<T> {
    const id = privateGitId(root);
    const paths = statePaths(join(top, id));
    const jobs = { sandbox, path: machine.path, tmp: paths.tmp };
    const before = queues.get(id) ?? Promise.resolve();
    const work = before.then(() => use({ root, paths, jobs, state: () => readState(paths, root) }));
    const settled = work.catch(() => undefined); // its caller gets the failure
    queues.set(id, settled);
    return work;
  }

  function refused(root: string, reason: string): MountOverlay[] {
    if (problems.get(root) !== reason) log('info', `.git is read-only for models in ${root}: ${reason}`);
    problems.set(root, reason);
    return [];
  }

  async function overlaysFor(root: string): Promise<MountOverlay[]> {
    const layout = gitLayoutOf(root);
    if (layout.kind === 'unusual') return refused(root, layout.reason);
    try {
      const overlay = await withProject(root, async ({ paths, jobs, state }) => {
        makeFolders(paths);
        if (layout.kind === 'none') return emptyOverlay(root, paths);
        const known = state();
        const isCurrent = known.person === fingerprintOf(layout) && isSound(paths.model);
        if (!isCurrent) await syncIn(jobs, { paths, folders: layout, state: known });
        return repositoryOverlay(root, paths, layout);
      });
      problems.delete(root);
      return [overlay];
    } catch (error) {
      return refused(root, error instanceof Error ? error.message : String(error));
    }
  }

  return {
    withProject,
    problem: (root) => problems.get(root) ?? null,
    roots: () =>
      (valueOrNull(() => readdirSync(top)) ?? []).flatMap((name) => {
        const { project } = readState(statePaths(join(top, name)), null);
        return privateGitId(project) === name ? [project] : [];
      }),
    async overlays(policy) {
      const roots = shownBy(policy).writable.flatMap((path) => realPath(path) ?? []);
      const folders = [...new Set(roots)].filter(isFolder);
      return (await Promise.all(folders.map(overlaysFor))).flat();
    },
  };
}

/** Where there is no repository a model may make one, for itself. */
function emptyOverlay(root: string, paths: StatePaths): MountOverlay {
  makeFolder(paths.model);
  const git = join(root, '.git');
  return { over: git, mounts: [bind(git, paths.model, true)] };
}

function repositoryOverlay(
  root: string,
  paths: StatePaths,
  { isFile, common }: GitFolders & { isFile: boolean },
): MountOverlay {
  const git = join(root, '.git');
  const at = isFile ? join(JOB_ROOT, `git-${privateGitId(root).slice(0, 16)}`) : git;
  if (isFile) writeFileSync(paths.pointer, `gitdir: ${at}\n`);
  const modules = join(common, 'modules');
  const hasModules = isFolder(modules) && makeFolder(join(paths.model, 'modules'));
  return {
    over: git,
    mounts: [
      ...(isFile ? [bind(git, paths.pointer, false)] : []),
      bind(at, paths.model, true),
      bind(join(at, BASE_OBJECTS), join(common, 'objects'), false),
      ...(hasModules ? [bind(join(at, 'modules'), modules, false)] : []),
    ],
  };
}

function bind(path: string, source: string, writable: boolean): Mount {
  return { kind: 'bind', path, source, writable, isFolder: kindOf(source) === 'folder' };
}

/** False when something else has its name. */
function makeFolder(path: string): boolean {
  if (kindOf(path) === 'absent') mkdirSync(path, { mode: 0o700 });
  return kindOf(path) === 'folder';
}
