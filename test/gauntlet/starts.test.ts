import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HUB_ENTRY, withHome } from '../support/hub.js';
import { extent, randomFrom } from './extent.js';
import { hubsOf, start, startScript } from './processes.js';

const { seed, count } = extent(20);
const STARTERS_PER_ROUND = 4;

test('many simultaneous starts end in one hub that answers all', { timeout: 120_000 }, () =>
  withHome(async (home) => {
    const starters = Array.from({ length: count }, () => startScript('starter.mjs', [home]));
    const ended = await Promise.all(starters.map((starter) => starter.ended));
    expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
    expect(new Set(ended.map(({ stdout }) => stdout.trim())).size).toBe(1);
    expect(hubsOf(home)).toHaveLength(1);
  }),
);

test('a hub killed during its start does not keep the next one from starting', { timeout: 300_000 }, () =>
  withHome(async (home) => {
    const random = randomFrom(seed);
    for (let round = 0; round < Math.ceil(count / 5); round++) {
      const starters = Array.from({ length: STARTERS_PER_ROUND }, () => startScript('starter.mjs', [home]));
      const victim = await firstHub(home);
      for (let turns = Math.floor(random() * 300); turns > 0; turns--) await setImmediate();
      process.kill(victim, 'SIGKILL');
      await Promise.all(starters.map((starter) => starter.ended));
      const { code, stdout, stderr } = await startScript('starter.mjs', [home]).ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(hubsOf(home)).toEqual([Number(stdout)]);
      process.kill(Number(stdout), 'SIGKILL');
    }
  }),
);

async function firstHub(home: string): Promise<number> {
  for (;;) {
    const [pid] = hubsOf(home);
    if (pid !== undefined) return pid;
    await setImmediate();
  }
}

test('hubs started directly at the same time leave one owner of the home', { timeout: 120_000 }, () =>
  withHome(async (home) => {
    const hubs = Array.from({ length: STARTERS_PER_ROUND }, () => start(HUB_ENTRY, [home]));
    const refused = new Set<number | undefined>();
    await new Promise<void>((resolve) => {
      for (const { child, ended } of hubs) {
        void ended.then(() => {
          refused.add(child.pid);
          if (refused.size === hubs.length - 1) resolve();
        });
      }
    });
    const owners = hubs.map(({ child }) => child.pid).filter((pid) => !refused.has(pid));
    const { stdout } = await startScript('starter.mjs', [home]).ended;
    expect(owners).toEqual([Number(stdout)]);
  }),
);
