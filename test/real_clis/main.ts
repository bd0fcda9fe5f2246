import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AgentWorld, openWorld } from './agent_world.js';
import { CONVERSATION_STEPS, type Past, type Step } from './conversation_steps.js';
import { binOf, installProgram } from './install_programs.js';
import { CLIENT_STEPS } from './mcp_steps.js';
import { REAL_PROGRAMS, type RealProgram } from './real_programs.js';

const STEP_MS_MAX = 600_000;
/** Set in the run of this program that has only a loopback. */
const INSIDE = 'COGNITION_REAL_CLIS';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(homedir(), '.cache', 'cognition-real-clis') },
    only: { type: 'string' },
    step: { type: 'string' },
  },
});
const counts = { passed: 0, failed: 0 };
const chosen = REAL_PROGRAMS.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name));

if (process.env[INSIDE] === undefined) process.exitCode = await outside();
else await inside();

/** Installs, and starts this program again where nothing but loopback can be reached. */
async function outside(): Promise<number> {
  const given = process.argv.slice(2);
  const missing: string[] = [];
  for (const program of chosen) {
    const problem = installProgram(values.folder, program);
    if (problem === null) continue;
    console.log(`FAILED ${program.name}: cannot be installed: ${problem}`);
    missing.push(program.name);
  }
  // What ends this program, however, ends the one inside, and with that all that runs there: a terminal's signal, too.
  const words = [
    ...['--pdeathsig', 'KILL', 'unshare', '-n', '-p', '-f', '--kill-child', '--mount-proc'],
    ...(process.getuid?.() === 0 ? [] : ['-Ur']),
    // The shell takes in whatever loses its parent, and does not become the program.
    ...['sh', '-c', 'ip link set lo up && "$@"; exit $?', 'sh'],
  ];
  const env = { ...process.env, [INSIDE]: missing.join(',') };
  const self = [process.execPath, '.dev/run.mjs', 'test/real_clis/main.ts', ...given];
  const { status } = spawnSync('setpriv', [...words, ...self], { stdio: 'inherit', env });
  return status ?? 1;
}

async function inside(): Promise<void> {
  const missing = process.env[INSIDE]?.split(',') ?? [];
  counts.failed += missing.filter((name) => name !== '').length;
  for (const program of chosen.filter(({ name }) => !missing.includes(name))) await tryProgram(program);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  // A client that lost its hub may still look for it.
  process.exit(counts.failed === 0 ? 0 : 1);
}

async function tryProgram(program: RealProgram): Promise<void> {
  const world = await openWorld(program, binOf(values.folder, program));
  const past: Past = { tips: new Map(), first: null };
  const steps = program.isClient ? [...CONVERSATION_STEPS, ...CLIENT_STEPS] : CONVERSATION_STEPS;
  const wanted = steps.filter(([name]) => values.step === undefined || name.startsWith(values.step));
  for (const step of wanted) await tryStep(world, past, step);
  await world.close();
}

async function tryStep(world: AgentWorld, past: Past, [name, run]: Step): Promise<void> {
  const begunMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), STEP_MS_MAX);
  });
  const problem = await Promise.race([run(world, past), late]).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  clearTimeout(timer);
  const ms = Math.round(performance.now() - begunMs);
  if (problem === null) counts.passed += 1;
  else counts.failed += 1;
  console.log(`${problem === null ? 'passed' : 'FAILED'} ${world.program.name}: ${name} (${ms} ms)`);
  if (problem !== null) console.log(problem.replace(/^/gm, '    '));
}
