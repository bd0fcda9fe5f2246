import { isWithin } from '../../../hub/base/is_within.js';
import type { MachinePaths } from '../../base/tool_parts.js';
import { keptBelow } from '../../policy/home_rules.js';
import {
  isProtected,
  privateRoots,
  secretsOf,
  shownBy,
  skillFoldersOf,
  toolchainsOf,
} from '../../policy/path_rules.js';
import type { Invocation, SandboxCommand } from '../invocation.js';

/**
 * The policy as a `sandbox-exec` profile for macOS. It is untested: nobody has tried to break it, and macOS hides
 * neither processes nor Unix sockets of the same person as namespaces do.
 */
export function sandboxExecInvocation(command: SandboxCommand, machine: MachinePaths): Invocation {
  return {
    program: '/usr/bin/sandbox-exec',
    arguments: ['-p', profileOf(command, machine), command.program, ...command.arguments],
  };
}

/** Of several matching rules the last one wins. */
function profileOf({ policy, tmp }: SandboxCommand, machine: MachinePaths): string {
  const { writable, readable } = shownBy(policy);
  const rules = [
    ['allow default'],
    ['deny file-write*'],
    ['deny file-read-data', ...privateRoots(machine).map(subpath)],
    ['allow file-read*', ...[...toolchainsOf(machine), ...(readable ?? []), ...writable, tmp].map(subpath)],
    ['allow file-write*', ...[...writable.filter((path) => !isProtected(path)), tmp].map(subpath)],
    ['allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/fd/")'],
    ['deny file-write* (regex #"(?i)/\\.(git|cognition)(/|$)")'],
    ...writable.flatMap((root) => keptRules(root, machine)),
    ['deny file-read* file-write*', ...secretsOf(machine).map(subpath)],
    ['allow file-read*', ...skillFoldersOf(machine).map(subpath)],
    ['deny network-outbound (remote unix-socket)'],
    ...(policy.network ? [] : [['deny network*']]),
    ['deny signal (target others)'],
    ['deny process-info* (target others)'],
  ];
  return ['(version 1)', ...rules.map((rule) => `(${rule.join(' ')})`)].join('\n');
}

function keptRules(root: string, machine: MachinePaths): string[][] {
  const kept = keptBelow(root, machine).map(subpath);
  const home = machine.userHome.replace(/[\\^$.*+?()[\]{}|"]/g, '\\$&');
  const isWhole = isWithin(machine.userHome, root);
  return [
    ...(kept.length === 0 ? [] : [['deny file-write*', ...kept]]),
    ...(isWhole ? [['deny file-write*', `(regex #"^${home}/\\.")`, subpath(`${machine.userHome}/Library`)]] : []),
  ];
}

function subpath(path: string): string {
  return `(subpath ${JSON.stringify(path)})`;
}
