import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import type { Log, Plugin } from '../../hub/base/plugin.js';
import { gitLayoutOf } from '../private_git/git_layout.js';
import { readPersonGit } from '../private_git/person_git.js';
import type { PrivateGit, PrivateProject } from '../private_git/private_git.js';
import { takeOver } from '../private_git/take_over.js';
import { takeKept, undoLast } from '../private_git/undo_and_take.js';
import { createWatches } from '../private_git/watch_files.js';
import { readJournal, recover } from '../private_git/write_refs.js';
import { isFolder, realPath } from '../sandbox/machine.js';

const VERSION = '1.0.0';

/** What models leave in a project: commits, and files that run as the person. */
export function createGit(privateGit: PrivateGit, log: Log): Plugin {
  const watches = createWatches();
  const toldProblems = new Set<string>();

  // What an earlier process was killed in may hold the index of a repository.
  for (const root of privateGit.roots()) {
    detach(privateGit.withProject(root, endPending), (error) => log('warn', `${root}: ${String(error)}`));
  }

  function newProblems(root: string): string[] {
    const problem = privateGit.problem(root);
    if (problem === null || toldProblems.has(`${root} ${problem}`)) return [];
    toldProblems.add(`${root} ${problem}`);
    return [`git is read-only for models here: ${problem}`];
  }

  /** Nothing is told of a single file that a policy lets be written. */
  function toldIn(path: string, use: (project: PrivateProject) => Promise<string[]>): Promise<string[]> {
    return isFolder(realFolder(path)) ? within(path, use) : Promise.resolve([]);
  }

  function within<T>(path: string, use: (project: PrivateProject) => Promise<T>): Promise<T> {
    return privateGit.withProject(realFolder(path), use);
  }

  return {
    name: 'git',
    version: VERSION,
    methods: {
      'git.watch': async ({ project }) => ({
        // What a killed turn has left first.
        told: await toldIn(project, async (one) => [...(await takeOver(one)), ...(await watches.begin(one))]),
      }),
      'git.take_over': async ({ project }) => ({
        told: await toldIn(project, async (one) => {
          const files = await watches.end(one);
          return [...(await takeOver(one)), ...newProblems(one.root), ...files];
        }),
      }),
      'git.status': async ({ project }) => within(project, statusOf),
      'git.undo': async ({ project }) => ({ text: await within(project, undoLast) }),
      'git.take': async ({ project, branch }) => ({ text: await within(project, (one) => takeKept(one, branch)) }),
    },
  };
}

async function endPending({ root, jobs, paths }: PrivateProject): Promise<void> {
  // Otherwise the project is left alone: its disk may not be there.
  if (readJournal(paths).pending === null) return;
  const layout = gitLayoutOf(root);
  if (layout.kind === 'repository') await recover(jobs, { paths, folders: layout });
}

async function statusOf({ root, jobs, paths }: PrivateProject) {
  const layout = gitLayoutOf(root);
  const person = layout.kind === 'repository' ? await readPersonGit(jobs, layout) : null;
  return {
    taken: readJournal(paths).taken.map(({ at_ms, text, undone }) => ({ at_ms, text, undone })),
    kept: [...(person?.kept ?? [])].map(([name, commit]) => ({ name, commit })),
    problem: layout.kind === 'unusual' ? layout.reason : null,
  };
}

function realFolder(path: string): string {
  const real = realPath(path);
  if (real !== null) return real;
  throw new HubError('not_found', `the folder ${JSON.stringify(path)} is not there (any more)`);
}
