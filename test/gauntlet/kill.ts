import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import { connectTo } from '../support/hub.js';
import { type Extent, randomFrom } from './extent.js';
import { type Ended, type Running, startScript } from './processes.js';

const WRITERS = 8;
/** The most acknowledgements between one kill and the next. */
const CALM_MAX = 40;
/** The longest delay of a kill after an acknowledgement: a few commits with their syncs. */
const DELAY_US_MAX = 3_000;

export interface Killed {
  /** An acknowledged append: a node's id and its parent's. */
  acknowledged: Map<string, string>;
  /** The outputs whose purge was acknowledged. */
  purged: string[];
  writers: Ended[];
  restartsMs: number[];
}

/** Kills the hub of a home repeatedly while eight processes write to one tree, and one makes others and purges them. */
export async function killWhileWriting(home: string, tree: TreeId, { seed, count }: Extent): Promise<Killed> {
  const random = randomFrom(seed);
  const acknowledged = new Map<string, string>();
  const writers = Array.from({ length: WRITERS }, () => startScript('writer.mjs', [home, tree]));
  const heard = acknowledgements(writers, acknowledged);
  const purger = startScript('purger.mjs', [home]);
  const observer = await connectTo(home);
  const restartsMs: number[] = [];
  let { pid } = await observer.call('health.check', {});
  for (let kill = 0; kill < count; kill++) {
    const delayMs = (random() * DELAY_US_MAX) / 1_000;
    await heard(Math.floor(random() * CALM_MAX) + 1);
    const killedAt = killAfter(pid, delayMs);
    pid = await nextHub(observer, pid);
    restartsMs.push(performance.now() - killedAt);
  }
  for (const { child } of [...writers, purger]) child.stdin?.end();
  const ended = await Promise.all([...writers, purger].map((writer) => writer.ended));
  const purged = (await purger.ended).stdout.split('\n').filter((line) => line !== '');
  await observer.close();
  return { acknowledged, purged, writers: ended, restartsMs };
}

/** Kills a process at an instant with a precision of microseconds, which no timer has, and returns it. */
function killAfter(pid: number, delayMs: number): number {
  const killedAt = performance.now() + delayMs;
  while (performance.now() < killedAt);
  process.kill(pid, 'SIGKILL');
  return killedAt;
}

/** The process number of the hub that answers after another was killed. */
async function nextHub(observer: Client, killed: number): Promise<number> {
  for (;;) {
    // A call sent before the death was noticed is answered by the next hub.
    const { pid } = await observer.call('health.check', {});
    if (pid !== killed) return pid;
  }
}

/** Collects what the writers print; the returned function waits for that many more lines. */
function acknowledgements(writers: Running[], into: Map<string, string>): (more: number) => Promise<void> {
  const lines = writers.map(({ child }) => {
    if (child.stdout === null) throw new Error('a writer is started with a pipe');
    return createInterface({ input: child.stdout });
  });
  const news = new EventTarget();
  for (const reader of lines) {
    reader.on('line', (line) => {
      const [id = '', parent = ''] = line.split(' ');
      into.set(id, parent);
      news.dispatchEvent(new Event('line'));
    });
  }
  return async (more) => {
    const enough = into.size + more;
    while (into.size < enough) await once(news, 'line');
  };
}
