import { userInfo } from 'node:os';
import { HubError } from '../../hub/base/error.js';
import type { MachinePaths } from '../base/parts.js';

/** The most bytes of an environment; the kernel takes about as many, less what the arguments need. */
const ENVIRONMENT_BYTES_MAX = 2 * 1024 * 1024;
/** What the variables may take that a branch has changed: with more a command's own changes are not remembered. */
const CHANGES_BYTES_MAX = 1024 * 1024;
/** What is remembered of all commands together. */
const REMEMBERED_MAX = 10_000;
const REMEMBERED_BYTES_MAX = 16 * 1024 * 1024;

export type Environment = Readonly<Record<string, string>>;

/** What commands have changed of the environment; null stands for a variable that was taken away. */
export type Changes = ReadonlyMap<string, string | null>;

// What would run something of its own in the next command, or belongs to the shell itself.
const NEVER_CARRIED =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|PS4|GLIBC_TUNABLES|GCONV_PATH|NODE_OPTIONS|PERL5OPT|PYTHONSTARTUP|RUBYOPT|PWD|OLDPWD|SHLVL|_|COGNITION_.*)$/;

/** Takes what a caller has, as far as it can be handed to a process. */
export function checkedEnvironment(given: Environment): Environment {
  const entries = Object.entries(given).filter(([name]) => name !== '' && !/[=\0]/.test(name));
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

/** What a model's commands get: nothing of a person's but where programs are and how text is written. */
export function sparseEnvironment(given: Environment | null, place: MachinePaths): Environment {
  const name = given?.USER ?? given?.LOGNAME ?? nameOfUser();
  const passed = Object.entries(given ?? {}).filter(([variable]) =>
    /^(LANG|LC_[A-Z]+|TZ|COGNITION_SESSION)$/.test(variable),
  );
  return {
    PATH: given?.PATH ?? place.path,
    HOME: place.userHome,
    USER: name,
    LOGNAME: name,
    LANG: 'C.UTF-8',
    ...Object.fromEntries(passed),
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
  };
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'user'; // the system has no entry for this user
  }
}

/** An environment with changes made to it. */
export function changed(environment: Environment, changes: Changes): Record<string, string> {
  const result = { ...environment };
  for (const [name, value] of changes) {
    if (value === null) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** The changes up to a command and those that it made itself, by what it was given and what it left. */
export function changesAfter(before: Changes, given: Environment, left: ReadonlyMap<string, string>): Changes {
  const own = new Map<string, string | null>();
  for (const [name, value] of left) {
    if (!NEVER_CARRIED.test(name) && given[name] !== value) own.set(name, value);
  }
  for (const name of Object.keys(given)) {
    if (!NEVER_CARRIED.test(name) && !left.has(name) && isNameOfShell(name)) own.set(name, null);
  }
  return own.size === 0 ? before : new Map([...before, ...own]);
}

// Bash passes on what it cannot hold in a variable, and does not tell of it.
function isNameOfShell(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** What a person's own commands have changed, by the command. It lives in memory only. */
export interface Carried {
  /** As the last of these commands that is known left it; the newest comes first. */
  find(commands: readonly string[]): Changes;
  remember(command: string, changes: Changes): void;
}

const NO_CHANGES: Changes = new Map();

/** Starts with nothing remembered. */
export function createCarried(): Carried {
  // A map keeps the order in which it was filled: the first is what was not used for the longest time.
  const byCommand = new Map<string, { changes: Changes; bytes: number }>();
  let bytes = 0;

  function forget(command: string): void {
    bytes -= byCommand.get(command)?.bytes ?? 0;
    byCommand.delete(command);
  }

  return {
    find(commands) {
      for (const command of commands) {
        const known = byCommand.get(command);
        if (known === undefined) continue;
        byCommand.delete(command);
        byCommand.set(command, known);
        return known.changes;
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

function sizeOf(changes: Changes): number {
  let size = 100;
  for (const [name, value] of changes) size += 100 + 2 * (name.length + (value?.length ?? 0));
  return size;
}
