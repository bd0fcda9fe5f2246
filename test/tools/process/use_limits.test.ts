import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { type UseLimits, watchUse } from '../../../tools/process/use_limits.js';
import { KINDS, withSandbox } from '../sandbox/contained.js';

const NONE: UseLimits = { tasksMax: 10_000, memoryBytesMax: 1e12, disk: tmpdir(), diskFreeBytesMin: 0 };

/** Runs a program until it exceeds a limit; resolves with the reason. */
async function exceeded(program: string, given: readonly string[], limits: Partial<UseLimits>): Promise<string> {
  const child = spawn(program, given, { stdio: ['ignore', 'ignore', 'ignore'], env: { PATH: process.env.PATH } });
  const { pid = 0 } = child;
  const gone = once(child, 'close');
  const ended = gone.then(() => 'ended by itself');
  const over = new Promise<string>((resolve) => watchUse(pid, { ...NONE, ...limits }, resolve));
  const said = await Promise.race([over, ended]);
  child.kill('SIGKILL');
  await gone;
  return said;
}

const HOG = 'my @kept; push @kept, "x" x 20_000_000 for 1 .. 10; print "full\\n"; sleep 1000';
const FORKS = 'for (1 .. 40) { fork or exec "sleep", "1000" } sleep 1000';
const THREADS =
  'const { Worker } = require("worker_threads"); for (let i = 0; i < 40; i++) new Worker("setInterval(() => 0, 1e6)", { eval: true })';

const HOGS: readonly { what: string; run: [string, ...string[]]; limits: Partial<UseLimits>; reason: string }[] = [
  {
    ...{ what: 'memory', run: ['perl', '-e', HOG], limits: { memoryBytesMax: 150_000_000 } },
    reason: 'reached its memory limit of 0.1 GB',
  },
  {
    ...{
      what: 'memory of children',
      run: ['bash', '-c', `perl -e '${HOG}'; :`],
      limits: { memoryBytesMax: 150_000_000 },
    },
    reason: 'reached its memory limit of 0.1 GB',
  },
  {
    ...{ what: 'processes', run: ['perl', '-e', FORKS], limits: { tasksMax: 40 } },
    reason: 'reached its limit of 40 processes and threads',
  },
  {
    ...{ what: 'threads', run: [process.execPath, '-e', THREADS], limits: { tasksMax: 45 } },
    reason: 'reached its limit of 45 processes and threads',
  },
];

test.skipIf(process.platform !== 'linux').each(HOGS)('too much of $what is told with the limit', async (hog) => {
  const [program, ...given] = hog.run;
  expect(await exceeded(program, given, hog.limits)).toBe(hog.reason);
});

test.skipIf(process.platform !== 'linux')('what forks share counts once', async () => {
  // Ten processes of 100 MB, all of it shared.
  const shared = 'my $kept = "x" x 100_000_000; for (1 .. 9) { fork or last } select undef, undef, undef, 1.5';
  expect(await exceeded('perl', ['-e', shared], { memoryBytesMax: 600_000_000 })).toBe('ended by itself');
});

test.skipIf(process.platform !== 'linux')('a disk that was full before is no reason', async () => {
  const full = { diskFreeBytesMin: Number.MAX_SAFE_INTEGER };
  expect(await exceeded('sleep', ['1'], full)).toBe('ended by itself');
});

test.each(KINDS)('in %s all that a command starts is counted, wherever it goes', (kind) =>
  withSandbox(kind, async ({ sandbox, policy, project, tmp }) => {
    const command = { program: 'bash', arguments: ['-c', `(setsid perl -e '${FORKS}' &) ; sleep 1000`], policy };
    const wrapped = await sandbox.wrap({ ...command, cwd: project, tmp });
    expect(await exceeded(wrapped.program, wrapped.arguments, { tasksMax: 40 })).toContain('limit of 40');
    wrapped.release();
  }),
);
