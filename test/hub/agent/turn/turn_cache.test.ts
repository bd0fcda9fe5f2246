import { expect, test } from 'vitest';
import type { NodeId } from '../../../../hub/protocol/node.js';
import { randomFrom } from '../../../gauntlet/extent.js';
import { say } from '../../../support/model/script.js';
import { KEY } from '../../../support/model_server.js';
import { type TestAgent, withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

const TURNS = 50;
const BRANCHES = 8;
const MODEL = 'anthropic/claude-sonnet-5';

type Change = NonNullable<Parameters<TestAgent['run']>[1]>['change'];

/** 50 turns on 8 branches; prints and checks the share of what could be read from the cache that was. */
async function growTree({ say: ask, run, server }: TestAgent, changeAt: (turn: number) => Change): Promise<void> {
  const random = randomFrom(7);
  const text = (number: number): string => `Part ${number}. ${'Something is told at some length here. '.repeat(40)}`;
  const access = {
    anthropic: { base_url: server.origin, key: KEY },
    openai: { base_url: `${server.openaiUrl}/responses`, key: KEY },
    gemini: { base_url: server.origin, key: KEY },
  };
  const tips: NodeId[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    // A new branch begins somewhere on one that is there.
    const isNew = tips.length < BRANCHES && turn % 3 === 0;
    const branch = isNew ? tips.length : Math.floor(random() * tips.length);
    const above = tips[Math.floor(random() * tips.length)];
    const parent = isNew ? above : tips[branch];
    server.script(
      say(
        { kind: 'thinking', text: `I think of part ${turn}.` },
        words(text(turn)),
        call('c1', 'bash', { command: `echo ${turn}` }),
        call('c2', 'bash', { command: 'true' }),
      ),
      say({ kind: 'thinking', text: `I have thought of part ${turn}.` }, words(text(turn + 1_000))),
    );
    const node = await ask(text(turn + 2_000), parent);
    const { tip, state } = await run(node, { change: turn === 0 ? { model: MODEL } : changeAt(turn), access });
    expect(state).toBe('done');
    tips[branch] = tip;
  }
  const sum = (key: 'read' | 'repeatable'): number =>
    server.cache.served.reduce((total, served) => total + served[key], 0);
  console.log(
    `read from the cache: ${((100 * sum('read')) / sum('repeatable')).toFixed(2)} % of ${sum('repeatable')} tokens`,
  );
  expect(tips).toHaveLength(BRANCHES);
  expect(server.violations).toEqual([]);
  expect(sum('repeatable')).toBeGreaterThan(100_000);
  expect(sum('read') / sum('repeatable')).toBeGreaterThanOrEqual(0.99);
}

test('over 50 turns on 8 branches a caching server reads at least 99 % of what it has read before from its cache', () =>
  withAgent((agent) => growTree(agent, () => null)));

test('the same while levels, plan mode, models and thinking change on the way, and nothing is refused', () => {
  const CHANGES: Change[] = [
    { level: 'plan' },
    { level: 'orchestrator' },
    { model: 'openai/gpt-5.6-sol' },
    { thinking: 'high' },
    { model: MODEL },
    { level: 'readonly' },
    { model: 'gemini/gemini-3.8-flash' },
    { spawn: false },
    { thinking: 'auto' },
    { level: 'orchestrator' },
    { model: 'anthropic/claude-opus-5-5' },
  ];
  return withAgent((agent) =>
    growTree(agent, (turn) => (turn % 4 === 0 ? (CHANGES[(turn / 4) % CHANGES.length] ?? null) : null)),
  );
});
