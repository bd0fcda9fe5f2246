import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { withHub } from '../support/hub.js';
import { processesWith, until } from '../tools/bash/processes.js';
import { withSession } from '../tools/bash/session.js';
import { extent } from './extent.js';
import { ENDS, endTrees } from './trees.js';

/** The limits while the hub or the tools live on: enforced in a full run, reported in a partial one. */
const GONE_MS_MAX = 1_000;
const WHOLE = 1_000;

test(
  'no process of a command outlives its end, whoever ends it and whatever it has begun',
  { timeout: 1_800_000 },
  () =>
    withHub(async (hub) => {
      const folder = join(dirname(hub.home), 'work');
      mkdirSync(folder);
      const { seed, count } = extent(60);
      const ends = await endTrees(hub, folder, { seed, count });
      const words = { timeout: 'timed out', cancel: 'cancelled', client: 'cancelled', tools: 'interrupted' };
      for (const { kind, shown } of ends) {
        expect(shown).toContain('ready');
        expect(shown).toMatch(kind in words ? words[kind as keyof typeof words] : /cancelled|interrupted/);
      }
      for (const kind of ENDS) {
        const took = ends.filter((end) => end.kind === kind).map(({ goneMs }) => goneMs);
        took.sort((a, b) => a - b);
        const [median, longest] = [took[took.length >> 1] ?? 0, took.at(-1) ?? 0];
        console.log(`${kind}: ${took.length} trees, gone after ${median.toFixed(0)} ms, ${longest.toFixed(0)} at most`);
        if (count >= WHOLE && kind !== 'both') expect(longest).toBeLessThan(GONE_MS_MAX);
      }
      const inside = ends.filter(({ sandbox }) => sandbox !== 'none');
      console.log(`seed ${seed}: ${ends.length} trees, ${inside.length} of them in a sandbox, 0 processes left`);
    }),
);

test('outside the sandbox a program that clears its environment and leaves its session can outlive its command', () =>
  withSession(async ({ run, folder }) => {
    const escaping = `(env -i setsid -f sh -c 'sleep 1000; : ${folder}/escaped')`;
    const { external } = await run(`${escaping}; echo on; exec sleep 1000`, { timeout_ms: 500 });
    expect(external.signal).toBe('SIGTERM');
    const left = processesWith(`${folder}/escaped`);
    for (const pid of left) process.kill(-pid, 'SIGKILL');
    expect(left).toHaveLength(1);
    await until(() => processesWith(`${folder}/escaped`).length === 0);
  }));
