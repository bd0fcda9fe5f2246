import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachinePaths } from '../base/tool_parts.js';
import { attempt, valueOrNull } from './attempt.js';
import type { Form, FormTrial } from './form.js';
import type { SandboxCommand, WrappedCommand } from './invocation.js';
import { attemptsOf, type ProbeTargets } from './probe_attempts.js';

const PROBE_MS_MAX = 5_000;
const LEFT_MS_MIN = 60_000;
const OUTPUT_BYTES_MAX = 65_536;
/** The exit code of a probe that ran to its end. */
const EXIT_CODE = 7;

interface ProbeParts {
  machine: MachinePaths;
  wrap(command: SandboxCommand): WrappedCommand;
}

/** Tries a form: runs inside what must fail and what must work. */
export async function probe(form: Form, { machine, wrap }: ProbeParts): Promise<FormTrial> {
  const failed = (failure: string): FormTrial => ({ form, holds: [], failure });
  let targets: PlantedTargets | null = null;
  try {
    targets = await plantTargets(machine);
    return await tryForm(form, targets, wrap);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    targets?.remove();
  }
}

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
    const { code, stdout, stderr } = await run(wrapped);
    const refused = attempts.filter((_, index) => stdout.includes(`held ${index}\n`));
    const allowed = attempts.filter((_, index) => !stdout.includes(`held ${index}\n`));
    const failure = failureOf({
      code,
      stderr,
      works: stdout.includes('works\n'),
      allowed: allowed.map(({ holds }) => holds),
    });
    return { form, holds: failure === null ? refused.map(({ holds }) => holds) : [], failure };
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
  for (const from of ['stdout', 'stderr'] as const) {
    child[from].on('data', (bytes: Buffer) => {
      if (output[from].length < OUTPUT_BYTES_MAX) output[from] += bytes.toString('latin1');
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
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
  const folder = join(tmpdir(), name);
  const project = join(folder, 'project');
  const homeFile = join(machine.userHome, `.${name}`);
  const keptFile = join(machine.cognitionHome, name);
  attempt(() => removeLeftOvers(machine.userHome));
  for (const path of ['.git/hooks', '.git/objects', '.git/refs']) mkdirSync(join(project, path), { recursive: true });
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
