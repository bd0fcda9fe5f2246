import { expect, test } from 'vitest';
import { processesWith, until } from '../bash/processes.js';
import { type AgentWorld, withAgents } from './exchanges.js';

/** Begins an exchange that hangs, and resolves once the agent has heard it. */
function hang({ exchange, root }: AgentWorld, agent: string): Promise<void> {
  return new Promise((resolve, reject) => {
    exchange(agent, [root, '[[hang]]'], { onEvent: (event) => event.kind === 'opened' && resolve() }).catch(reject);
  });
}

async function hungNode({ connect, tree, root }: AgentWorld) {
  const client = await connect();
  let found: string | undefined;
  await until(async () => {
    const { leaves } = await client.call('loom.context_list_leaves', { tree, limit: 10 });
    found = leaves.find(({ node }) => node.role === 'tool')?.node.id;
    return found !== undefined && found !== root;
  });
  return (await client.call('loom.node_get', { node: found as never })).node; // an id as the hub has just told it
}

test.each(['claude', 'codex'])('a killed hub leaves no process of %s, and the exchange says what happened', (agent) =>
  withAgents(async (world) => {
    await hang(world, agent).catch(() => undefined);
    expect(processesWith(world.bin).length).toBeGreaterThan(0);
    await world.kill();
    await until(() => processesWith(world.bin).length === 0);
    const node = await hungNode(world);
    expect(node).toMatchObject({
      external: { handle: { source: 'agent', metadata: { agent, fault: 'killed' } }, exit_code: 1 },
    });
  }),
);

test.each(['claude', 'codex'])(
  'killed tools leave no process of %s, and the exchange is answered by the next',
  (agent) =>
    withAgents(async (world) => {
      const { pid } = await world.client.call('tools.check', {});
      await hang(world, agent);
      process.kill(pid, 'SIGKILL');
      await until(() => processesWith(world.bin).length === 0);
      expect(await hungNode(world)).toMatchObject({ external: { handle: { metadata: { fault: 'killed' } } } });
    }),
);

test('a process that waits for the next message is ended by the next start of the tools, with what it left', () =>
  withAgents(async (world) => {
    const { exchange, root, client } = world;
    const { pid } = await client.call('tools.check', {});
    await exchange('claude', [root, '[[child]]'], { policy: { kind: 'open' } });
    process.kill(pid, 'SIGKILL');
    await until(() => processesWith(world.bin).length === 0);
    await client.call('tools.check', {});
  }));

test('what an agent leaves in a group of its own ends with it, also without a sandbox', () =>
  withAgents(async (world) => {
    const { exchange, root, client } = world;
    const { text } = await exchange('claude', [root, '[[child]]'], { policy: { kind: 'open' } });
    expect(text).toMatch(/^left \d+$/);
    await until(() => processesWith(world.bin).length > 0);
    expect(await client.call('health.stop', {})).toEqual({ stopping: true });
    await until(() => processesWith(world.bin).length === 0);
  }));
