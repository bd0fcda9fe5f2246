import { expect, test } from 'vitest';
import { withAgent } from '../support/turns.js';
import { extent } from './extent.js';
import { killTurns } from './turns.js';

test(
  'killing the hub at random points of turns loses no step, and every path can be gone on from',
  { timeout: 900_000 },
  () =>
    withAgent(async (agent) => {
      const { states, problems } = await killTurns(agent, extent(30));
      console.log(`killed turns were, when the next hub told of them: ${JSON.stringify(states)}`);
      expect(problems).toEqual([]);
      expect(await agent.client.call('loom.fsck', { tree: agent.tree })).toMatchObject({ problems: [] });
    }),
);
