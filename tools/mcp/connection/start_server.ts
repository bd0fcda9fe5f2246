import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { isWithin } from '../../../hub/base/is_within.js';
import type { Contained } from '../../../hub/protocol/policy.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { endFamily } from '../../process/end_family.js';
import { findProgram, folderOf } from '../../process/find_program.js';
import { usualLimits, watchUse } from '../../process/use_limits.js';
import type { Sandbox } from '../../sandbox/forms/sandbox.js';
import type { Invocation } from '../../sandbox/invocation.js';
import { attempt } from '../../walk/pinned_folder.js';
import { type ServerDefinition, withValues } from '../config/server_definition.js';

/** Set in the environment of every process that is started for somebody. */
const MARKER_VARIABLE = 'COGNITION_COMMAND';
/** Variables that a configuration does not say. */
const OURS: readonly string[] = ['HOME', MARKER_VARIABLE];
const READABLE_MAX = 50;
const STDERR_LENGTH_MAX = 2_000;
/** Where a server sees its own folder in the sandbox. */
const HOME_INSIDE = '/run/cognition/home';
/** What a server's variables are called until it is in the sandbox: one of the loader would count for the sandbox itself. */
const CARRIED = 'COGNITION_CARRIED_';

export interface ServerStart {
  server: ServerDefinition;
  project: string;
  network: boolean;
  /** What variables of the person say that the configuration names. */
  values: Readonly<Record<string, string>>;
  /** The person's search path; null for the usual one. */
  path: string | null;
}

export interface ServerProcess {
  child: ChildProcess;
  isAlive(): boolean;
  /** The end of what it has written to its standard error, or why it was ended. */
  lastWords(): string;
  /** Ends it with all that it has started. */
  end(reason?: string): Promise<void>;
}

/** Starts the program of a server in the sandbox: it reads the project, and writes nothing but a folder of its own. */
export async function startServer(
  { machine, sessionsFolder, sandbox }: Pick<ToolParts, 'machine' | 'sessionsFolder'> & { sandbox: Sandbox },
  start: ServerStart,
): Promise<ServerProcess> {
  const { server, project, network, path } = start;
  const said = saidBy(start);
  const { kind, problem } = await sandbox.report();
  if (kind === 'none' || kind === 'sandbox-exec') {
    throw new HubError(
      'sandbox_unavailable',
      `no sandbox on this machine can hold ${server.name}: ${problem ?? kind}`,
      {
        hint: ['install bubblewrap; see: ', cliCommand('doctor')],
      },
    );
  }
  const marker = randomBytes(16).toString('hex');
  const tmp = join(sessionsFolder, `server-${marker}`);
  const home = join(machine.cognitionHome, 'tool-servers', server.sha256);
  for (const folder of [tmp, home]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const searchPath = said.environment.PATH ?? path ?? machine.path;
  const named = namedPaths([said.command, ...said.arguments, said.cwd], machine.userHome);
  const readable = [project, ...named, ...programPaths(said.command, { searchPath, userHome: machine.userHome })];
  const policy: Contained = { kind: 'contained', network, writable: [], readable };
  const wrapped = await sandbox.wrap({
    ...{ ...shellOf(said), policy, cwd: said.cwd, tmp },
    mounts: [{ kind: 'bind', path: HOME_INSIDE, source: home, writable: true, isFolder: true }],
  });
  const environment = {
    ...{ PATH: path ?? machine.path, LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1', TMPDIR: '/tmp' },
    ...Object.fromEntries(Object.entries(said.environment).map(([name, text]) => [`${CARRIED}${name}`, text])),
    ...{ HOME: HOME_INSIDE, [MARKER_VARIABLE]: marker },
  };
  return watched(wrapped, { environment, marker, disk: machine.cognitionHome });
}

/** What a command line names on the disk: folders, and files with what lies beside them. */
function namedPaths(words: readonly string[], userHome: string): string[] {
  const paths = words.flatMap((word) => {
    const path = word.startsWith('/') ? attempt(() => realpathSync(word)) : null;
    const stats = path === null ? null : attempt(() => statSync(path));
    if (path === null || stats === null) return [];
    // Beside a file right in the home folder lies everything.
    return stats.isDirectory() || isWithin(userHome, dirname(path)) ? [path] : [dirname(path)];
  });
  return [...new Set(paths)].slice(0, READABLE_MAX);
}

/** The folder of the search path in which a program stands, and that of what stands there as a link. */
function programPaths(command: string, { searchPath, userHome }: { searchPath: string; userHome: string }): string[] {
  if (command.includes('/')) return [];
  const folder = searchPath.split(':').find((one) => findProgram(command, one) !== null);
  const program = folder === undefined ? null : findProgram(command, folder);
  if (folder === undefined || program === null) return [];
  return [folder, folderOf(program)].filter((path) => !isWithin(userHome, path));
}

/** A shell that says the server's own variables and becomes the server. */
function shellOf({ command, arguments: words, environment }: SaidByServer): Invocation {
  const names = Object.keys(environment);
  const script = [...names.map((name) => `export ${name}="$${CARRIED}${name}"; unset ${CARRIED}${name}`), 'exec "$@"'];
  return { program: '/bin/sh', arguments: ['-c', script.join('\n'), 'sh', command, ...words] };
}

interface SaidByServer {
  command: string;
  arguments: string[];
  environment: Record<string, string>;
  cwd: string;
}

/** The command line with the values of the person's variables in it; only its own reach a server. */
function saidBy({ server, values, project }: ServerStart): SaidByServer {
  const missing = new Set<string>();
  const filled = (text: string): string => withValues(text, values, missing);
  const said = {
    command: filled(server.command ?? ''),
    arguments: server.arguments.map(filled),
    environment: Object.fromEntries(
      Object.entries(server.environment).flatMap(([name, text]) => (OURS.includes(name) ? [] : [[name, filled(text)]])),
    ),
    cwd: server.cwd === null ? project : filled(server.cwd),
  };
  if (missing.size > 0) {
    throw new HubError(
      'invalid_params',
      `${server.name} wants ${[...missing].join(', ')}, which your environment does not say`,
      {
        hint: `set it, or write it into ${server.source}`,
      },
    );
  }
  if (!/^[^-\0][^\0]{0,4095}$/.test(said.command)) {
    throw new HubError('invalid_params', `${server.name} has no program that could be run`);
  }
  const cwd = isAbsolute(said.cwd) ? attempt(() => realpathSync(said.cwd)) : null;
  if (cwd === null) throw new HubError('invalid_params', `${server.name} is to start in a folder that is not there`);
  return { ...said, cwd };
}

interface Watching {
  environment: Record<string, string>;
  marker: string;
  disk: string;
}

async function watched(
  { program, arguments: words, release }: { program: string; arguments: readonly string[]; release(): void },
  { environment, marker, disk }: Watching,
): Promise<ServerProcess> {
  const child = await spawned(program, words, environment).catch((error: unknown) => {
    release();
    throw error;
  });
  const family = { marker, leader: child.pid ?? null };
  let stderr = '';
  let isAlive = true;
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString('utf8')).slice(-STDERR_LENGTH_MAX);
  });
  const end = async (reason?: string): Promise<void> => {
    if (reason !== undefined) stderr = reason;
    await endFamily(family, 'SIGTERM');
  };
  const stopWatching = watchUse(child.pid ?? 0, usualLimits(disk), (reason) => {
    end(`it was ended: it ${reason}`).catch(() => undefined);
  });
  child.once('exit', () => {
    isAlive = false;
    stopWatching();
    // What it has left in the background goes with it.
    end().then(release, release);
  });
  return { child, isAlive: () => isAlive, lastWords: () => stderr.trim(), end };
}

function spawned(program: string, words: readonly string[], env: Record<string, string>): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words], { cwd: '/', env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    child.once('error', reject);
    child.once('spawn', () => resolve(child));
  });
}
