import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '../../../hub/base/disk/make_folder.js';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { temporaryFolder } from '../../../hub/config/config.js';
import type { MachinePaths } from '../../base/tool_parts.js';
import { tasksOf } from '../../process/use_limits.js';
import { attempt, valueOrNull } from '../attempt.js';
import type { SandboxCommand, WrappedCommand } from '../invocation.js';
import type { Form, FormTrial } from './form.js';
import { attemptsOf, type ProbeTargets } from './probe_attempts.js';

const PROBE_MS_MAX = 5_000;
const LEFT_MS_MIN = 60_000;
const OUTPUT_BYTES_MAX = 65_536;
/** What stays outside, the first process of the namespace, and the script. */
const TASKS_MIN = 3;
const COUNTED = 'what a command uses is counted from outside, and limited';
/** The exit code of a probe that ran to its end. */
const EXIT_CODE = 7;

interface ProbeParts {
  machine: MachinePaths;
  wrap(command: SandboxCommand): WrappedCommand;
}

/** Tries a form: runs inside what must fail and what must work. */
export async function probe(form: Form, { machine, wrap }: ProbeParts): Promise<FormTrial> {
  const targets = await plantTargets(machine).catch(cannotTry);
  try {
    return await tryForm(form, targets, wrap);
  } catch (error) {
    return { form, holds: [], failure: reasonOf(error) };
  } finally {
    targets.remove();
  }
}

/** Nothing was tried, so nothing is known: that is no reason to work without a sandbox. */
function cannotTry(error: unknown): never {
  throw new HubError(
    'sandbox_unavailable',
    `the sandbox could not be tried in ${temporaryFolder()}: ${reasonOf(error)}`,
    {
      hint: ['make room there, or set TMPDIR to a folder that can be written, then: ', cliCommand('hub stop')],
      cause: error,
    },
  );
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function tryForm(form: Form, targets: PlantedTargets, wrap: ProbeParts['wrap']): Promise<FormTrial> {
  const attempts = attemptsOf(targets, form);
  const wrapped = wrap({
    program: 'bash',
    arguments: ['-c', scriptOf(attempts.map(({ script }) => script))],
    policy: { kind: 'contained', network: false, writable: [targets.project], readable: null },
    cwd: targets.project,
    tmp: targets.tmp,
  });
  try {
    const { code, stdout, stderr, tasks } = await run(wrapped);
    const refused = attempts.filter((_, index) => stdout.includes(`held ${index}\n`));
    const allowed = attempts.filter((_, index) => !stdout.includes(`held ${index}\n`));
    const failure = failureOf({
      code,
      stderr,
      works: stdout.includes('works\n'),
      allowed: allowed.map(({ holds }) => holds),
    });
    const holds = [...refused.map(({ holds }) => holds), ...(tasks >= TASKS_MIN ? [COUNTED] : [])];
    return { form, holds: failure === null ? holds : [], failure };
  } finally {
    wrapped.release();
  }
}

function failureOf(result: { code: number | null; stderr: string; works: boolean; allowed: string[] }): string | null {
  const firstLine = result.stderr.trim().split('\n', 1)[0]?.slice(0, 300);
  if (!result.works || result.code !== EXIT_CODE) return firstLine || `it ended with ${result.code}`;
  return result.allowed.length === 0 ? null : `it does not hold: ${result.allowed.join(', ')}`;
}

/** Prints `held` and the index of each attempt that fails. */
function scriptOf(attempts: readonly string[]): string {
  const tries = attempts.map((script, index) => `if ( ${script} ) >&9 2>&9; then :; else echo held ${index}; fi`);
  const works = 'echo text > made && [ "$(cat made)" = text ] && [ -r /usr ] && : > /tmp/made && echo works';
  return ['exec 9>/dev/null', ...tries, works, `exit ${EXIT_CODE}`].join('\n');
}

interface ScriptResult {
  code: number | null;
  /** Its processes as they were seen from outside while it ran. */
  tasks: number;
  stdout: string;
  stderr: string;
}

function run({ program, arguments: parameters }: WrappedCommand): Promise<ScriptResult> {
  const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
  const child = spawn(program, parameters, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH },
    timeout: PROBE_MS_MAX,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  let tasks = 0;
  child.stdout.on('data', () => {
    tasks = Math.max(tasks, tasksOf(child.pid ?? 0));
  });
  for (const from of ['stdout', 'stderr'] as const) {
    child[from].on('data', (bytes: Buffer) => {
      if (output[from].length < OUTPUT_BYTES_MAX) output[from] += bytes.toString('latin1');
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, tasks, ...output }));
  });
}

type PlantedTargets = ProbeTargets & { tmp: string; remove(): void };

/** Removes what killed probes left in the home folder; a running one needs only seconds. */
function removeLeftOvers(home: string): void {
  for (const name of readdirSync(home).filter((one) => /^\.cognition-probe-[0-9a-f]{12}$/.test(one))) {
    const path = join(home, name);
    if (Date.now() - statSync(path).mtimeMs > LEFT_MS_MIN) rmSync(path, { force: true });
  }
}

/** Creates the files, sockets and servers that must not be reached. */
async function plantTargets(machine: MachinePaths): Promise<PlantedTargets> {
  const name = `cognition-probe-${randomBytes(6).toString('hex')}`;
  const folder = join(temporaryFolder(), name);
  const project = join(folder, 'project');
  const homeFile = join(machine.userHome, `.${name}`);
  const keptFile = join(machine.cognitionHome, name);
  attempt(() => removeLeftOvers(machine.userHome));
  for (const path of ['.git/hooks', '.git/objects', '.git/refs']) makeFolder(join(project, path));
  mkdirSync(join(folder, 'tmp'));
  writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(project, '.git/config'), '');
  // In a home folder that cannot be written there is nothing to plant.
  attempt(() => writeFileSync(homeFile, 'planted', { flag: 'wx', mode: 0o600 }));
  writeFileSync(keptFile, 'planted', { flag: 'wx', mode: 0o600 });
  const tcp = await listen({ host: '127.0.0.1', port: 0 });
  const socket = join(project, 'socket');
  const unix = await listen({ path: socket });
  const address = tcp.address();
  return {
    ...{ project, homeFile, keptFile, socket, outside: `/usr/${name}` },
    port: address !== null && typeof address === 'object' ? address.port : 0,
    pid: process.pid,
    namespaces: valueOrNull(() => readlinkSync('/proc/self/ns/pid')) ?? '',
    tmp: join(folder, 'tmp'),
    remove() {
      tcp.close();
      unix.close();
      for (const path of [folder, homeFile, keptFile, `/usr/${name}`])
        attempt(() => rmSync(path, { recursive: true, force: true }));
    },
  };
}

function listen(address: { host: string; port: number } | { path: string }): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => resolve(server));
  });
}
