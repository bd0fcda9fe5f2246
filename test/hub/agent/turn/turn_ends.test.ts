import { expect, test } from 'vitest';
import { breaking, fail, say } from '../../../support/model/script.js';
import type { TestAgent } from '../../../support/turns.js';
import { told, withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

/** Goes on from where a turn ended, which must always be possible. */
async function goOn({ run, server }: TestAgent, tip: Parameters<TestAgent['run']>[0]): Promise<void> {
  server.script(say(words('And on.')));
  expect(await run(tip)).toMatchObject({ state: 'done', text: 'And on.' });
}

test('calls of an answer that was cut off are not executed, and the turn can be gone on from', async () => {
  await withAgent(async (agent) => {
    const { say: ask, run, path, server } = agent;
    server.script({ ...say(words('Let me'), call('c1', 'bash', { command: 'touch x' })), end: 'max_tokens' });
    const outcome = await run(await ask('hello'));
    expect(outcome).toMatchObject({ state: 'stopped', why: 'max_tokens', text: 'Let me' });
    expect(told(await path(outcome.tip))).toEqual(['root: ', 'user: hello', 'assistant: Let me|<call>']);
    await goOn(agent, outcome.tip);
    const messages = JSON.stringify(server.requests[1]?.body.messages);
    expect(messages).toContain('Go on from where you were interrupted.');
    expect(messages).not.toContain('tool_use');
  });
});

test('a refused answer is kept and never sent again', async () => {
  await withAgent(async (agent) => {
    const { say: ask, run, server } = agent;
    server.script({ ...say(words('I would rather')), end: 'refused' });
    const outcome = await run(await ask('something bad'));
    expect(outcome).toMatchObject({ state: 'stopped', why: 'refused' });
    await goOn(agent, outcome.tip);
    expect(JSON.stringify(server.requests[1]?.body.messages)).not.toContain('I would rather');
  });
});

test('an empty answer ends the turn, and adds no node when there is nothing in it', async () => {
  await withAgent(async (agent) => {
    const { say: ask, run, server } = agent;
    const node = await ask('hello');
    server.script(say());
    const outcome = await run(node);
    expect(outcome).toMatchObject({ state: 'stopped', why: 'empty', tip: node });
    await goOn(agent, outcome.tip);
  });
});

test('thinking is kept with its signature and sent back, but only to the model that signed it', async () => {
  await withAgent(async ({ say: ask, run, server }) => {
    server.script(say({ kind: 'thinking', text: 'Hm.' }, call('c1', 'bash', { command: 'true' })), say(words('Yes.')));
    const { tip } = await run(await ask('think'), {
      change: { model: 'anthropic/claude-sonnet-4-6', thinking: 'low' },
    });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('"thinking":"Hm."');
    await run(await ask('again', tip), { change: { model: 'anthropic/claude-opus-4-6' } });
    expect(JSON.stringify(server.requests[2]?.body.messages)).not.toContain('Hm.');
  });
});

test('a failure leaves a place to go on from, and says what to do', async () => {
  await withAgent(async (agent) => {
    const { say: ask, run, server } = agent;
    const node = await ask('hello');
    server.script(fail(401, 'invalid x-api-key', { type: 'authentication_error' }));
    const outcome = await run(node);
    expect(outcome).toMatchObject({ state: 'failed', why: 'failed', tip: node });
    expect(outcome.failure?.data).toMatchObject({ kind: 'rejected', retryable: false });
    expect(outcome.failure?.data.hint).not.toBeNull();
    await goOn(agent, outcome.tip);
  });
});

test('a rate limit is waited for as long as the server wishes, as an event and not as a node', async () => {
  await withAgent(async ({ say: ask, begin, server, path, client }) => {
    server.script(
      fail(429, 'slow down', { headers: { 'retry-after-ms': '5', 'retry-after': '0' } }),
      say(words('Hello.')),
    );
    const turn = begin(await ask('hello'));
    const { tip, state } = await turn.outcome;
    expect(state).toBe('done');
    const failed = turn.events.filter(({ kind }) => kind === 'request_failed');
    expect(failed).toMatchObject([{ data: { kind: 'rate_limited' } }]);
    expect(await path(tip)).toHaveLength(3);
    const { requests } = await client.call('loom.request_list', { turn: turn.id });
    expect(requests.map(({ outcome, node }) => ({ outcome, node }))).toEqual([
      { outcome: 'ok', node: tip },
      { outcome: 'rate_limited', node: tip },
    ]);
  });
});

test('an answer that broke off begins again with a word about it', async () => {
  await withAgent(async ({ say: ask, begin, server, path }) => {
    server.script(breaking('cut', words('Hello wor')), say(words('Hello world.')));
    const turn = begin(await ask('hello'));
    const { tip } = await turn.outcome;
    expect(told(await path(tip)).at(-1)).toBe('assistant: Hello world.');
    const kinds = turn.events.map(({ kind }) => kind);
    expect(kinds.indexOf('answer_restarted')).toBeGreaterThan(kinds.indexOf('text_added'));
    expect(kinds.filter((kind) => kind === 'answer_restarted')).toHaveLength(1);
  });
});

test('a limit of answers ends a turn after its step, and says which', async () => {
  await withAgent(async (agent) => {
    const { say: ask, run, server } = agent;
    server.script(say(call('c1', 'bash', { command: 'true' })));
    const outcome = await run(await ask('hello'), { limits: { iterations: 1 } });
    expect(outcome).toMatchObject({ state: 'stopped', why: 'iterations' });
    await goOn(agent, outcome.tip);
    server.script(say(call('c2', 'bash', { command: 'true' })));
    const tokens = await run(await ask('again', outcome.tip), { limits: { tokens: 10 } });
    expect(tokens).toMatchObject({ state: 'stopped', why: 'tokens' });
  });
});

test('a limit of cost needs a known price', async () => {
  await withAgent(async ({ say: ask, run, server }) => {
    const limits = { cost_microdollars: 1_000 };
    await expect(run(await ask('hello'), { limits })).rejects.toThrow(
      'the price of anthropic/claude-sonnet-5 is not known',
    );
    expect(server.requests).toHaveLength(0);
  });
});

test('a limit of time ends a request under way', async () => {
  await withAgent(async ({ say: ask, run, server }) => {
    server.script(breaking('hang', words('Well')));
    const outcome = await run(await ask('hello'), { limits: { time_ms: 300 } });
    expect(outcome).toMatchObject({ state: 'stopped', why: 'time' });
  });
});
