import { realpathSync } from 'node:fs';
import { isWithin } from '../../../hub/base/is_within.js';
import type { ParsedOf, ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { PLAN_LENGTH_MAX } from '../../../hub/protocol/turn.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { attempt } from '../../walk/pinned_folder.js';
import { withRoot } from '../../walk/resolve_below.js';
import { readText } from './project_text.js';
import { readEnvironment } from './read_environment.js';
import { readInstructions } from './read_instructions.js';
import { readSkills } from './skills.js';

type Params = ParsedOf<'file.project_read'>;
type Result = ResultOf<'file.project_read'>;

/** Reads what the beginning of a turn needs of a project, and nothing outside of it but the person's own files. */
export function readProject({ machine, clock }: Pick<ToolParts, 'machine' | 'clock'>, params: Params): Result {
  const { project, cwd } = workplaceOf(params);
  const refused = new Set<string>();
  const nothing: Result = { project, cwd, instructions: [], skills: [], environment: null, plan: null, refused: [] };
  if (project === null || cwd === null) return nothing;
  const read = withRoot(project, (root): Result => {
    const wants = (part: Params['parts'][number]): boolean => params.parts.includes(part);
    const plan = { root, path: '.cognition/plan.md', held: project, bytesMax: PLAN_LENGTH_MAX, machine, refused };
    const content = {
      instructions: wants('instructions') ? readInstructions({ project: root, cwd, machine, refused }) : [],
      skills: wants('skills') ? readSkills(root, machine) : [],
      environment: wants('environment') ? readEnvironment(cwd, clock()) : null,
      plan: wants('plan') ? (readText(plan)?.text ?? null) : null,
    };
    return { ...nothing, ...content, refused: [...refused] };
  });
  return read ?? { ...nothing, project: null, cwd: null };
}

/**
 * Where a turn works, as real paths: the project is that of the tree, where that is still there, else the caller's folder. A folder
 * outside of it is none to work in: the caller's, or one that a command of a person went to.
 */
function workplaceOf({ project: named, branch, caller }: Params): Pick<Result, 'project' | 'cwd'> {
  const own = realPath(caller);
  const project = (named === null ? null : realPath(named)) ?? own;
  if (project === null) return { project, cwd: null };
  const cwd = [branch === null ? null : realPath(branch), own].find((one) => one !== null && isWithin(one, project));
  return { project, cwd: cwd ?? project };
}

function realPath(path: string): string | null {
  return attempt(() => realpathSync.native(path));
}
