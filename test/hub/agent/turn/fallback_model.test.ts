import { expect, test } from 'vitest';
import { fail, say } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

const OPUS = 'anthropic/claude-opus-5-5';
const SONNET = 'anthropic/claude-sonnet-5';
/** As often as a request is sent: the server says not to wait. */
const OVERLOADED = Array.from({ length: 7 }, () =>
  fail(529, 'Overloaded', { type: 'overloaded_error', headers: { 'retry-after-ms': '0' } }),
);

test('where a model stays overloaded the one that was named goes on, says so, and is on the node', () =>
  withAgent(async ({ say: ask, begin, run, server, path, settingsAt }) => {
    server.script(say(words('I look.'), call('c1', 'bash', { command: 'true' })), ...OVERLOADED, say(words('Done.')));
    const turn = begin(await ask('look'), { change: { model: OPUS }, fallback: SONNET });
    const { state, text, tip } = await turn.outcome;
    expect({ state, text }).toEqual({ state: 'done', text: 'Done.' });
    expect(turn.events.filter(({ kind }) => kind === 'model_replaced')).toMatchObject([
      { from: OPUS, model: SONNET, message: expect.stringMatching(/overloaded.*529/) },
    ]);
    const models = server.requests.map(({ body }) => body.model);
    expect(models).toEqual([...Array.from({ length: 8 }, () => 'claude-opus-5-5'), 'claude-sonnet-5']);
    expect((await settingsAt(tip)).model).toBe(SONNET);
    const [first] = (await path(tip)).filter(({ role }) => role === 'assistant');
    expect((await settingsAt(first?.id ?? tip)).model).toBe(OPUS);
    // The branch stays with it until another model is said.
    await run(await ask('more', tip), { change: null });
    expect(server.requests.at(-1)?.body.model).toBe('claude-sonnet-5');
  }));

test('without a fallback, and with one that is overloaded itself or is the same model, the turn fails as ever', () =>
  withAgent(async ({ say: ask, run, server }) => {
    for (const [fallback, requests] of [
      [null, 7],
      [OPUS, 7],
      [SONNET, 14],
    ] as const) {
      const before = server.requests.length;
      server.script(...OVERLOADED, ...(requests === 14 ? OVERLOADED : []));
      const { state, failure } = await run(await ask('look'), { change: { model: OPUS }, fallback });
      expect([state, failure?.data.kind, server.requests.length - before]).toEqual(['failed', 'overloaded', requests]);
    }
  }));

test('what keeps a model from being asked is no overload, and a fallback without a key is told at once', () =>
  withAgent(async ({ say: ask, run, begin, server }) => {
    server.script(fail(400, 'no'));
    const refused = await run(await ask('look'), { change: { model: OPUS }, fallback: SONNET });
    expect(refused).toMatchObject({ state: 'failed', failure: { data: { kind: 'rejected' } } });
    const turn = begin(await ask('look'), { fallback: 'gemini/gemini-3.8-flash' });
    await expect(turn.outcome).rejects.toMatchObject({ kind: 'no_key' });
    expect(server.requests).toHaveLength(1);
  }));
