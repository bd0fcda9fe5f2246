import type { SandboxKind } from '../../../hub/protocol/methods/tool_methods.js';
import { FILTER_FD, type Invocation, startedBy } from '../invocation.js';
import { findProgram, sharesMounts } from '../machine.js';
import { type BubblewrapForm, bubblewrapArguments } from './bubblewrap.js';
import { canFilterCalls, type FilterFile } from './filter_file.js';
import type { Form } from './form.js';
import { findPerl, perlInvocation } from './perl.js';
import { sandboxExecInvocation } from './sandbox_exec.js';
import { findUtilLinux, utilLinuxInvocation } from './util_linux.js';

/** The forms that may work on this machine, the best first. */
export function formsOf(only: SandboxKind | null, filter: FilterFile): Form[] {
  const all = process.platform === 'darwin' ? [sandboxExec()] : [...bubblewraps(filter), ...utilLinuxes()];
  return all.filter(({ kind }) => only === null || kind === only);
}

function bubblewraps(filter: FilterFile): Form[] {
  const [program, sh] = [findProgram('bwrap'), findProgram('sh')];
  if (program === null || sh === null) return [];
  const formOf = (name: string, form: BubblewrapForm): Form => ({
    ...{ kind: 'bubblewrap', name, forbidsNamespaces: form.userNamespace && form.isModern },
    userNamespace: form.userNamespace,
    filtersCalls: filter.path() !== null,
    invocation: (input) => {
      const invocation = { program, arguments: bubblewrapArguments(input, form) };
      const path = filter.path();
      if (path === null) return invocation;
      return filtered(invocation, { sh: input.command.opensFilter === true ? null : sh, path });
    },
  });
  const isolated = (form: Form): Form[] => {
    const unshare = sharesMounts() ? unshareMounts() : [];
    const shared = { ...form, name: `${form.name} that sees what is mounted meanwhile` };
    return unshare === null
      ? [shared]
      : [{ ...form, invocation: prefixed(unshare, form) }, ...(unshare.length > 0 ? [shared] : [])];
  };
  return [
    ...isolated(formOf('bubblewrap', { userNamespace: true, isModern: true })),
    ...isolated(formOf('bubblewrap (before 0.8)', { userNamespace: true, isModern: false })),
    ...(isRoot()
      ? isolated(formOf('bubblewrap without a user namespace', { userNamespace: false, isModern: false }))
      : []),
  ];
}

/**
 * The prefix that gives bubblewrap mounts of its own; null without `unshare`. Where mounts are shared, as systemd makes them, a
 * disk that is mounted outside while a command runs would be writable inside.
 */
function unshareMounts(): string[] | null {
  const unshare = findProgram('unshare');
  if (unshare === null) return null;
  const user = isRoot() ? [] : ['--user', '--map-current-user'];
  return [unshare, ...user, '--mount', '--propagation', 'private'];
}

function prefixed([program, ...options]: readonly string[], form: Form): Form['invocation'] {
  return (input) => {
    const invocation = form.invocation(input);
    return program === undefined ? invocation : startedBy([program, ...options], invocation);
  };
}

/** bubblewrap reads the filter from a descriptor of its own, which it closes. */
function filtered(bubblewrap: Invocation, { sh, path }: { sh: string | null; path: string }): Invocation {
  const options = ['--seccomp', String(FILTER_FD), ...bubblewrap.arguments];
  if (sh === null) return { program: bubblewrap.program, arguments: options, filter: path };
  // The kernel is to end commands first when memory is short.
  const script = `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@" ${FILTER_FD}<"$0"`;
  return { program: sh, arguments: ['-c', script, path, bubblewrap.program, ...options] };
}

function utilLinuxes(): Form[] {
  const variants = isRoot() ? [true, false] : [true];
  return [
    ...variants.flatMap((userNamespace): Form[] => {
      const programs = findPerl({ userNamespace, filtersCalls: canFilterCalls() });
      const name = named('util-linux', userNamespace);
      const traits = { forbidsNamespaces: userNamespace, userNamespace, filtersCalls: canFilterCalls() };
      if (programs === null) return [];
      return [{ kind: 'util-linux', name, ...traits, invocation: (input) => perlInvocation(input, programs) }];
    }),
    ...variants.flatMap((userNamespace): Form[] => {
      const programs = findUtilLinux(userNamespace);
      const name = named('util-linux without perl', userNamespace);
      const traits = { forbidsNamespaces: userNamespace, userNamespace, filtersCalls: false };
      if (programs === null) return [];
      return [{ kind: 'util-linux', name, ...traits, invocation: (input) => utilLinuxInvocation(input, programs) }];
    }),
  ];
}

function named(name: string, userNamespace: boolean): string {
  return userNamespace ? name : `${name} without a user namespace`;
}

function sandboxExec(): Form {
  return {
    ...{ kind: 'sandbox-exec', name: 'sandbox-exec', forbidsNamespaces: false, filtersCalls: false },
    userNamespace: false,
    invocation: ({ command, machine }) => sandboxExecInvocation(command, machine),
  };
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
