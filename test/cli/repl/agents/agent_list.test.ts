import { expect, test } from 'vitest';
import { createAgentList } from '../../../../cli/repl/agents/agent_list.js';
import { resultsOf, spawn } from '../../../hub/agent/sub_sessions/sub_session_turns.js';
import { withAgent } from '../../../support/turns.js';

test('a sub-session that begins and ends between two looks is listed', async () => {
  await withAgent(async (agent) => {
    const list = createAgentList(agent.client, agent.tree);
    expect(await list.ask()).toEqual([]);
    await resultsOf(agent, [spawn('c1', { task: 'demo: fail rejected', provider: 'demo' })]);
    expect((await list.ask()).map(({ task, activity }) => ({ task, activity }))).toEqual([
      { task: 'demo: fail rejected', activity: 'failed' },
    ]);
    expect(await list.ask()).toHaveLength(1);
  });
});
