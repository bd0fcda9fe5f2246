import { join } from 'node:path';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';

/** What was read of a project, and where a turn works, all of it real paths. */
export interface ProjectContent extends Omit<ResultOf<'file.project_read'>, 'plan' | 'project' | 'cwd'> {
  /** What the turn may change. */
  project: string;
  /** Where its commands begin: in the project. */
  cwd: string;
}

/** Has the tools read what a turn begins with: the hub opens nothing of a project, for it may read more than a model. */
export async function readProject(
  reach: InternalCaller,
  request: ParsedOf<'file.project_read'>,
): Promise<ProjectContent> {
  const { project, cwd, ...content } = await callHub(reach, 'file.project_read', request);
  if (project !== null && cwd !== null) return { ...content, project, cwd };
  throw new HubError('not_found', `the folder ${JSON.stringify(request.caller)} is not there`, {
    hint: 'start from a folder that is',
  });
}

/** Where the plan of a project stands. */
export function planFileOf(project: string): string {
  return join(project, '.cognition', 'plan.md');
}
