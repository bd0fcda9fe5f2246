/** One attempt to get out, as a script of bash that says ESCAPED when it has. */
export interface Escape {
  name: string;
  script: string;
  how: How;
}

/** What an attempt needs so that it works without a sandbox. */
export interface How {
  /** Nobody but root can do it outside either. */
  onlyRoot?: true;
  /** Outside it is tried in a mount namespace that is thrown away, where this comes first. */
  thrownAway?: string;
  /** Which folder is the project; a repository of git when nothing is said. */
  project?: 'plain' | 'closed' | 'linked' | 'home' | 'kept';
  /** It is run on a terminal. */
  onTerminal?: true;
  /** Once it says `ready`, a disk with a secret is mounted outside on `disk` in the project, and then `mounted` made. */
  mounts?: true;
  /** It has escaped when a process with this mark in its arguments is left. */
  leaves?: true;
  /** It can be tried where this succeeds. */
  needs?: string;
}

export function tryTo(name: string, script: string, how: How = {}): Escape {
  return { name, script, how };
}

/** What every script may call. */
export const PRELUDE = [
  'escaped() { echo ESCAPED; }',
  'holds() { grep -qs CANARY "$@"; }',
  'reach() { perl -MIO::Socket::UNIX -e \'exit(IO::Socket::UNIX->new(Peer => $ARGV[0]) ? 0 : 1)\' "$1"; }',
  'cd "$PROJECT"',
  '',
].join('\n');

/** No other process may be looked into where the kernel's Yama forbids it to everybody. */
export const WITHOUT_YAMA =
  '[ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" = 0 ] || [ "$(id -u)" = 0 ]';
export const ON_X64 = '[ "$(uname -m)" = x86_64 ]';
