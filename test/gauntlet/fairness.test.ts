import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { addFan, newTree } from '../bench/trees.js';
import { type TestHub, withHub } from '../support/hub.js';
import { extent } from './extent.js';
import { IN_SUITE, LOADS, type Measured, measure, row } from './fairness/measure.js';

/** A full run measures, on a large tree; the suite's share shows that others are served at all, and what the hub holds. */
const WHOLE = 1_000;
const NODES = { share: 2_000, whole: 100_000 };
const P99_MS_MAX = 50;
const MS_MAX = 250;
const HUB_MEGABYTES_MAX = 300;
/** What others may wait under a load, beside what they wait while a program that does not know the hub takes the machine's time. */
const RATIO_MAX = 2;

async function seededTree(hub: TestHub, nodes: number): Promise<string> {
  const tree = await newTree(hub.client);
  await addFan(hub.client, tree, { count: nodes, inFlight: 200 });
  writeFileSync(join(dirname(hub.home), 'read.txt'), 'a line\n'.repeat(1_000));
  return tree;
}

test('others are served under every load, and the hub holds no more memory than it may', { timeout: 900_000 }, () =>
  withHub(async (hub) => {
    const { count } = extent(10);
    const isWhole = count >= WHOLE;
    const tree = await seededTree(hub, isWhole ? NODES.whole : NODES.share);
    const options = { hub, tree, rounds: count };
    const measured = async (load: string | null): Promise<Measured> => {
      await hub.kill(); // a new one, whose memory is its own
      await (await hub.connect()).close();
      const result = await measure(load, options);
      console.log(row(result));
      return result;
    };
    const failed: string[] = [];
    await measured(null);
    const busy = await measured('busy');
    for (const load of isWhole ? LOADS : IN_SUITE) {
      const result = await measured(load);
      const isSlow =
        result.p99 > Math.max(P99_MS_MAX, busy.p99 * RATIO_MAX) || result.max > Math.max(MS_MAX, busy.max * RATIO_MAX);
      if (result.hubMegabytes > HUB_MEGABYTES_MAX || (isWhole && isSlow)) failed.push(row(result));
    }
    expect(failed).toEqual([]);
  }),
);
