import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Client } from '../../hub/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import { connectTo } from '../support/hub.js';
import { type Extent, randomFrom } from './extent.js';
import { type Ended, type Running, startScript } from './processes.js';

const WRITERS = 8;
/** The most acknowledgements between one kill and the next. */
const CALM_MAX = 40;

export interface Killed {
  /** What was acknowledged: a node's id and its parent's. */
  acknowledged: Map<string, string>;
  writers: Ended[];
  restartsMs: number[];
}

/** Kills the hub of a home again and again while eight processes write to a tree of it. */
export async function killWhileWriting(home: string, tree: TreeId, { seed, count }: Extent): Promise<Killed> {
  const random = randomFrom(seed);
  const acknowledged = new Map<string, string>();
  const writers = Array.from({ length: WRITERS }, () => startScript('writer.mjs', [home, tree]));
  const heard = acknowledgements(writers, acknowledged);
  const observer = await connectTo(home);
  const restartsMs: number[] = [];
  for (let kill = 0; kill < count; kill++) {
    await heard(Math.floor(random() * CALM_MAX) + 1);
    restartsMs.push(await killOnce(observer));
  }
  for (const { child } of writers) child.stdin?.end();
  const ended = await Promise.all(writers.map((writer) => writer.ended));
  await observer.close();
  return { acknowledged, writers: ended, restartsMs };
}

/** Kills the hub and returns the milliseconds until one answers again. */
async function killOnce(observer: Client): Promise<number> {
  const { pid } = await observer.call('health.check', {});
  const killedAt = performance.now();
  process.kill(pid, 'SIGKILL');
  for (;;) {
    // A call that went out before the death was noticed is answered by the next hub.
    const { pid: answering } = await observer.call('health.check', {});
    if (answering !== pid) return performance.now() - killedAt;
  }
}

/** Collects what the writers print; the function returned waits for so many more lines. */
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
