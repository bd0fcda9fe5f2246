import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'vitest';
import { KINDS, withSandbox } from './contained.js';

/** Resolves when two processes run that command: the last step of a start is not seen from its output. */
async function two(command: string): Promise<number[]> {
  for (let look = 0; look < 1_000; look += 1) {
    const found = processesOf(command);
    if (found.length === 2) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`there are ${processesOf(command).length} processes of ${command}`);
}

function processesOf(command: string): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.trim().replace(/^\d+ /, '') === command).map((line) => Number.parseInt(line, 10));
}

/** Resolves when a process is gone, or only waits to be collected. */
async function gone(pid: number): Promise<void> {
  for (let look = 0; look < 1_000; look += 1) {
    if (!existsSync(`/proc/${pid}`)) return;
    await new Promise((resolve) => setImmediate(resolve));
    execFileSync('true');
  }
  throw new Error(`process ${pid} is still there`);
}

const ways = KINDS.flatMap((kind) => ['spawner', 'outermost process'].map((who) => ({ kind, who })));

test.each(ways)('processes in $kind end when its $who is killed', ({ kind, who }) =>
  withSandbox(kind, async ({ sandbox, policy, project, tmp }) => {
    const asleep = `sleep 4323.${process.pid}${ways.findIndex((way) => way.kind === kind && way.who === who)}`;
    const command = `(setsid ${asleep} &); echo ready; ${asleep}`;
    const wrapped = await sandbox.wrap({ program: 'bash', arguments: ['-c', command], policy, cwd: project, tmp });
    // A shell stands for the process of the tools: it spawns, waits and is killed.
    const waiting = ['bash', '-c', '"$@" & wait', 'bash'];
    const [program = '', ...given] = [...(who === 'spawner' ? waiting : []), wrapped.program, ...wrapped.arguments];
    const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(createInterface({ input: child.stdout }), 'line');
      const processes = await two(asleep);
      child.kill('SIGKILL');
      await Promise.all(processes.map(gone));
    } finally {
      child.kill('SIGKILL');
      wrapped.release();
    }
  }),
);
