import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../hub/client/client.js';
import { withHub } from '../support/hub.js';
import { toolsOf } from '../tools/bash/processes.js';
import { newNodeId } from '../tools/bash/session.js';
import { extent } from './extent.js';

const MB = 1_000_000;
// From Node 22 on the engine lets a heap grow further: a slower growth costs a tenth of the speed of reading.
const HUB_BYTES_MAX = (Number.parseInt(process.versions.node, 10) < 22 ? 200 : 250) * MB;
const TOOLS_BYTES_MAX = 200 * MB;
/** The limits for other clients: enforced in a full run, reported in a partial one. */
const ANSWER_MS_MAX = 50;
const WHOLE = 10;

/** The peak memory of a process (Linux). */
function peakBytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Repeats a call until stopped, and returns how long each answer took. */
async function ask(call: () => Promise<unknown>, until: AbortSignal): Promise<number[]> {
  const took: number[] = [];
  while (!until.aborted) {
    const startedAtMs = performance.now();
    await call();
    took.push(performance.now() - startedAtMs);
    // Other clients call now and then, with pauses.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return took.sort((a, b) => a - b);
}

interface Flood {
  client: Client;
  session: string;
  megabytes: number;
  streams: boolean;
}

async function flood({ client, session, megabytes, streams }: Flood): Promise<number> {
  const command = `yes ${'x'.repeat(99)} | head -c ${megabytes}000000`;
  const params = { id: newNodeId(), session, command };
  const { external } = streams
    ? await client.stream('bash.execute', params, { onEvent: () => undefined })
    : await client.call('bash.execute', params);
  return external.output?.total_bytes ?? 0;
}

test('floods of output stay within their memory, and other clients are answered meanwhile', { timeout: 900_000 }, () =>
  withHub(async (hub) => {
    const { count } = extent(1);
    // Live output goes at the pace of its reader, so a tenth of it is enough.
    const floods = count >= WHOLE ? [[false], [true], Array<boolean>(8).fill(false)] : [[false, false], [true]];
    const folder = join(dirname(hub.home), 'work');
    mkdirSync(folder);
    const opened = { cwd: folder, environment: null, policy: { kind: 'open' as const } };
    const { session } = await hub.client.call('bash.open', opened);
    const other = await hub.connect();
    const { id: tree } = await other.call('loom.tree_create', {});
    const append = () =>
      other.call('loom.node_create_text', {
        ...{ tree, parent: tree, role: 'user', blocks: [{ type: 'text', text: 'meanwhile' }] },
      });
    for (const streams of floods) {
      const megabytes = count * (streams[0] === true ? 100 : 1_000);
      const callers = await Promise.all(streams.map(() => hub.connect()));
      const done = new AbortController();
      const looks = ask(() => other.call('health.check', {}), done.signal);
      const appends = ask(append, done.signal);
      const startedAt = performance.now();
      const totals = await Promise.all(
        callers.map((client, index) => flood({ client, session, megabytes, streams: streams[index] ?? false })),
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      done.abort();
      expect(totals).toEqual(totals.map(() => megabytes * MB));
      const memory = { hub: peakBytes(await hub.pid()), tools: peakBytes(toolsOf(hub.home)) };
      expect(memory.hub).toBeLessThan(HUB_BYTES_MAX);
      expect(memory.tools).toBeLessThan(TOOLS_BYTES_MAX);
      const p99 = (took: number[]): number => took[Math.floor(took.length * 0.99)] ?? 0;
      const [looked, appended] = [await looks, await appends];
      expect(Math.min(looked.length, appended.length)).toBeGreaterThan(10);
      console.log(
        `${streams.length} × ${megabytes} MB (${streams.filter(Boolean).length} told live) in ${seconds.toFixed(1)} s: ` +
          `hub ${(memory.hub / MB).toFixed(0)} MB, tools ${(memory.tools / MB).toFixed(0)} MB at most; ` +
          `99 % answered within ${p99(looked).toFixed(1)} ms (health), ${p99(appended).toFixed(1)} ms (append)`,
      );
      if (count >= WHOLE) expect(Math.max(p99(looked), p99(appended))).toBeLessThan(ANSWER_MS_MAX);
      await Promise.all(callers.map((client) => client.close()));
    }
  }),
);
