import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NodeId } from '../../../../hub/protocol/node.js';
import { breaking, say } from '../../../support/model/script.js';
import { told, withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

test('where a conversation or a branch is archived no model is asked, and nothing is written', async () => {
  await withAgent(async ({ say: ask, run, client, server, tree }) => {
    const node = await ask('hello');
    server.script(say(words('Hello.')));
    const { tip } = await run(node);
    const seq = async () => (await client.call('loom.tree_get', { tree })).last_seq;
    const refused = async () => {
      const before = await seq();
      for (const place of [tip, node]) await expect(run(place)).rejects.toMatchObject({ kind: 'archived' });
      const compacting = client.call('agent.compact', { tree, node: tip, access: {}, change: null });
      await expect(compacting).rejects.toThrow();
      expect(await seq()).toBe(before);
    };
    await client.call('loom.branch_archive', { tree, node });
    await refused();
    await client.call('loom.branch_restore', { tree, node });
    await client.call('loom.tree_archive', { tree });
    await refused();
    expect(server.requests).toHaveLength(1);
  });
});

test('a turn under way when its conversation is archived ends there: its answers, its calls, what was said to it', async () => {
  await withAgent(async ({ say: ask, begin, path, client, server, tree, project }) => {
    const gate = `while [ ! -e ${project}/go ]; do sleep 0.01; done; echo ran`;
    server.script(say(call('c1', 'bash', { command: gate })), say(words('Paid for.')), breaking('hang', words('And')));
    const node = await ask('wait');
    const turn = begin(node);
    await turn.event('call_started');
    await client.call('loom.branch_archive', { tree, node });
    await client.call('loom.tree_archive', { tree });
    const steer = { turn: turn.id, blocks: [{ type: 'text' as const, text: 'and then' }], kind: 'after' as const };
    await client.call('agent.steer', steer);
    writeFileSync(`${project}/go`, '');
    await turn.event('text_added', ({ text }) => text.includes('And'));
    await client.call('agent.steer', { ...steer, blocks: [{ type: 'text', text: 'too late' }] });
    await client.call('agent.stop', { turn: turn.id });
    const { tip } = await turn.outcome;
    expect(told(await path(tip)).slice(1)).toEqual([
      'user: wait',
      'assistant: <call>',
      expect.stringContaining('ran'),
      'assistant: Paid for.',
      'user: and then',
      'assistant: And|\n[interrupted]',
      'user: too late',
    ]);
    expect(await client.call('loom.fsck', { tree })).toMatchObject({ problems: [] });
    expect(NodeId.safeParse(tip).success).toBe(true);
  });
});
