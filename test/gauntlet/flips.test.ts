import { expect, test } from 'vitest';
import { withFolder } from '../support/hub.js';
import { TRUSTING } from '../support/reader.js';
import { extent, randomFrom, timeFor } from './extent.js';
import { askAll, type FlipParts, flipOneBit, type Verdict, withFurnishedHome } from './flips.js';

/** Enough that some hit what a node says. */
const CONTROL_COUNT = 120;

test(
  'a flipped bit of what is stored is noticed when it is read, or by fsck, and is never shown as true',
  { timeout: timeFor(600_000) },
  () =>
    withFurnishedHome((home, question) =>
      withFolder(async (copy) => {
        const { seed, count } = extent(60);
        const truth = await askAll(home, question);
        expect([...truth.values()].filter((answer) => 'error' in answer)).toEqual([]);
        const { counts, failures } = await flip({ home, copy, question, truth }, { seed, count });
        console.log(`flips: tried ${count}, failed ${failures.length} (seed ${seed}; ${JSON.stringify(counts)})`);
        expect(failures).toEqual([]);
        // The control: without the check of each node flips are shown as true.
        const control = await flip({ home, copy, question, truth, sound: TRUSTING }, { seed, count: CONTROL_COUNT });
        expect(control.counts['shown as true']).toBeGreaterThan(0);
      }),
    ),
);

async function flip(parts: FlipParts, { seed, count }: { seed: number; count: number }) {
  const random = randomFrom(seed);
  const counts: Partial<Record<Verdict, number>> = {};
  const failures: string[] = [];
  for (let tried = 0; tried < count; tried++) {
    const { verdict, what } = await flipOneBit(parts, random);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    if (verdict === 'shown as true' || verdict === 'unnoticed') failures.push(`${verdict}: ${what}`);
  }
  return { counts, failures };
}
