// Runs every attempt outside and inside a sandbox, as the user who runs it. Usage: driver.mjs <kind> <comma-separated numbers>.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { findSandbox, type Sandbox } from '../../../tools/sandbox/forms/sandbox.js';
import type { Invocation, SharedNetwork } from '../../../tools/sandbox/invocation.js';
import { ESCAPES, type Verdict } from './all.js';
import { type Escape, PRELUDE } from './escape.js';
import { makeWorld, type World } from './world.js';

const [kind = '', numbers = ''] = process.argv.slice(2);
const LEAVING_MS_MAX = 2_000;
const LOOK_AGAIN_MS = 10;
const RUN_MS_MAX = 20_000;
const isRoot = process.getuid?.() === 0;
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

async function judge(attempt: Escape): Promise<Verdict> {
  const verdict: Verdict = { name: attempt.name, outside: 'not tried', inside: 'not tried', said: '' };
  if (attempt.how.onlyRoot && !isRoot) return verdict;
  const { needs } = attempt.how;
  const script = `( ${needs} ) && echo ESCAPED`;
  if (needs !== undefined && !(await withWorld(attempt, (world) => plainly(world, script))).escaped) return verdict;
  const outside = await withWorld(attempt, (world) => control(world, attempt));
  if (attempt.how.mayFail && !outside.escaped) return verdict;
  const alone = await withWorld(attempt, (world) => contained(world, attempt, null));
  const inside = alone.escaped ? alone : await withWorld(attempt, (world) => besideJob(world, attempt));
  const said = `${outside.escaped ? '' : outside.said}${inside.said}`;
  return {
    ...verdict,
    outside: outside.escaped ? 'escaped' : 'held',
    inside: inside.escaped ? 'escaped' : 'held',
    said,
  };
}

interface Outcome {
  escaped: boolean;
  said: string;
}

async function withWorld(attempt: Escape, use: (world: World) => Promise<Outcome>): Promise<Outcome> {
  const world = await makeWorld(attempt.how);
  try {
    return await use(world);
  } finally {
    world.remove();
  }
}

function plainly(world: World, script: string): Promise<Outcome> {
  return run({ program: 'bash', arguments: ['-c', PRELUDE + script] }, world, {});
}

function control(world: World, { script, how }: Escape): Promise<Outcome> {
  if (how.thrownAway === undefined) return run({ program: 'bash', arguments: ['-c', PRELUDE + script] }, world, how);
  const user = isRoot ? [] : ['--user', '--map-root-user'];
  const given = [...user, '--mount', '--uts', '--net', '--propagation', 'private', 'bash', '-c'];
  return run({ program: 'unshare', arguments: [...given, `${how.thrownAway}\n${PRELUDE}${script}`] }, world, how);
}

/** As a command runs while its session has a job: in a network that several commands share. */
async function besideJob(world: World, attempt: Escape): Promise<Outcome> {
  const network = await sandboxFor(world).openNetwork();
  if (network === null) throw new Error('no network could be made');
  try {
    return await contained(world, attempt, network);
  } finally {
    network.close();
  }
}

async function contained(world: World, { script, how }: Escape, network: SharedNetwork | null): Promise<Outcome> {
  const wrapped = await sandboxFor(world).wrap({
    network,
    ...{ program: 'bash', arguments: ['-c', PRELUDE + script], cwd: world.project, tmp: world.tmp },
    policy: {
      kind: 'contained',
      network: false,
      writable: [world.project],
      readable: how.project ? null : [world.readable],
    },
  });
  try {
    return await run(wrapped, world, how);
  } finally {
    wrapped.release();
  }
}

const sandboxes = new Map<string, Sandbox>();

/** Worlds lie at the same place one after the other: what was probed once holds. */
function sandboxFor({ userHome, kept }: World): Sandbox {
  const known = sandboxes.get(kept);
  if (known !== undefined) return known;
  const machine = { userHome, cognitionHome: kept, commands: `${kept}/commands`, path: PATH };
  const sandbox = findSandbox({ machine, log: (_level, message) => console.error(message) }, { only: kindOf(kind) });
  sandboxes.set(kept, sandbox);
  return sandbox;
}

function kindOf(text: string): 'bubblewrap' | 'util-linux' {
  return text === 'bubblewrap' ? 'bubblewrap' : 'util-linux';
}

async function run(invocation: Invocation, world: World, how: Escape['how']): Promise<Outcome> {
  const { program, arguments: given } = how.onTerminal ? onTerminal(invocation) : invocation;
  const env = { PATH, HOME: world.userHome, ...world.environment };
  const child = spawn(program, given, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    timeout: RUN_MS_MAX,
    killSignal: 'SIGKILL',
  });
  if (how.mounts) child.stdout?.on('data', (bytes: Buffer) => bytes.includes('ready') && world.mountDisk());
  const said = await outputOf(child);
  const left = how.leaves ? await processesLeft(world.name) : [];
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return { escaped: said.includes('ESCAPED') || left.length > 0, said };
}

function onTerminal({ program, arguments: given }: Invocation): Invocation {
  const words = [program, ...given].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return { program: 'script', arguments: ['-qec', words.join(' '), '/dev/null'] };
}

function outputOf(child: ChildProcess): Promise<string> {
  let said = '';
  const take = (bytes: Buffer): void => {
    said = `${said}${bytes}`.slice(0, 4_000);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
}

/** The kernel ends the processes of a sandbox shortly after the sandbox, which shows on a busy machine. */
async function processesLeft(mark: string): Promise<number[]> {
  const deadlineMs = Date.now() + LEAVING_MS_MAX;
  for (;;) {
    const left = processesWith(mark);
    if (left.length === 0 || Date.now() > deadlineMs) return left;
    await wait(LOOK_AGAIN_MS);
  }
}

function processesWith(mark: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandLine(pid).endsWith(`${mark}\0`)).map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}

for (const number of numbers.split(',')) {
  const attempt = ESCAPES[Number(number)];
  if (attempt !== undefined) console.log(JSON.stringify(await judge(attempt)));
}
