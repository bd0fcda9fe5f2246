import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, readSync, rmSync, writeSync } from 'node:fs';
import type { SpareFile } from '../process/spare_files.js';

/** The most bytes that a command may leave of its folder and environment. */
const REPORT_BYTES_MAX = 4 * 1024 * 1024;
/** The kernel takes no argument of 128 KiB or more. */
const ARGUMENT_BYTES_MAX = 100_000;
const TEXT_VARIABLE = 'COGNITION_TEXT';

/** How a shell is told what to do first and last, and where it leaves its state. */
export interface Control {
  fd: number;
  /** What follows `bash -c`. */
  argument: string;
  /** Additions to the environment of the shell itself. */
  environment: Record<string, string>;
  /** The state that it left; null when it left none or not all of it. */
  read(): ShellState | null;
  close(): void;
}

/** What a shell was when it ended. */
export interface ShellState {
  cwd: string;
  /** Its own background jobs that were running. */
  jobs: number;
  /** What it exported; null when nobody asked for it. */
  exported: ReadonlyMap<string, string> | null;
}

export interface Wanted {
  command: string;
  umask: number;
  /** Whether its exported environment is wanted. */
  exported: boolean;
  /** Whether the shell becomes the program that it is to run: then it leaves no state. */
  inPlace: boolean;
  /** What the environment has as BASH_ENV for the command itself. */
  bashEnv: string | undefined;
}

/**
 * A file without a name that the shell has as descriptor 3: it reads there what comes before its command, as it reads
 * the file that BASH_ENV names, and writes there what it was at its end. So nothing is added to the command itself, and
 * neither its line numbers nor its messages change.
 */
export function createControl({ fd, path }: SpareFile, wanted: Wanted): Control {
  const end = randomBytes(8).toString('hex');
  const isLong = Buffer.byteLength(wanted.command) > ARGUMENT_BYTES_MAX;
  const prologue = Buffer.from(prologueOf(wanted, { end, isLong }));
  rmSync(path, { force: true });
  writeAll(fd, prologue);
  return {
    fd,
    argument: isLong ? `eval "unset ${TEXT_VARIABLE}; $${TEXT_VARIABLE}"` : wanted.command,
    environment: { BASH_ENV: '/dev/fd/3' },
    read: () => reportIn(readFrom(fd, prologue.length), end),
    close: () => closeSync(fd),
  };
}

/** A file that cannot be written is closed. */
function writeAll(fd: number, content: Buffer): void {
  try {
    for (let done = 0; done < content.length; ) done += writeSync(fd, content, done);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

// The high descriptor stays out of the way of a command's own. Whatever the command has set or defined must neither
// disturb the trap nor be disturbed by it: a failing write is no failure of the command.
const REPORT_FD = 198;

function prologueOf(wanted: Wanted, { end, isLong }: { end: string; isLong: boolean }): string {
  const { command, umask, bashEnv } = wanted;
  return [
    bashEnv === undefined ? 'unset BASH_ENV' : `export BASH_ENV=${quoted(bashEnv)}`,
    `umask ${umask.toString(8).padStart(4, '0')}`,
    ...(wanted.inPlace ? ['exec 3>&-'] : reporting(wanted, end)),
    ...(isLong ? [`${TEXT_VARIABLE}=${quoted(command)}`] : []),
    ...(bashEnv === undefined ? [] : [`if [ -r ${quoted(bashEnv)} ]; then . ${quoted(bashEnv)}; fi`]),
    '',
  ].join('\n');
}

function reporting({ exported }: Wanted, end: string): string[] {
  const quiet = '{ set +exuv; trap - DEBUG ERR; } 2>/dev/null';
  const report = [
    'builtin pwd',
    'builtin printf "\\0"',
    'builtin jobs -pr',
    'builtin printf "\\0"',
    ...(exported ? ['builtin export -p'] : []),
    `builtin printf "\\0%s" ${end}`,
  ].join('; ');
  return [
    `{ exec ${REPORT_FD}>&3 3>&-; } 2>/dev/null`,
    `trap '${quiet}; { ${report}; } >&${REPORT_FD} 2>/dev/null || :' EXIT`,
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function readFrom(fd: number, start: number): Buffer {
  const size = Math.min(fstatSync(fd).size - start, REPORT_BYTES_MAX);
  const bytes = Buffer.alloc(Math.max(0, size));
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
}

/** What was reported, as far as it is whole: one that was cut off tells nothing. */
function reportIn(bytes: Buffer, end: string): ShellState | null {
  // One report and nothing else: what a child of the command wrote there as well makes all of it worthless.
  const [cwd, jobs, exported, last, ...others] = bytes.toString('latin1').split('\0');
  if (others.length > 0) return null;
  if (cwd === undefined || jobs === undefined || exported === undefined || last !== end) return null;
  const folder = utf8(cwd.replace(/\n$/, ''));
  if (folder === null || !folder.startsWith('/')) return null;
  return {
    cwd: folder,
    jobs: jobs === '' ? 0 : jobs.trimEnd().split('\n').length,
    exported: exported === '' ? null : exportedIn(exported),
  };
}

/** Reads what `export -p` prints, each character standing for one byte. */
function exportedIn(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const name = /(?:declare -[a-zA-Z]*x[a-zA-Z]*|export) ([A-Za-z_][A-Za-z0-9_]*)/y;
  while (name.lastIndex < text.length) {
    const at = name.lastIndex;
    const [, variable] = name.exec(text) ?? [];
    if (variable === undefined) {
      // An array or something newer than this: on with the next line.
      const line = text.indexOf('\n', at);
      if (line === -1) break;
      name.lastIndex = line + 1;
      continue;
    }
    const { value, next } = valueAt(text, name.lastIndex);
    const read = value === null ? null : utf8(value);
    if (read !== null) found.set(variable, read);
    name.lastIndex = next;
  }
  return found;
}

const DOUBLE_QUOTED = /="([^"\\]*(?:\\[\s\S][^"\\]*)*)"\n/y;
const ANSI_QUOTED = /=\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)'\n/y;

function valueAt(text: string, start: number): { value: string | null; next: number } {
  DOUBLE_QUOTED.lastIndex = start;
  const [whole, plain] = DOUBLE_QUOTED.exec(text) ?? [];
  if (whole !== undefined && plain !== undefined) {
    return { value: plain.replace(/\\([$`"\\])/g, '$1').replace(/\\\n/g, ''), next: start + whole.length };
  }
  ANSI_QUOTED.lastIndex = start;
  const [ansi, escaped] = ANSI_QUOTED.exec(text) ?? [];
  if (ansi !== undefined && escaped !== undefined) return { value: unescaped(escaped), next: start + ansi.length };
  const line = text.indexOf('\n', start);
  return { value: null, next: line === -1 ? text.length : line + 1 };
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|[\s\S])/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
}

/** Null for bytes that are no text: Node cannot hand them on unchanged. */
function utf8(latin: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin, 'latin1'));
  } catch {
    return null; // the caller leaves it out
  }
}
