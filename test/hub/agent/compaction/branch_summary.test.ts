import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type NodeId, TurnId } from '../../../../hub/protocol/node.js';
import { breaking, fail, say } from '../../../support/model/script.js';
import { accessTo, type TestAgent, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

const SUMMARY = '## Tried\nTo count the beans.\n## Found\nThey are 42.';

interface Forked {
  agent: TestAgent;
  /** The answer that both branches follow. */
  shared: NodeId;
  left: NodeId;
}

/** A conversation of which one branch was carried on, with a call in it. */
function withFork(use: (forked: Forked) => Promise<void>): Promise<void> {
  return withAgent(async (agent) => {
    agent.server.script(say(words('A garden.')));
    const { tip: shared } = await agent.run(await agent.say('What is here?'));
    agent.server.script(
      say(words('I look.'), call('c1', 'bash', { command: 'echo 42 beans' })),
      say(words('Forty-two beans.')),
    );
    const { tip: left } = await agent.run(await agent.say('Count the beans.', shared));
    await use({ agent, shared, left });
  });
}

function summarise({ client, tree, server }: TestAgent, left: NodeId, into: NodeId) {
  return client.call('agent.compact', { tree, node: left, into, access: accessTo(server) });
}

test('what a branch has alone is summarised by its model, as a message where the conversation goes on', async () => {
  await withFork(async ({ agent, shared, left }) => {
    const { server, path, client } = agent;
    server.script(say(words(SUMMARY)));
    const outcome = await summarise(agent, left, shared);
    expect(outcome).toMatchObject({ state: 'done', failure: null, text: expect.stringContaining('They are 42.') });
    const sentText = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sentText).toContain('Count the beans.');
    expect(sentText).toContain('42 beans');
    // What both branches have is known where the summary goes.
    expect(sentText).not.toContain('What is here?');
    expect(server.requests.at(-1)?.body.tools ?? []).toEqual([]);
    const [above, message] = (await path(outcome.tip)).slice(-2);
    expect(above?.id).toBe(shared);
    expect(message).toMatchObject({ id: outcome.turn, role: 'user', parent: shared });
    expect(JSON.stringify(message?.blocks)).toContain(
      `Summary of the branch that ends at ${left.slice(0, 8)} (4 nodes), which was left:`,
    );
    server.script(say(words('Peas, then.')));
    const after = await agent.run(await agent.say('And the peas?', outcome.tip));
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toContain('What is here?');
    expect(sent).toContain('They are 42.');
    expect(sent).not.toContain('Count the beans.');
    // Its price is that of the path that has it: one answer before the fork, the summary, one answer.
    const { total } = await client.call('loom.cost_get', { node: after.tip });
    expect(total).toMatchObject({ requests: 3, unknown_usage: 0 });
  });
});

test('a retry under the same id is neither asked nor paid again', async () => {
  await withFork(async ({ agent, shared, left }) => {
    const { server, client, tree } = agent;
    server.script(say(words(SUMMARY)));
    const first = await summarise(agent, left, shared);
    const requests = server.requests.length;
    const again = { id: first.turn, tree, node: left, into: shared, access: accessTo(server) };
    expect(await client.call('agent.compact', again)).toMatchObject({ tip: first.tip, text: first.text });
    expect(server.requests).toHaveLength(requests);
  });
});

test('where nothing is left behind nobody is asked: down the same branch, and at the same place', async () => {
  await withFork(async ({ agent, shared, left }) => {
    const requests = agent.server.requests.length;
    const refused = { kind: 'invalid_params', message: expect.stringContaining('nothing is left behind') };
    await expect(summarise(agent, shared, left)).rejects.toMatchObject(refused);
    await expect(summarise(agent, left, left)).rejects.toMatchObject(refused);
    expect(agent.server.requests).toHaveLength(requests);
  });
});

test('a summary that fails leaves nothing where one goes', async () => {
  await withFork(async ({ agent, shared, left }) => {
    agent.server.script(fail(400, 'no such model', { type: 'invalid_request_error' }));
    const failed = await summarise(agent, left, shared);
    expect(failed).toMatchObject({ state: 'failed', tip: shared, text: '' });
    agent.server.script(say(words('   ')));
    const empty = await summarise(agent, left, shared);
    expect(empty).toMatchObject({ state: 'failed', tip: shared });
    const { children } = await agent.client.call('loom.node_get_children', { node: shared, limit: 10 });
    expect(children).toHaveLength(1);
  });
});

test('a summary that is stopped leaves nothing where one goes', async () => {
  await withFork(async ({ agent, shared, left }) => {
    const { server, client, tree } = agent;
    server.script(breaking('hang', words('## Tried')));
    const id = TurnId.parse(randomUUID());
    const ended = client.call('agent.compact', { id, tree, node: left, into: shared, access: accessTo(server) });
    await server.hanging();
    await client.call('agent.stop', { turn: id });
    expect(await ended).toMatchObject({ state: 'interrupted', why: 'asked', tip: shared, text: '' });
    const { children } = await client.call('loom.node_get_children', { node: shared, limit: 10 });
    expect(children).toHaveLength(1);
  });
});

test('a branch in an archived place takes no summary, and no model is asked', async () => {
  await withFork(async ({ agent, shared, left }) => {
    const { client, tree, server } = agent;
    const other = await agent.say('Something else.', shared);
    await client.call('loom.branch_archive', { tree, node: other });
    const requests = server.requests.length;
    await expect(summarise(agent, left, other)).rejects.toMatchObject({ kind: 'archived' });
    expect(server.requests).toHaveLength(requests);
  });
});
