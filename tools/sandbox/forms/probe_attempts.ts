import { shellQuote } from '../../base/shell_quote.js';
import type { Form } from './form.js';

/** Targets outside that the probe tries to reach. */
export interface ProbeTargets {
  project: string;
  /** A file in the person's home folder. */
  homeFile: string;
  /** A file in cognition's home. */
  keptFile: string;
  /** A Unix socket with a listener, in the project itself. */
  socket: string;
  /** An unused path in a folder of the system. */
  outside: string;
  /** Of a server on the loopback interface. */
  port: number;
  pid: number;
  /** The process namespace outside, as `/proc/self/ns/pid` names it. */
  namespaces: string;
}

export interface Attempt {
  /** The property that holds when the script fails. */
  holds: string;
  /** A line of bash that succeeds when the sandbox lets it through. */
  script: string;
}

/** The scripts that must fail inside. */
export function attemptsOf(targets: ProbeTargets, form: Form): Attempt[] {
  const linux: Attempt[] = [
    {
      holds: 'no process outside can be seen or signalled',
      script: `[ "$(readlink /proc/self/ns/pid)" = ${shellQuote(targets.namespaces)} ]`,
    },
    { holds: 'the system cannot be made writable again', script: 'mount -o remount,rw,bind /usr' },
    {
      holds: 'no rights are left',
      script: `grep -Eq '^Cap(Prm|Eff|Bnd):.*[1-9a-f]' /proc/self/status || ! grep -q '^NoNewPrivs:.*1' /proc/self/status`,
    },
    {
      holds: 'the kernel cannot be set',
      script: '[ -w /proc/sys/kernel/core_pattern ] && : >> /proc/sys/kernel/core_pattern',
    },
    { holds: 'sockets of other programs are covered', script: `[ -S ${shellQuote(targets.socket)} ]` },
  ];
  const all: Attempt[] = [
    { holds: 'nothing outside the project can be written', script: `: > ${shellQuote(targets.outside)}` },
    { holds: 'the home folder is hidden', script: `cat ${shellQuote(targets.homeFile)}` },
    { holds: "cognition's own files are hidden", script: `cat ${shellQuote(targets.keptFile)}` },
    { holds: 'no server on this machine can be reached', script: `: 3<>/dev/tcp/127.0.0.1/${targets.port}` },
    { holds: 'the settings of git cannot be written', script: ': >> .git/config' },
    { holds: 'no hook of git can be made', script: ': > .git/hooks/post-commit' },
    { holds: '.git cannot be replaced', script: 'mv .git moved' },
    { holds: '.cognition cannot be made', script: 'rm -rf .cognition && mkdir .cognition && : > .cognition/config' },
  ];
  const filtered = {
    holds: 'dangerous system calls are refused',
    script: `! grep -q '^Seccomp:.*2' /proc/self/status || { : > gaining && chmod u+s gaining; }`,
  };
  const nested = { holds: 'no user namespace can be made', script: 'unshare --user true' };
  return [
    ...(form.kind === 'sandbox-exec' ? [] : linux),
    ...all,
    ...(form.forbidsNamespaces ? [nested] : []),
    ...(form.filtersCalls ? [filtered] : []),
  ];
}
