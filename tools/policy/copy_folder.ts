import { join } from 'node:path';
import { isWithin } from '../../hub/base/is_within.js';
import type { PolicyCopy } from '../../hub/protocol/policy.js';
import type { MachinePaths } from '../base/tool_parts.js';

/** The folder that stands for a project, for one turn. */
export function copyFolder({ folder, turn }: Pick<PolicyCopy, 'folder' | 'turn'>, machine: MachinePaths): string {
  return join(machine.cognitionHome, 'files', folder, 'copies', turn);
}

/** The names of files in a copy, and where they lie. */
export interface CopyNames {
  /** Where a path of the project lies in the copy; any other stays. */
  placeOf(path: string): string;
  /** What a path in the copy is called; any other stays. */
  nameOf(path: string): string;
  /** Whether a path is the project's own, which the turn must not reach. */
  isBeside(path: string): boolean;
  inItsWords(text: string): string;
}

/** Null for a policy whose project is no copy. */
export function copyNames(copy: PolicyCopy | undefined, machine: MachinePaths): CopyNames | null {
  if (copy === undefined) return null;
  const { project } = copy;
  const folder = copyFolder(copy, machine);
  const moved = (path: string, from: string, to: string): string =>
    isWithin(path, from) ? to + path.slice(from.length) : path;
  return {
    placeOf: (path) => moved(path, project, folder),
    nameOf: (path) => moved(path, folder, project),
    isBeside: (path) => isWithin(path, project),
    inItsWords: (text) => text.replaceAll(folder, project),
  };
}
