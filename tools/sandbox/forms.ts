import type { SandboxKind } from '../../hub/protocol/methods/tool_methods.js';
import { type BubblewrapForm, bubblewrapArguments } from './bubblewrap.js';
import type { Form } from './form.js';
import { findProgram, sharesMounts } from './machine.js';
import { sandboxExecInvocation } from './sandbox_exec.js';
import { findUtilLinux, utilLinuxInvocation } from './util_linux.js';

/** The forms that may work on this machine, the best first. */
export function formsOf(only: SandboxKind | null): Form[] {
  const all = process.platform === 'darwin' ? [sandboxExec()] : [...bubblewraps(), ...utilLinuxes()];
  return all.filter(({ kind }) => only === null || kind === only);
}

function bubblewraps(): Form[] {
  const program = findProgram('bwrap');
  if (program === null) return [];
  const formOf = (name: string, form: BubblewrapForm): Form => ({
    ...{ kind: 'bubblewrap', name, forbidsNamespaces: form.userNamespace && form.isModern },
    invocation: (input) => ({ program, arguments: bubblewrapArguments(input, form) }),
  });
  const isolated = (form: Form): Form[] => {
    const unshare = sharesMounts() ? unshareMounts() : [];
    const shared = { ...form, name: `${form.name} that sees what is mounted meanwhile` };
    return unshare === null
      ? [shared]
      : [{ ...form, invocation: startedBy(unshare, form) }, ...(unshare.length > 0 ? [shared] : [])];
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

function startedBy([program, ...options]: readonly string[], form: Form): Form['invocation'] {
  return (input) => {
    const invocation = form.invocation(input);
    if (program === undefined) return invocation;
    return { program, arguments: [...options, invocation.program, ...invocation.arguments] };
  };
}

function utilLinuxes(): Form[] {
  const variants = isRoot() ? [true, false] : [true];
  return variants.flatMap((userNamespace): Form[] => {
    const programs = findUtilLinux(userNamespace);
    if (programs === null) return [];
    const name = userNamespace ? 'util-linux' : 'util-linux without a user namespace';
    return [
      {
        ...{ kind: 'util-linux', name, forbidsNamespaces: userNamespace },
        invocation: (input) => utilLinuxInvocation(input, programs),
      },
    ];
  });
}

function sandboxExec(): Form {
  return {
    ...{ kind: 'sandbox-exec', name: 'sandbox-exec', forbidsNamespaces: false },
    invocation: ({ command, machine }) => sandboxExecInvocation(command, machine),
  };
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
