import { expect, test } from 'vitest';
import type { NodeId } from '../../../../hub/protocol/node.js';
import { randomFrom } from '../../../gauntlet/extent.js';
import { say } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

const TURNS = 50;
const BRANCHES = 8;

test('over 50 turns on 8 branches a caching server reads at least 99 % of what it has read before from its cache', async () => {
  await withAgent(async ({ say: ask, run, server }) => {
    const random = randomFrom(7);
    const text = (number: number): string => `Part ${number}. ${'Something is told at some length here. '.repeat(40)}`;
    const tips: NodeId[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      // A new branch begins somewhere on one that is there.
      const isNew = tips.length < BRANCHES && turn % 3 === 0;
      const branch = isNew ? tips.length : Math.floor(random() * tips.length);
      const above = tips[Math.floor(random() * tips.length)];
      const parent = isNew ? above : tips[branch];
      server.script(
        say(
          words(text(turn)),
          call('c1', 'bash', { command: `echo ${turn}` }),
          call('c2', 'bash', { command: 'true' }),
        ),
        say(words(text(turn + 1_000))),
      );
      const { tip, state } = await run(await ask(text(turn + 2_000), parent), {
        change: turn === 0 ? { model: MODEL } : null,
      });
      expect(state).toBe('done');
      tips[branch] = tip;
    }
    const sum = (key: 'read' | 'repeatable'): number =>
      server.cache.served.reduce((total, served) => total + served[key], 0);
    console.log(
      `read from the cache: ${((100 * sum('read')) / sum('repeatable')).toFixed(2)} % of ${sum('repeatable')} tokens`,
    );
    expect(sum('repeatable')).toBeGreaterThan(100_000);
    expect(sum('read') / sum('repeatable')).toBeGreaterThanOrEqual(0.99);
  });
});

const MODEL = 'anthropic/claude-sonnet-5';
