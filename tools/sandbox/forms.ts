import type { SandboxKind } from '../../hub/protocol/methods/tool_methods.js';
import { type BubblewrapForm, bubblewrapArguments } from './bubblewrap.js';
import type { Form } from './form.js';
import { findProgram, sharesMounts } from './machine.js';
import { sandboxExecInvocation } from './sandbox_exec.js';
import { findUtilLinux, utilLinuxInvocation } from './util_linux.js';

/** What could be used here, the best first. */
export function formsOf(only: SandboxKind | null): Form[] {
  const all = process.platform === 'darwin' ? [sandboxExec()] : [...bubblewraps(), ...utilLinuxes()];
  return all.filter(({ kind }) => only === null || kind === only);
}

function bubblewraps(): Form[] {
  const program = findProgram('bwrap');
  if (program === null) return [];
  const of = (name: string, form: BubblewrapForm): Form => ({
    ...{ kind: 'bubblewrap', name, forbidsNamespaces: form.userNamespace && form.isModern },
    invocation: (input) => ({ program, arguments: bubblewrapArguments(input, form) }),
  });
  const apart = (form: Form): Form[] => {
    const first = sharesMounts() ? apartFromMounts() : [];
    const second = { ...form, name: `${form.name} that sees what is mounted meanwhile` };
    return first === null
      ? [second]
      : [{ ...form, invocation: after(first, form) }, ...(first.length > 0 ? [second] : [])];
  };
  return [
    ...apart(of('bubblewrap', { userNamespace: true, isModern: true })),
    ...apart(of('bubblewrap (before 0.8)', { userNamespace: true, isModern: false })),
    ...(isRoot() ? apart(of('bubblewrap without a user namespace', { userNamespace: false, isModern: false })) : []),
  ];
}

/**
 * Where mounts are shared, as systemd makes them, a disk that somebody mounts outside while a command runs would be writable
 * inside. bubblewrap begins then in mounts that are nobody else's; null when there is no program to make them.
 */
function apartFromMounts(): string[] | null {
  const unshare = findProgram('unshare');
  if (unshare === null) return null;
  const user = isRoot() ? [] : ['--user', '--map-current-user'];
  return [unshare, ...user, '--mount', '--propagation', 'private'];
}

function after([first, ...given]: readonly string[], form: Form): Form['invocation'] {
  return (input) => {
    const invocation = form.invocation(input);
    if (first === undefined) return invocation;
    return { program: first, arguments: [...given, invocation.program, ...invocation.arguments] };
  };
}

function utilLinuxes(): Form[] {
  const variants = isRoot() ? [true, false] : [true];
  return variants.flatMap((userNamespace): Form[] => {
    const found = findUtilLinux(userNamespace);
    if (found === null) return [];
    const name = userNamespace ? 'util-linux' : 'util-linux without a user namespace';
    return [
      {
        ...{ kind: 'util-linux', name, forbidsNamespaces: userNamespace },
        invocation: (input) => utilLinuxInvocation(input, found),
      },
    ];
  });
}

function sandboxExec(): Form {
  return {
    ...{ kind: 'sandbox-exec', name: 'sandbox-exec', forbidsNamespaces: false },
    invocation: ({ command, place }) => sandboxExecInvocation(command, place),
  };
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
