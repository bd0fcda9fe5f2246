import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../base/error.js';

/** Where a turn works, all of it real paths. */
export interface Workplace {
  /** What it may change. */
  project: string;
  /** Where its commands begin: in the project. */
  cwd: string;
}

/**
 * The project is that of the tree, where it has one that is still there; else the caller's folder. A folder outside of the
 * project is none to work in: the caller's, or one that a command of a person went to.
 */
export async function workplaceOf(places: {
  treeProject: string | null;
  branchCwd: string | null;
  callerCwd: string;
}): Promise<Workplace> {
  const own = await realFolder(places.callerCwd);
  const project = (places.treeProject === null ? null : await realFolder(places.treeProject)) ?? own;
  if (project === null) {
    throw new HubError('not_found', `the folder ${JSON.stringify(places.callerCwd)} is not there`, {
      hint: 'start from a folder that is',
    });
  }
  const branch = places.branchCwd === null ? null : await realFolder(places.branchCwd);
  const cwd = [branch, own].find((folder) => folder !== null && isWithin(folder, project)) ?? project;
  return { project, cwd };
}

/** Where the plan of a project stands. */
export function planFileOf(project: string): string {
  return join(project, '.cognition', 'plan.md');
}

/**
 * Makes the folder of a plan that is to be written: the tools make none among what is protected. Where the conversations are kept
 * no plan can stand.
 */
export async function makePlanFolder(
  { project, home }: { project: string; home: string },
  written: string,
): Promise<void> {
  const file = planFileOf(project);
  if (written === file && (await isSameFolder(home, dirname(file)))) {
    throw new HubError(
      'unauthorised',
      `no plan can be made in ${project}: its .cognition is where the conversations are`,
      {
        hint: 'the person is to start in the folder of a project',
      },
    );
  }
  // What is in its place, if anything, is told by the writing.
  if (written === file) await mkdir(dirname(file)).catch(() => undefined);
}

async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([realFolder(one), realFolder(other)]);
  return first !== null && first === second;
}

async function realFolder(path: string): Promise<string | null> {
  return realpath(path).catch(() => null); // it is gone
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
