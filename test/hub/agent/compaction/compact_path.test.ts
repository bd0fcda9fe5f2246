import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ParamsOf } from '../../../../hub/protocol/methods/method_table.js';
import { NodeId, TurnId } from '../../../../hub/protocol/node.js';
import { breaking, fail, say } from '../../../support/model/script.js';
import { accessTo, type TestAgent, told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

const SUMMARY = '## Asked\nA bean counter.\n## Open\nNothing.';

/** Summarises the path to a node. */
function compact({ client, tree, server }: TestAgent, node: NodeId, more: Partial<ParamsOf<'agent.compact'>> = {}) {
  return client.call('agent.compact', { tree, node, access: accessTo(server), ...more });
}

/** A turn with a call in it, answered. */
async function talk(agent: TestAgent, text: string, parent?: NodeId): Promise<NodeId> {
  agent.server.script(say(words('I look.'), call('c1', 'bash', { command: 'echo beans' })), say(words(`Yes: ${text}`)));
  const { tip, state } = await agent.run(await agent.say(text, parent));
  expect(state).toBe('done');
  return tip;
}

/** What a request was sent last. */
function lastSent({ server }: TestAgent): { messages: unknown[]; text: string } {
  const { messages } = server.requests.at(-1)?.body ?? {};
  return { messages: Array.isArray(messages) ? messages : [], text: JSON.stringify(messages) };
}

test('a summary is a node below the path, and what follows is sent with that alone', async () => {
  await withAgent(async (agent) => {
    const { server, path, client } = agent;
    const tip = await talk(agent, 'Count the beans.');
    server.script(say(words(SUMMARY)));
    const outcome = await compact(agent, tip, { instructions: 'Keep the colours.' });
    expect(outcome).toMatchObject({ state: 'done', failure: null, text: expect.stringContaining('A bean counter.') });
    expect(outcome.usage).not.toBeNull();
    const [summary] = (await path(outcome.tip)).slice(-1);
    expect(summary).toMatchObject({ role: 'summary', parent: tip, id: outcome.turn });
    expect(lastSent(agent).text).toContain('Keep the colours.');
    const after = await talk(agent, 'And the peas?', outcome.tip);
    const { text } = lastSent(agent);
    expect(text).toContain('The conversation until here, summarised:');
    expect(text).not.toContain('Count the beans.');
    // Five requests of three turns, each counted once.
    const { total } = await client.call('loom.cost_get', { node: after });
    expect(total).toMatchObject({ requests: 5, failed: 0, unknown_usage: 0 });
  });
});

test('a path whose thinking another account made is summarised as a text', async () => {
  await withAgent(async (agent) => {
    const tip = await talk(agent, 'Count the beans.');
    const message = 'Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
    agent.server.script(fail(400, message), say(words(SUMMARY)));
    const outcome = await compact(agent, tip);
    expect(outcome).toMatchObject({ state: 'done', failure: null, text: expect.stringContaining('A bean counter.') });
    expect(agent.server.requests.at(-1)?.body).toMatchObject({ thinking: { type: 'disabled' } });
  });
});

test('a summary is asked for at the end of what was sent before, so that a cache has it', async () => {
  await withAgent(async (agent) => {
    const tip = await talk(agent, `Count the beans. ${'They are many. '.repeat(600)}`);
    agent.server.script(say(words(SUMMARY)));
    await compact(agent, tip);
    const [before, asking] = agent.server.requests.slice(-2).map(({ body }) => body);
    expect([asking?.system, asking?.tools, asking?.thinking]).toEqual([
      before?.system,
      before?.tools,
      before?.thinking,
    ]);
    const { read = 0, repeatable = 1 } = agent.server.cache.served.at(-1) ?? {};
    expect(repeatable).toBeGreaterThan(2_000);
    expect(read / repeatable).toBeGreaterThan(0.95);
  });
});

test('an open request is carried over word for word when the window is nearly full before its answer', async () => {
  await withAgent(async (agent) => {
    const { server, begin, say: ask, path } = agent;
    const tip = await talk(agent, `Read this. ${'Words and words. '.repeat(1_000)}`);
    const request = 'Now paint it: über-blau, 🫘, and nothing else.';
    server.script(
      say(call('c2', 'bash', { command: 'seq 1 9000' })),
      say(words(SUMMARY)),
      say(words('Painted.')),
      say(words('unused')),
    );
    const turn = begin(await ask(request, tip), { window: 20_000 });
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ state: 'done', text: 'Painted.' });
    const compacted = await turn.event('context_compacted');
    expect(compacted.tokens_before).toBeGreaterThan(10_000);
    expect(compacted.tokens_after).toBeLessThan(3_000);
    const roles = (await path(outcome.tip)).slice(-4).map(({ role }) => role);
    expect(roles).toEqual(['assistant', 'tool', 'summary', 'assistant']);
    expect(lastSent(agent).text).toContain(`word for word:"},{"type":"text","text":"${request}"`);
    // What the model wrote for itself is no answer to the person.
    expect(turn.events.some((event) => event.kind === 'text_added' && event.text.includes('Asked'))).toBe(false);
  });
});

test('an open request outlives a second summary, and a message to go on is not taken for one', async () => {
  await withAgent(async (agent) => {
    const { server, run, say: ask } = agent;
    server.script({ ...say(words('I begin'), call('c1', 'bash', { command: 'true' })), end: 'max_tokens' });
    const { tip } = await run(await ask('Sing all verses.'));
    server.script(say(words(SUMMARY)));
    const first = await compact(agent, tip);
    expect(first.text).toContain('word for word:Sing all verses.');
    server.script({ ...say(words('La')), end: 'max_tokens' });
    const sung = await run(first.tip);
    server.script({ ...say(words('la')), end: 'max_tokens' });
    const more = await run(sung.tip);
    server.script(say(call('c2', 'bash', { command: 'true' })), { ...say(), end: 'max_tokens' });
    const last = await run(more.tip);
    server.script(say(words(SUMMARY)));
    const second = await compact(agent, last.tip);
    expect(second.text).toContain('Sing all verses.');
    expect(second.text).not.toContain('Go on from where');
  });
});

const TOO_LONG = fail(400, 'prompt is too long: 250000 tokens > 200000 maximum', { type: 'invalid_request_error' });

test('a path that the server finds too long is summarised once and sent again', async () => {
  await withAgent(async (agent) => {
    const { server, begin, say: ask } = agent;
    const tip = await talk(agent, 'Count the beans.');
    server.script(TOO_LONG, say(words(SUMMARY)), say(words('Sorted.')));
    const turn = begin(await ask('Sort them.', tip));
    expect(await turn.outcome).toMatchObject({ state: 'done', text: 'Sorted.' });
    expect(turn.events.filter(({ kind }) => kind === 'context_compacted')).toHaveLength(1);
    expect(lastSent(agent).text).toContain('Sort them.');
  });
});

test('a path that is too long even as a summary ends the turn, with a place to go on from', async () => {
  await withAgent(async (agent) => {
    const { server, run, say: ask, client } = agent;
    const tip = await talk(agent, 'Count the beans.');
    server.script(TOO_LONG, say(words(SUMMARY)), TOO_LONG);
    const outcome = await run(await ask('Sort them.', tip));
    expect(outcome).toMatchObject({ state: 'failed', failure: { data: { kind: 'context_too_long' } } });
    const { node } = await client.call('loom.node_get', { node: outcome.tip });
    expect(node.role).toBe('summary');
    server.script(say(words('After all.')));
    expect(await run(outcome.tip)).toMatchObject({ state: 'done', text: 'After all.' });
  });
});

test('nothing is summarised by itself where the window is not known, or where that is turned off', async () => {
  await withAgent(async (agent) => {
    const { server, begin, say: ask } = agent;
    const tip = await talk(agent, `Read this. ${'Words and words. '.repeat(3_000)}`);
    for (const options of [{}, { window: 10_000, compact: 'off' as const }]) {
      const turn = begin(await ask('Go on.', tip), options);
      expect((await turn.outcome).state).toBe('done');
      expect(turn.events.map(({ kind }) => kind)).not.toContain('compaction_started');
    }
    server.script(TOO_LONG);
    const refused = begin(await ask('Go on.', tip), { compact: 'off' });
    expect(await refused.outcome).toMatchObject({ failure: { data: { kind: 'context_too_long' } } });
    expect(server.requests).toHaveLength(5);
  });
});

test('where the path itself is too long for its model, a summary of less and less of its text is asked for', async () => {
  await withAgent(async (agent) => {
    const { server, path } = agent;
    const tip = await talk(agent, `Read this: ${'x'.repeat(100_000)} to here.`);
    server.script(TOO_LONG, TOO_LONG, say(words(SUMMARY)));
    const outcome = await compact(agent, tip);
    expect(outcome).toMatchObject({ state: 'done', text: expect.stringContaining('too long to be summarised whole') });
    const sizes = server.requests.slice(-3).map(({ text }) => text.length);
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.7);
    expect(sizes[2]).toBeLessThan((sizes[1] ?? 0) * 0.7);
    expect(server.requests.at(-1)?.text).toContain('bytes left out');
    expect(server.requests.at(-1)?.body.tools).toBeUndefined();
    expect((await path(outcome.tip)).at(-1)?.role).toBe('summary');
  });
  await withAgent(async (agent) => {
    const tip = await talk(agent, 'Read this.');
    agent.server.script(...Array.from({ length: 6 }, () => TOO_LONG));
    expect(await compact(agent, tip)).toMatchObject({
      ...{ state: 'failed', tip },
      failure: { data: { kind: 'context_too_long' } },
    });
  });
});

test('a model that calls tools instead of writing a summary is asked again without any', async () => {
  await withAgent(async (agent) => {
    const { server, path } = agent;
    const tip = await talk(agent, 'Count the beans.');
    server.script(say(words('Let me look.'), call('c9', 'bash', { command: 'touch made' })), say(words(SUMMARY)));
    const outcome = await compact(agent, tip);
    expect(outcome.text).toContain('A bean counter.');
    expect(told(await path(outcome.tip)).join('\n')).not.toContain('touch made');
    server.script(say(call('c9', 'bash', { command: 'true' })), say());
    expect(await compact(agent, tip)).toMatchObject({ failure: { message: 'the model wrote no summary' } });
  });
});

test('there is nothing to summarise in an empty path, after one message, and after a summary', async () => {
  await withAgent(async (agent) => {
    const { tree, say: ask, server } = agent;
    const change = { model: 'anthropic/claude-sonnet-5' };
    await expect(compact(agent, NodeId.parse(tree), { change })).rejects.toThrow('nothing has been said here yet');
    await expect(compact(agent, await ask('hello'), { change })).rejects.toThrow('there is nothing to summarise');
    const tip = await talk(agent, 'Count the beans.');
    server.script(say(words(SUMMARY)));
    const { tip: summary } = await compact(agent, tip);
    await expect(compact(agent, summary)).rejects.toThrow('since the last summary');
    expect(server.requests).toHaveLength(3);
  });
});

test('a summary that is stopped or fails leaves the path as it was', async () => {
  await withAgent(async (agent) => {
    const { server, client } = agent;
    const tip = await talk(agent, 'Count the beans.');
    server.script(breaking('hang', words('## As')));
    const id = TurnId.parse(randomUUID());
    const ended = compact(agent, tip, { id });
    await server.hanging();
    const { turns } = await client.call('agent.status', {});
    expect(turns).toMatchObject([{ turn: id, activity: 'compacting' }]);
    await client.call('agent.stop', { turn: id });
    expect(await ended).toMatchObject({ state: 'interrupted', why: 'asked', tip, text: '' });
    server.script(fail(401, 'no', { type: 'authentication_error' }));
    expect(await compact(agent, tip)).toMatchObject({ state: 'failed', tip, failure: { data: { kind: 'rejected' } } });
    server.script({ ...say(words('I would rather not')), end: 'refused' });
    expect((await compact(agent, tip)).failure?.message).toBe('the model refused to write a summary');
    const { children } = await client.call('loom.node_get_children', { node: tip });
    expect(children).toEqual([]);
  });
});

test('a summary that is asked for again under the same id is the same', async () => {
  await withAgent(async (agent) => {
    const tip = await talk(agent, 'Count the beans.');
    agent.server.script(say(words(SUMMARY)));
    const id = TurnId.parse(randomUUID());
    const [first, beside] = await Promise.all([compact(agent, tip, { id }), compact(agent, tip, { id })]);
    const again = await compact(agent, tip, { id });
    expect([beside.tip, again.tip]).toEqual([first.tip, first.tip]);
    expect(again).toMatchObject({ state: 'done', text: first.text });
    expect(agent.server.requests).toHaveLength(3);
  });
});

test('a node inside a step stands for the end of the step, and a summary for all before it', async () => {
  await withAgent(async (agent) => {
    const { server, path, client } = agent;
    const tip = await talk(agent, 'Count the beans.');
    const inside = (await path(tip)).find(({ step }) => step !== null && step.index === 0);
    server.script(say(words(SUMMARY)));
    const first = await compact(agent, inside?.id ?? tip);
    expect(first.text).toContain('word for word:Count the beans.');
    const on = await talk(agent, 'And the peas?', first.tip);
    server.script(say(words('## Done\nBoth.')));
    const second = await compact(agent, on);
    const model = await client.call('context.model', { node: second.tip });
    expect(model.messages).toHaveLength(1);
    expect(JSON.stringify(model.messages)).toContain('Both.');
  });
});
