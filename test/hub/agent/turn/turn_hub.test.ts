import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId, TreeId, TurnId } from '../../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import { connectTo, withHome } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { withModelServer } from '../../../support/model_server.js';
import { accessTo, told, withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

const CHANGE = { model: 'anthropic/claude-sonnet-5' };

test('a turn keeps a hub alive that nobody is connected to', async () => {
  await withModelServer((server) =>
    withHome(async (home) => {
      const project = join(dirname(home), 'project');
      mkdirSync(project);
      mkdirSync(home, { recursive: true });
      // Idle for so long it ends: a fraction of what the turn takes.
      writeFileSync(join(home, 'config'), 'hub.idle_minutes = 0.002\n');
      const client = await connectTo(home);
      const tree = TreeId.parse(randomUUID());
      await client.call('loom.tree_create', { id: tree, project });
      const { node } = await client.call('loom.node_create_text', {
        ...{ tree, parent: NodeId.parse(tree), role: 'user', blocks: [{ type: 'text', text: 'wait' }] },
      });
      server.script(say(call('c1', 'bash', { command: 'sleep 1' })), breaking('hang'));
      const params = { id: TurnId.parse(randomUUID()), tree, node: node.id, cwd: project, change: CHANGE };
      let begun = (): void => undefined;
      const hasBegun = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const running = client.stream('agent.run', { ...params, access: accessTo(server) }, { onEvent: () => begun() });
      const gone = running.catch(() => null);
      await hasBegun;
      await client.close();
      await gone;
      await server.hanging();
      const other = await connectTo(home, { start: false });
      expect(await other.call('agent.status', {})).toMatchObject({ turns: [{ turn: params.id, iterations: 1 }] });
      await other.call('agent.stop', { turn: params.id });
      await other.close();
    }),
  );
});

test('when the process of the tools dies the model is told, and its next command runs', async () => {
  await withAgent(async ({ say: ask, begin, path, client, server }) => {
    server.script(
      say(call('c1', 'bash', { command: 'echo begun; sleep 60' })),
      say(call('c2', 'bash', { command: 'echo again' })),
      say(words('Good.')),
    );
    const turn = begin(await ask('go'));
    await turn.event('call_output');
    process.kill((await client.call('tools.check', {})).pid, 'SIGKILL');
    const { state, tip } = await turn.outcome;
    expect(state).toBe('done');
    const results = told((await path(tip)).filter(({ kind }) => kind === 'external'));
    expect(results[0]).toContain('the process of the tools ended');
    expect(results[1]).toBe('bash: again\n');
  });
});

test('nothing that a person was told is kept is lost, however late it came', async () => {
  await withAgent(async ({ say: ask, begin, path, client }) => {
    let acknowledged = 0;
    for (let round = 0; round < 15; round++) {
      const turn = begin(await ask(`question ${round}`));
      await turn.heard(1 + (round % 6));
      const steers = [1, 2, 3].map((number) =>
        client
          .call('agent.steer', { turn: turn.id, kind: 'after', blocks: [{ type: 'text', text: `more ${number}` }] })
          .then(({ id }) => id)
          .catch(() => null),
      );
      const kept = (await Promise.all(steers)).filter((id) => id !== null);
      const { tip } = await turn.outcome;
      const ids = (await path(tip)).map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(kept));
      acknowledged += kept.length;
    }
    console.log(`${acknowledged} of 45 inputs came in time`);
  });
});

test('who follows a tree hears all of its turns, and none of others', async () => {
  await withAgent(async ({ hub, say: ask, run, tree, client, server }) => {
    const other = await hub.connect();
    const heard: AgentEvent[] = [];
    const abort = new AbortController();
    const onEvent = (event: AgentEvent): void => void heard.push(event);
    const following = other.stream('agent.follow', { tree }, { onEvent, signal: abort.signal });
    // The hub reads a connection in order: when this is answered it follows.
    await other.call('agent.status', {});
    const first = await run(await ask('one'));
    const second = await run(await ask('two', first.tip));
    const { id: elsewhere } = await client.call('loom.tree_create', {});
    const { node } = await client.call('loom.node_create_text', {
      ...{ tree: elsewhere, parent: NodeId.parse(elsewhere), role: 'user', blocks: [{ type: 'text', text: 'hi' }] },
    });
    await run(node.id, { tree: elsewhere });
    await other.call('agent.status', {});
    abort.abort();
    await expect(following).rejects.toMatchObject({ kind: 'cancelled' });
    const ended = heard.flatMap((event) => (event.kind === 'turn_ended' ? [event.turn] : []));
    expect(ended).toEqual([first.turn, second.turn]);
    expect(server.requests).toHaveLength(3);
  });
});

test('several turns of a tree run at once, each on its branch', async () => {
  await withAgent(async ({ say: ask, begin, path, client, tree }) => {
    const nodes = await Promise.all(Array.from({ length: 8 }, (_, number) => ask(`question ${number}`)));
    const outcomes = await Promise.all(nodes.map((node) => begin(node).outcome));
    expect(outcomes.map(({ state }) => state)).toEqual(nodes.map(() => 'done'));
    for (const { tip } of outcomes) expect(await path(tip)).toHaveLength(3);
    expect(await client.call('loom.fsck', { tree })).toMatchObject({ problems: [] });
  });
});
