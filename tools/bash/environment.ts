import { userInfo } from 'node:os';
import { HubError } from '../../hub/base/error.js';
import type { MachinePaths } from '../base/tool_parts.js';
import type { OwnState } from './shell_state.js';

/** The most bytes of an environment: about what the kernel takes, less what the arguments need. */
const ENVIRONMENT_BYTES_MAX = 2 * 1024 * 1024;
/** The most bytes of variables changed on a branch; beyond that a command's changes are not remembered. */
const CHANGES_BYTES_MAX = 1024 * 1024;
/** Limits of what is remembered for all commands together. */
const REMEMBERED_MAX = 10_000;
const REMEMBERED_BYTES_MAX = 16 * 1024 * 1024;

export type Environment = Readonly<Record<string, string>>;

/** Changes that commands made to the environment; null for a removed variable. */
export type Changes = ReadonlyMap<string, string | null>;

// Variables that would run code in the next command, or belong to the shell itself.
const NEVER_CARRIED =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|PS4|GLIBC_TUNABLES|GCONV_PATH|NODE_OPTIONS|PERL5OPT|PYTHONSTARTUP|RUBYOPT|PWD|OLDPWD|SHLVL|_|COGNITION_.*)$/;

/** The variables of a caller that can be passed to a process. */
export function checkEnvironment(environment: Environment): Environment {
  const entries = Object.entries(environment).filter(([name]) => name !== '' && !/[=\0]/.test(name));
  const broken = entries.find(([, value]) => value.includes('\0'));
  if (broken !== undefined) {
    throw new HubError('invalid_params', `the variable ${broken[0]} holds a NUL character`, {
      hint: 'no process can be given such a variable',
    });
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + 2, 0);
  if (bytes > ENVIRONMENT_BYTES_MAX) {
    throw new HubError('limit', `the environment has ${bytes} bytes; it may have ${ENVIRONMENT_BYTES_MAX}`, {
      hint: "unset the largest variables: env | awk '{ print length, $0 }' | sort -n | tail",
    });
  }
  return Object.fromEntries(entries);
}

/** The environment of a model's commands: of a person's only the search path, the locale and the time zone. */
export function sparseEnvironment(environment: Environment | null, machine: MachinePaths): Environment {
  const name = environment?.USER ?? environment?.LOGNAME ?? nameOfUser();
  const locale = Object.entries(environment ?? {}).filter(([variable]) =>
    /^(LANG|LC_[A-Z]+|TZ|COGNITION_SESSION)$/.test(variable),
  );
  return {
    PATH: environment?.PATH ?? machine.path,
    HOME: machine.userHome,
    USER: name,
    LOGNAME: name,
    LANG: 'C.UTF-8',
    ...Object.fromEntries(locale),
    TERM: 'dumb',
    TMPDIR: '/tmp',
    SHELL: '/bin/bash',
    // Programs that would wait for a person, or draw for one.
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    MANPAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    DEBIAN_FRONTEND: 'noninteractive',
    NO_COLOR: '1',
    // Its search for leaks traces the program, which the sandbox refuses: it would end each program with a failure.
    ASAN_OPTIONS: 'detect_leaks=0',
  };
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'user'; // the system has no entry for this user
  }
}

/** The environment with the changes applied. */
export function applyChanges(environment: Environment, changes: Changes): Record<string, string> {
  const result = { ...environment };
  for (const [name, value] of changes) {
    if (value === null) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** What a person's own commands on a branch have changed in their shell. */
export interface ShellChanges extends Pick<OwnState, 'definitions' | 'umask'> {
  variables: Changes;
}

/** The changes before a command, and those that it made itself: what it exported, compared with what it was started with. */
export function changesAfter(before: ShellChanges, environment: Environment, state: OwnState): ShellChanges {
  const { exported, definitions, umask } = state;
  const own = new Map<string, string | null>();
  for (const [name, value] of exported) {
    if (!NEVER_CARRIED.test(name) && environment[name] !== value) own.set(name, value);
  }
  for (const name of Object.keys(environment)) {
    if (!NEVER_CARRIED.test(name) && !exported.has(name) && isShellName(name)) own.set(name, null);
  }
  return { variables: own.size === 0 ? before.variables : new Map([...before.variables, ...own]), definitions, umask };
}

// Bash passes on names that it cannot hold in a variable, and does not report them.
function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** The changes of a person's own commands, by command. In memory only. */
export interface CarriedChanges {
  /** The changes after the first of these commands that is remembered; the newest comes first. */
  find(commands: readonly string[]): ShellChanges;
  remember(command: string, changes: ShellChanges): void;
}

/** What a shell begins with that nothing was done in. */
export const NO_CHANGES: ShellChanges = { variables: new Map(), definitions: null, umask: null };

export function createCarriedChanges(): CarriedChanges {
  // A map keeps insertion order: the first entry is the least recently used.
  const byCommand = new Map<string, { changes: ShellChanges; bytes: number }>();
  let bytes = 0;

  function forget(command: string): void {
    bytes -= byCommand.get(command)?.bytes ?? 0;
    byCommand.delete(command);
  }

  return {
    find(commands) {
      for (const command of commands) {
        const entry = byCommand.get(command);
        if (entry === undefined) continue;
        byCommand.delete(command);
        byCommand.set(command, entry);
        return entry.changes;
      }
      return NO_CHANGES;
    },
    remember(command, changes) {
      const size = sizeOf(changes);
      if (size > CHANGES_BYTES_MAX) return;
      forget(command);
      byCommand.set(command, { changes, bytes: size });
      bytes += size;
      for (const oldest of byCommand.keys()) {
        if (bytes <= REMEMBERED_BYTES_MAX && byCommand.size <= REMEMBERED_MAX) break;
        forget(oldest);
      }
    },
  };
}

function sizeOf({ variables, definitions }: ShellChanges): number {
  let size = 100 + (definitions?.length ?? 0);
  for (const [name, value] of variables) size += 100 + 2 * (name.length + (value?.length ?? 0));
  return size;
}
