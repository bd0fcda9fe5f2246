import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, readSync, rmSync, writeSync } from 'node:fs';
import { release } from 'node:os';
import { shellQuote } from '../base/shell_quote.js';
import type { SpareFile } from '../process/spare_files.js';
import { TASKS_HARD_MAX } from '../process/use_limits.js';

/** The most bytes of a shell's report of its folder and environment. */
const REPORT_BYTES_MAX = 4 * 1024 * 1024;
/** The kernel takes no argument of 128 KiB or more. */
const ARGUMENT_BYTES_MAX = 100_000;
const TEXT_VARIABLE = 'COGNITION_TEXT';
const DEFINITIONS_VARIABLE = 'COGNITION_DEFINITIONS';

/** The descriptor through which a shell gets its prologue and reports its state. */
export interface Control {
  fd: number;
  /** The argument of `bash -c`. */
  argument: string;
  /** Additions to the environment of the shell itself. */
  environment: Record<string, string>;
  /** The reported state; null when there is none or not all of it. */
  read(): ShellState | null;
  close(): void;
}

/** The state of a shell at its end. */
export interface ShellState {
  cwd: string;
  /** How many of its background jobs were running. */
  jobs: number;
  /** What a person's own commands leave to the next; null when not asked for. */
  own: OwnState | null;
}

/** What a person's command leaves to the next on its branch. */
export interface OwnState {
  exported: ReadonlyMap<string, string>;
  /** Its functions and aliases as commands that define them; null where they are those that it began with by itself. */
  definitions: Buffer | null;
  /** Null where it is the one that it began with by itself. */
  umask: number | null;
}

export interface ControlOptions {
  command: string;
  umask: number;
  /** What earlier commands left to this one; null for a model's, of which nothing is reported. */
  own: Pick<OwnState, 'definitions' | 'umask'> | null;
  /** Whether the kernel is to count its processes. */
  isLimited: boolean;
  /** Whether the shell execs its only program: then it reports no state. */
  inPlace: boolean;
  /** The BASH_ENV of the command's own environment. */
  bashEnv: string | undefined;
}

/**
 * An unnamed file that the shell has as descriptor 3: it reads the prologue of its command there, as it reads
 * the file that BASH_ENV names, and writes its report there at its end. So nothing is added to the command itself, and
 * neither its line numbers nor its messages change.
 */
export function createControl({ fd, path }: SpareFile, options: ControlOptions): Control {
  const end = randomBytes(8).toString('hex');
  const isLong = Buffer.byteLength(options.command) > ARGUMENT_BYTES_MAX;
  const prologue = Buffer.concat([Buffer.from(prologueOf(options, { end, isLong })), restoreScript(options)]);
  rmSync(path, { force: true });
  writeAll(fd, prologue);
  return {
    fd,
    argument: isLong ? `eval "unset ${TEXT_VARIABLE}; $${TEXT_VARIABLE}"` : options.command,
    environment: { BASH_ENV: '/dev/fd/3' },
    read: () => parseReport(readReport(fd, prologue.length), { end, isOwn: options.own !== null }),
    close: () => closeSync(fd),
  };
}

/** Closes the file when it cannot be written. */
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

/** Before Linux 5.14 the kernel would count all processes of the person. */
const COUNTS_BY_SANDBOX = /^(?:5\.(?:1[4-9]|[2-9]\d)|[6-9]|\d\d)/.test(release());
const LIMITS = COUNTS_BY_SANDBOX ? [`ulimit -u ${TASKS_HARD_MAX} 2>/dev/null || :`] : [];

function prologueOf(options: ControlOptions, { end, isLong }: { end: string; isLong: boolean }): string {
  const { command, umask, bashEnv } = options;
  return [
    bashEnv === undefined ? 'unset BASH_ENV' : `export BASH_ENV=${shellQuote(bashEnv)}`,
    `umask ${octal(umask)}`,
    ...(options.isLimited ? LIMITS : []),
    ...(options.inPlace ? ['exec 3>&-'] : reportScript(options, end)),
    ...(isLong ? [`${TEXT_VARIABLE}=${shellQuote(command)}`] : []),
    ...(bashEnv === undefined ? [] : [`if [ -r ${shellQuote(bashEnv)} ]; then . ${shellQuote(bashEnv)}; fi`]),
    '',
  ].join('\n');
}

// A backslash keeps a word from being an alias, `builtin` from being a function.
const DEFINITIONS = '\\builtin declare -f; \\builtin declare -Fx; \\builtin alias -p';
const SEPARATOR = '\\builtin printf "\\0"';

function reportScript({ own }: ControlOptions, end: string): string[] {
  const quiet = '{ \\builtin set +exuv; \\builtin trap - DEBUG ERR; } 2>/dev/null';
  const report = [
    '\\builtin pwd',
    SEPARATOR,
    '\\builtin jobs -pr',
    SEPARATOR,
    ...(own === null ? [] : ['\\builtin export -p', SEPARATOR, DEFINITIONS, SEPARATOR, '\\builtin umask']),
    `\\builtin printf "\\0%s" ${end}`,
  ].join('; ');
  return [
    `{ exec ${REPORT_FD}>&3 3>&-; } 2>/dev/null`,
    `trap '${quiet}; { ${report}; } >&${REPORT_FD} 2>/dev/null || :' EXIT`,
  ];
}

/** Reports what a person's shell begins with by itself, then restores what earlier commands left. */
function restoreScript({ own, inPlace }: ControlOptions): Buffer {
  if (own === null) return Buffer.alloc(0);
  const lines = inPlace
    ? []
    : [`{ ${DEFINITIONS}; ${SEPARATOR}; \\builtin umask; ${SEPARATOR}; } >&${REPORT_FD} 2>/dev/null || :`];
  if (own.umask !== null) lines.push(`umask ${octal(own.umask)}`);
  if (own.definitions !== null) {
    // Patterns in functions may need extglob to be read. What cannot be read again is left out, and told nobody.
    lines.push(
      `${DEFINITIONS_VARIABLE}=${shellQuote(own.definitions.toString('latin1'))}`,
      'shopt -s expand_aliases',
      `if shopt -q extglob; then eval "$${DEFINITIONS_VARIABLE}"`,
      `else shopt -s extglob; eval "$${DEFINITIONS_VARIABLE}"; \\builtin shopt -u extglob`,
      'fi 2>/dev/null',
      `\\builtin unset ${DEFINITIONS_VARIABLE}`,
    );
  }
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
}

const octal = (umask: number): string => umask.toString(8).padStart(4, '0');

function readReport(fd: number, start: number): Buffer {
  const size = Math.min(fstatSync(fd).size - start, REPORT_BYTES_MAX);
  const bytes = Buffer.alloc(Math.max(0, size));
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
}

/** The reported state; null for a report that was cut off. */
function parseReport(bytes: Buffer, { end, isOwn }: { end: string; isOwn: boolean }): ShellState | null {
  const fields = bytes.toString('latin1').split('\0');
  const [atStart, umaskAtStart] = isOwn ? fields.splice(0, 2) : [];
  const [cwd, jobs, exported, ...rest] = fields;
  const [definitions, umask] = isOwn ? rest.splice(0, 2) : [];
  // Anything that a child of the command wrote there as well makes the report worthless.
  if (cwd === undefined || jobs === undefined || rest.length !== 1 || rest[0] !== end) return null;
  const folder = utf8(cwd.replace(/\n$/, ''));
  if (folder === null || !folder.startsWith('/')) return null;
  const own = {
    exported: parseExported(exported ?? ''),
    definitions: definitions === undefined || definitions === atStart ? null : Buffer.from(definitions, 'latin1'),
    umask: umask === undefined || umask === umaskAtStart ? null : Number.parseInt(umask, 8),
  };
  const running = jobs === '' ? 0 : jobs.trimEnd().split('\n').length;
  return { cwd: folder, jobs: running, own: isOwn && exported !== '' ? own : null };
}

/** Parses the output of `export -p`, where each character stands for one byte. */
function parseExported(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  const name = /(?:declare -[a-zA-Z]*x[a-zA-Z]*|export) ([A-Za-z_][A-Za-z0-9_]*)/y;
  while (name.lastIndex < text.length) {
    const at = name.lastIndex;
    const [, variable] = name.exec(text) ?? [];
    if (variable === undefined) {
      // An array, or a form that this parser does not know: skip the line.
      const line = text.indexOf('\n', at);
      if (line === -1) break;
      name.lastIndex = line + 1;
      continue;
    }
    const { value, next } = valueAt(text, name.lastIndex);
    const read = value === null ? null : utf8(value);
    if (read !== null) variables.set(variable, read);
    name.lastIndex = next;
  }
  return variables;
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

/** Null for bytes that are not UTF-8: Node cannot pass them on unchanged. */
function utf8(latin: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin, 'latin1'));
  } catch {
    return null; // the caller leaves it out
  }
}
