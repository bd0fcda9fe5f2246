import { expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import type { WatchEvent } from '../../../hub/protocol/feed_events.js';
import { NodeId, type TreeId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { withHub } from '../../support/hub.js';
import { withLossyLine } from '../../support/lossy_line.js';
import { breaking, say } from '../../support/model/script.js';
import { accessTo, type TestAgent, withAgent } from '../../support/turns.js';
import { words } from '../agent/turn/turn_calls.js';

/** Resolves when a turn of the tree has ended. */
function turnEnded(client: Client, tree: TreeId): Promise<void> {
  return new Promise((resolve, reject) => {
    const onEvent = ({ kind }: AgentEvent): void => {
      if (kind === 'turn_ended') resolve();
    };
    client.stream('agent.follow', { tree }, { onEvent }).catch(reject);
  });
}

/** Resolves when something has been appended below the root of a tree. */
function childCreated(client: Client, tree: TreeId): Promise<void> {
  return new Promise((resolve, reject) => {
    const onEvent = (event: WatchEvent): void => {
      if (event.kind === 'node_created' && event.node.parent !== null) resolve();
    };
    client.watch({ tree, since: 0, onEvent }).catch(reject);
  });
}

function backAgain(client: Client): Promise<void> {
  return new Promise((resolve) => {
    const stop = client.onLine(({ kind }) => {
      if (kind !== 'there') return;
      stop();
      resolve();
    });
  });
}

/** A path that has something to summarise. */
async function talk({ server, run, say: ask }: TestAgent): Promise<NodeId> {
  server.script(say(words('Forty-two.')));
  return (await run(await ask('Count the beans.'))).tip;
}

test('a node whose answer was lost is appended once', async () => {
  await withHub(async ({ home, client }) => {
    const { id: tree } = await client.call('loom.tree_create', {});
    await withLossyLine(home, async (line) => {
      line.loseAnswers();
      const appended = childCreated(client, tree);
      const blocks = [{ type: 'text' as const, text: 'once' }];
      const answer = line.client.call('loom.node_create_text', {
        tree,
        parent: NodeId.parse(tree),
        role: 'user',
        blocks,
      });
      await appended;
      line.cut();
      const { node } = await answer;
      const { children } = await client.call('loom.node_get_children', { node: NodeId.parse(tree) });
      expect(children.map(({ id }) => id)).toEqual([node.id]);
    });
  });
});

test('a summary whose answer was lost is paid for once', async () => {
  await withAgent(async (agent) => {
    const { hub, server, tree, client } = agent;
    const tip = await talk(agent);
    const before = server.requests.length;
    await withLossyLine(hub.home, async (line) => {
      server.script(say(words('## Asked\nBeans.')), say(words('## Asked\nBeans, once more.')));
      const ended = turnEnded(client, tree);
      line.loseAnswers();
      const answer = line.client.call('agent.compact', { tree, node: tip, access: accessTo(server) });
      await ended;
      line.cut();
      expect(await answer).toMatchObject({ state: 'done', text: expect.stringMatching(/Beans\.$/) });
      expect(server.requests).toHaveLength(before + 1);
    });
  });
});

test('a summary that is still being written when the connection breaks is awaited, not started again', async () => {
  await withAgent(async (agent) => {
    const { hub, server, tree } = agent;
    const tip = await talk(agent);
    const before = server.requests.length;
    await withLossyLine(hub.home, async (line) => {
      server.script(breaking('hang', words('## As')));
      const answer = line.client.call('agent.compact', { tree, node: tip, access: accessTo(server) });
      await server.hanging();
      const back = backAgain(line.client);
      line.cut();
      await back;
      // Sent after the call that was sent again, over the same line.
      const { turns } = await line.client.call('agent.status', { tree });
      expect(turns).toHaveLength(1);
      for (const { turn } of turns) await line.client.call('agent.stop', { turn });
      expect(await answer).toMatchObject({ state: 'interrupted', turn: turns[0]?.turn });
      expect(server.requests).toHaveLength(before + 1);
    });
  });
});
