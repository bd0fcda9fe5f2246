import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NodeId } from '../../../../hub/protocol/node.js';
import { breaking, say } from '../../../support/model/script.js';
import { accessTo, type TestAgent, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

const SUMMARY = '## Asked\nA bean counter.';
/** A PNG of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function compact({ client, tree, server }: TestAgent, node: NodeId, window: number | null = null) {
  return client.call('agent.compact', { tree, node, access: accessTo(server), window });
}

test('a summary carries on an image that is still to be looked at, and cuts only what would fill the window again', async () => {
  await withAgent(async (agent) => {
    const { server, client, tree, path, project, run } = agent;
    writeFileSync(join(project, 'dot.png'), Buffer.from(DOT, 'base64'));
    server.script(say(call('c1', 'read', { path: 'dot.png' })), say(words('A dot.')));
    const { tip } = await run(await agent.say('Look at the dot.'));
    const image = (await path(tip)).flatMap(({ blocks }) => blocks).find(({ type }) => type === 'image');
    if (image?.type !== 'image') throw new Error('no image was read');
    const long = `${'數據 🫘 '.repeat(9_000)}at the very end.`;
    const { node } = await client.call('loom.node_create_text', {
      ...{ tree, parent: tip, role: 'user', blocks: [{ type: 'text', text: long }, image] },
    });
    server.script(say(words(SUMMARY)));
    const whole = await compact(agent, node.id);
    const [text, seen] = (await path(whole.tip)).at(-1)?.blocks.slice(-2) ?? [];
    // Not compared as wholes: nobody wants to read 100 kB of differences.
    expect([text?.type === 'text' && text.text === long, seen]).toEqual([true, image]);
    server.script(say(words(SUMMARY)));
    const cut = await compact(agent, node.id, 40_000);
    expect((await path(cut.tip)).at(-1)?.blocks.at(-1)).toEqual(image);
    expect(Buffer.byteLength(cut.text)).toBeLessThan(41_000);
    expect(cut.text).toMatch(/bytes left out.*at the very end\.$/s);
    expect(cut.text.isWellFormed()).toBe(true);
    server.script(say(words('Seen.')));
    expect(await agent.run(cut.tip)).toMatchObject({ state: 'done' });
  });
});

test('turns on several branches summarise side by side, and a limit ends a turn after its summary', async () => {
  await withAgent(async (agent) => {
    const { run, say: ask, begin, server } = agent;
    server.script(say(words('Read.')));
    const { tip } = await run(await ask(`Read this. ${'Words and words. '.repeat(3_000)}`));
    const nodes = [await ask('One?', tip), await ask('Two?', tip), await ask('Three?', tip)];
    const outcomes = await Promise.all(nodes.map((node) => run(node, { window: 20_000 })));
    expect(outcomes.map(({ state, text }) => [state, text])).toEqual(nodes.map(() => ['done', 'Hello.']));
    expect(server.requests).toHaveLength(7);
    const limited = begin(await ask('Four?', tip), { window: 20_000, limits: { tokens: 1 } });
    expect(await limited.outcome).toMatchObject({ state: 'stopped', why: 'tokens' });
    const { node: summary } = await limited.event('context_compacted');
    expect((await limited.outcome).tip).toBe(summary);
  });
});

test('the request of an interrupted answer is carried over, and so is one that got only thinking', async () => {
  await withAgent(async ({ client, server, tree, say: ask, begin, run }) => {
    const request = await ask('Paint the shed green.');
    server.script(breaking('hang', words('I begin with')));
    const turn = begin(request);
    await turn.event('text_added');
    await server.hanging();
    await client.call('agent.stop', { turn: turn.id });
    const { tip, state } = await turn.outcome;
    expect(state).toBe('interrupted');
    const given = { tree, access: accessTo(server) };
    server.script(say(words('## Asked\nSomething.')));
    const cut = await client.call('agent.compact', { ...given, node: tip });
    expect(cut.text).toContain('word for word:Paint the shed green.');
    // One that is answered is not, though a summary of it was stopped before.
    server.script(say(words('Painted.')));
    const whole = await run(await ask('Now the door.', cut.tip));
    server.script(say(words('## Asked\nA door.')));
    const done = await client.call('agent.compact', { ...given, node: whole.tip });
    expect(done.text).not.toContain('word for word');
  });
});

test('a window that is filled by what is always sent is not compacted again and again', async () => {
  await withAgent(async ({ server, say: ask, begin, run }) => {
    server.script(say(words('Yes.')));
    const { tip } = await run(await ask(`Read this. ${'Words and words. '.repeat(2_500)}`));
    const steps = Array.from({ length: 4 }, (_, at) => say(call(`c${at}`, 'bash', { command: 'echo beans' })));
    server.script(say(words('## Asked\nBeans.')), ...steps, say(words('Done.')));
    const filling = `Keep this. ${'Beans and beans. '.repeat(2_500)}`;
    const turn = begin(await ask(filling, tip), { window: 9_000, change: { system_prompt: filling } });
    expect(await turn.outcome).toMatchObject({ state: 'done', text: 'Done.' });
    expect(turn.events.filter(({ kind }) => kind === 'compaction_started')).toHaveLength(1);
  });
});
