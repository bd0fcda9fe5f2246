import type { MachinePlace } from '../base/parts.js';
import { isProtected, privateRoots, secretsOf, shownBy, skillFoldersOf, toolchainsOf } from '../policy/path_rules.js';
import type { Invocation, SandboxCommand } from './invocation.js';

/**
 * The same policy for macOS, as a profile of `sandbox-exec`. It is untested: nobody has tried to break it, and macOS hides
 * neither processes nor Unix sockets of the same person as namespaces do.
 */
export function sandboxExecInvocation(command: SandboxCommand, place: MachinePlace): Invocation {
  return {
    program: '/usr/bin/sandbox-exec',
    arguments: ['-p', profileOf(command, place), command.program, ...command.arguments],
  };
}

/** Of several rules the last one that fits is the one that holds. */
function profileOf({ policy, tmp }: SandboxCommand, place: MachinePlace): string {
  const { writable, readable } = shownBy(policy);
  const rules = [
    ['allow default'],
    ['deny file-write*'],
    ['deny file-read-data', ...privateRoots(place).map(subpath)],
    ['allow file-read*', ...[...toolchainsOf(place), ...(readable ?? []), ...writable, tmp].map(subpath)],
    ['allow file-write*', ...[...writable.filter((path) => !isProtected(path)), tmp].map(subpath)],
    ['allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/fd/")'],
    ['deny file-write* (regex #"(?i)/\\.git/(config|config\\.worktree|commondir|hooks|modules|worktrees)(/|$)")'],
    ['deny file-write* (regex #"(?i)/\\.git$") (regex #"(?i)/\\.cognition(/|$)")'],
    ['deny file-read* file-write*', ...secretsOf(place).map(subpath)],
    ['allow file-read*', ...skillFoldersOf(place).map(subpath)],
    ['deny network-outbound (remote unix-socket)'],
    ...(policy.network ? [] : [['deny network*']]),
    ['deny signal (target others)'],
    ['deny process-info* (target others)'],
  ];
  return ['(version 1)', ...rules.map((rule) => `(${rule.join(' ')})`)].join('\n');
}

function subpath(path: string): string {
  return `(subpath ${JSON.stringify(path)})`;
}
