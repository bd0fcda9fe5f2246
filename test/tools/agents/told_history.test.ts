import { expect, test } from 'vitest';
import { withAgents } from './exchanges.js';

test.each(['claude', 'codex'])('%s is told in its own form what another has said', (agent) =>
  withAgents(async ({ root, exchange }) => {
    const other = agent === 'claude' ? 'codex' : 'claude';
    const first = await exchange(other, [root, 'one']);
    const { text, events, fault } = await exchange(agent, [first.tip, 'two']);
    expect(fault).toBeNull();
    expect(text).toMatch(/^heard: one \| .*<heard: one> \| two$/);
    expect(events.filter(({ kind }) => kind === 'noted')).toEqual([]);
  }),
);
