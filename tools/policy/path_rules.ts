import { isWithin } from '../../hub/base/is_within.js';
import type { Contained } from '../../hub/protocol/policy.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { isKeptInHome } from './home_rules.js';
import { PRIVATE_ROOTS, SECRETS, SKILLS, SYSTEM, SYSTEM_SECRETS, TOOLCHAINS } from './known_paths.js';

/**
 * Folders through which a project's own tools run commands later, outside: readable, never writable. In any spelling, because
 * some disks do not tell `.GIT` from `.git`.
 */
const PROTECTED = /\/\.(git|cognition)(\/|$)/i;

/** The plan of a project, a protected path. */
const PLAN = /\/\.cognition\/plan\.md$/;

/** Whether a policy lets the file at this real path be read. */
export function mayRead(path: string, policy: Contained, machine: MachinePaths): boolean {
  if (skillFoldersOf(machine).some((folder) => isWithin(path, folder))) return true;
  if (isSecret(path, machine)) return false;
  const { readable, writable } = shownBy(policy);
  if ([...writable, ...(readable ?? [])].some((folder) => isWithin(path, folder))) return true;
  if (toolchainsOf(machine).some((folder) => isWithin(path, folder))) return true;
  if (privateRoots(machine).some((folder) => isWithin(path, folder))) return false;
  return readable === null || SYSTEM.some((folder) => isWithin(path, folder));
}

/** Whether a policy lets the file at this real path be written. */
export function mayWrite(path: string, policy: Contained, machine: MachinePaths): boolean {
  if (isSecret(path, machine)) return false;
  const { writable } = shownBy(policy);
  // Nothing runs a plan: one that is named itself may be written, and nothing beside it.
  if (isProtected(path)) return PLAN.test(path) && writable.includes(path);
  return writable.some((folder) => isWithin(path, folder)) && !isKeptInHome(path, writable, machine);
}

/** Whether a policy lets a folder be made at this real path: where the file of a plan may be written, that of the plan as well. */
export function mayMakeFolder(path: string, policy: Contained, machine: MachinePaths): boolean {
  if (mayWrite(path, policy, machine)) return true;
  const plan = `${path}/plan.md`;
  return PLAN.test(plan) && mayWrite(plan, policy, machine);
}

/** Whether a real path names a file that is never writable, whatever the policy says. */
export function isProtected(path: string): boolean {
  return PROTECTED.test(path);
}

/** Whether a policy cannot show this path as it is: the kernel's own files, and all of the disk at once. */
export function isBeyondPolicy(path: string): boolean {
  return path === '/' || ['/proc', '/sys', '/dev'].some((folder) => isWithin(path, folder));
}

/** The paths of a policy that it can show. Reading `/` means reading everything that is not hidden. */
export function shownBy({ readable, writable }: Contained): { readable: string[] | null; writable: string[] } {
  return {
    writable: writable.filter((path) => !isBeyondPolicy(path)),
    readable: readable === null || readable.includes('/') ? null : readable.filter((path) => !isBeyondPolicy(path)),
  };
}

/** Everything that is hidden whatever the policy says. */
export function secretsOf(machine: MachinePaths): string[] {
  return [machine.cognitionHome, ...SYSTEM_SECRETS, ...SECRETS.map((name) => below(machine.userHome, name))];
}

/** The programs in the person's home folder. */
export function toolchainsOf(machine: MachinePaths): string[] {
  return TOOLCHAINS.map((name) => below(machine.userHome, name));
}

/** The person's own skills: may be read, never written. A link to elsewhere leads to what is hidden there. */
export function skillFoldersOf(machine: MachinePaths): string[] {
  return [below(machine.cognitionHome, 'skills'), ...SKILLS.map((name) => below(machine.userHome, name))];
}

const COMMANDS = ['.agents/commands', '.claude/commands'];

/** The person's own commands of the chat. */
export function commandFoldersOf(machine: MachinePaths): string[] {
  return COMMANDS.map((name) => below(machine.userHome, name));
}

/** Folders that are hidden unless a policy names them. A home folder of `/` adds nothing. */
export function privateRoots(machine: MachinePaths): string[] {
  return machine.userHome === '/' ? PRIVATE_ROOTS : [...PRIVATE_ROOTS, machine.userHome];
}

/** Whether a real path is hidden whatever a policy says. */
export function isSecret(path: string, machine: MachinePaths): boolean {
  return secretsOf(machine).some((folder) => isWithin(path, folder));
}

function below(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}
