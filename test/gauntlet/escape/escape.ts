/** One escape attempt: a bash script that prints ESCAPED when it succeeds. */
export interface Escape {
  name: string;
  script: string;
  how: How;
}

/** What an attempt needs so that it works without a sandbox. */
export interface How {
  /** Only root can do it outside the sandbox. */
  onlyRoot?: true;
  /** Outside it runs in a temporary mount namespace, after this setup. */
  thrownAway?: string;
  /** The project folder; a git repository by default. */
  project?: 'plain' | 'closed' | 'linked' | 'home' | 'kept';
  /** It is run on a terminal. */
  onTerminal?: true;
  /** Once it says `ready`, a disk with a secret is mounted outside on `disk` in the project, and then `mounted` made. */
  mounts?: true;
  /** It has escaped when a process with this mark in its arguments survives. */
  leaves?: true;
  /** It is tried only where this command succeeds. */
  needs?: string;
  /** Outside it may fail as well, where the kernel or the machine has no such thing; then it shows nothing. */
  mayFail?: true;
}

export function tryTo(name: string, script: string, how: How = {}): Escape {
  return { name, script, how };
}

/** Functions for every script. */
export const PRELUDE = [
  'escaped() { echo ESCAPED; }',
  'holds() { grep -qs CANARY "$@"; }',
  'reach() { perl -MIO::Socket::UNIX -e \'exit(IO::Socket::UNIX->new(Peer => $ARGV[0]) ? 0 : 1)\' "$1"; }',
  'cd "$PROJECT"',
  '',
].join('\n');

/** Where the kernel's Yama forbids it to everybody, no process can be inspected. */
export const WITHOUT_YAMA =
  '[ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" = 0 ] || [ "$(id -u)" = 0 ]';
export const ON_X64 = '[ "$(uname -m)" = x86_64 ]';
