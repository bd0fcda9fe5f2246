import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachinePlace } from '../base/parts.js';
import type { Form, FormTrial } from './form.js';
import type { SandboxCommand, WrappedCommand } from './invocation.js';
import { attemptsOf, type Planted } from './probe_attempts.js';
import { attempt } from './try_errno.js';

const PROBE_MS_MAX = 5_000;
const LEFT_MS_MIN = 60_000;
const OUTPUT_BYTES_MAX = 65_536;
/** What the probe's command ends with when it got to its end. */
const EXIT_CODE = 7;

interface ProbeParts {
  place: MachinePlace;
  wrap(command: SandboxCommand): WrappedCommand;
}

/** Tries a form by doing inside what must fail, and what must work. */
export async function probe(form: Form, { place, wrap }: ProbeParts): Promise<FormTrial> {
  const failed = (failure: string): FormTrial => ({ form, holds: [], failure });
  let planted: Planting | null = null;
  try {
    planted = await plant(place);
    return await tryOn(form, planted, wrap);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    planted?.remove();
  }
}

async function tryOn(form: Form, planted: Planting, wrap: ProbeParts['wrap']): Promise<FormTrial> {
  const attempts = attemptsOf(planted, form);
  const wrapped = wrap({
    program: 'bash',
    arguments: ['-c', scriptOf(attempts.map(({ script }) => script))],
    policy: { kind: 'contained', network: false, writable: [planted.project], readable: null },
    cwd: planted.project,
    tmp: planted.tmp,
  });
  try {
    const { code, stdout, stderr } = await run(wrapped);
    const held = attempts.filter((_, index) => stdout.includes(`held ${index}\n`));
    const open = attempts.filter((_, index) => !stdout.includes(`held ${index}\n`));
    const failure = failureOf({
      code,
      stderr,
      works: stdout.includes('works\n'),
      open: open.map(({ holds }) => holds),
    });
    return { form, holds: failure === null ? held.map(({ holds }) => holds) : [], failure };
  } finally {
    wrapped.release();
  }
}

function failureOf(found: { code: number | null; stderr: string; works: boolean; open: string[] }): string | null {
  const said = found.stderr.trim().split('\n', 1)[0]?.slice(0, 300);
  if (!found.works || found.code !== EXIT_CODE) return said || `it ended with ${found.code}`;
  return found.open.length === 0 ? null : `it does not hold: ${found.open.join(', ')}`;
}

/** Each attempt is held when it fails. */
function scriptOf(attempts: readonly string[]): string {
  const tries = attempts.map((script, index) => `if ( ${script} ) >&9 2>&9; then :; else echo held ${index}; fi`);
  const works = 'echo text > made && [ "$(cat made)" = text ] && [ -r /usr ] && : > /tmp/made && echo works';
  return ['exec 9>/dev/null', ...tries, works, `exit ${EXIT_CODE}`].join('\n');
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run({ program, arguments: given }: WrappedCommand): Promise<Ended> {
  const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
  const child = spawn(program, given, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH },
    timeout: PROBE_MS_MAX,
    killSignal: 'SIGKILL',
  });
  const said = { stdout: '', stderr: '' };
  for (const from of ['stdout', 'stderr'] as const) {
    child[from].on('data', (bytes: Buffer) => {
      if (said[from].length < OUTPUT_BYTES_MAX) said[from] += bytes.toString('latin1');
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
}

type Planting = Planted & { tmp: string; remove(): void };

/** What a probe that was killed left in the person's home folder; one that is at work needs seconds. */
function sweep(home: string): void {
  for (const name of readdirSync(home).filter((one) => /^\.cognition-probe-[0-9a-f]{12}$/.test(one))) {
    const path = join(home, name);
    if (Date.now() - statSync(path).mtimeMs > LEFT_MS_MIN) rmSync(path, { force: true });
  }
}

/** Puts down what must not be reached. */
async function plant(place: MachinePlace): Promise<Planting> {
  const name = `cognition-probe-${randomBytes(6).toString('hex')}`;
  const folder = join(tmpdir(), name);
  const project = join(folder, 'project');
  const homeFile = join(place.userHome, `.${name}`);
  const keptFile = join(place.cognitionHome, name);
  attempt(() => sweep(place.userHome));
  for (const path of ['.git/hooks', '.git/objects', '.git/refs']) mkdirSync(join(project, path), { recursive: true });
  mkdirSync(join(folder, 'tmp'));
  writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(project, '.git/config'), '');
  // A home folder that cannot be written holds nothing of ours to be found.
  attempt(() => writeFileSync(homeFile, 'planted', { flag: 'wx', mode: 0o600 }));
  writeFileSync(keptFile, 'planted', { flag: 'wx', mode: 0o600 });
  const tcp = await listening({ host: '127.0.0.1', port: 0 });
  const socket = join(project, 'socket');
  const unix = await listening({ path: socket });
  const address = tcp.address();
  return {
    ...{ project, homeFile, keptFile, socket, outside: `/usr/${name}` },
    port: address !== null && typeof address === 'object' ? address.port : 0,
    pid: process.pid,
    namespaces: answerOf(() => readlinkSync('/proc/self/ns/pid')),
    tmp: join(folder, 'tmp'),
    remove() {
      tcp.close();
      unix.close();
      for (const path of [folder, homeFile, keptFile, `/usr/${name}`])
        attempt(() => rmSync(path, { recursive: true, force: true }));
    },
  };
}

function answerOf(ask: () => string): string {
  let found = '';
  attempt(() => {
    found = ask();
  });
  return found;
}

function listening(at: { host: string; port: number } | { path: string }): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => resolve(server));
  });
}
