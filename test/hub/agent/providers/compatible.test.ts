import { describe, expect, test } from 'vitest';
import { manualTimers } from '../../../support/manual_timers.js';
import { listOf } from '../../../support/model/prompt_cache.js';
import { fail, type Part, type Quirk, type Script, say } from '../../../support/model/script.js';
import { withModelServer } from '../../../support/model_server.js';
import { ask, assistant, COMPATIBLE, call, hear, requestTo, result, user } from './dialects.js';

const LS: Part = { kind: 'call', id: 'call_a', tool: 'bash', input: '{"command":"ls 数据"}' };
const PWD: Part = { kind: 'call', id: 'call_b', tool: 'bash', input: '{"command":"pwd"}' };
const lsCall = { type: 'call', id: 'call_a', tool: 'bash', input: { command: 'ls 数据' } };
const pwdCall = { type: 'call', id: 'call_b', tool: 'bash', input: { command: 'pwd' } };
const hello: Part = { kind: 'text', text: 'Hello 👋, wörld.\n\nBye.' };
const helloBlock = { type: 'text', text: 'Hello 👋, wörld.\n\nBye.' };

/** An answer with oddities, split at every byte. */
const odd = (script: ReturnType<typeof say>, ...quirks: Quirk[]): Script => ({ ...script, quirks, delivery: 'bytes' });

describe.each(COMPATIBLE)('$name servers of many makes', (dialect) => {
  test.each([
    [['whole_calls']],
    [['whole_calls', 'no_index']],
    [['whole_calls', 'index_zero']],
    [['object_arguments']],
    [['object_arguments', 'no_index']],
    [['no_index']],
    [['stop_after_calls']],
    [['repeated_names']],
    [['repeated_names', 'index_zero']],
  ] as Quirk[][][])('send calls with %j', (quirks) =>
    withModelServer(async (server) => {
      server.script(odd(say(LS, PWD), ...quirks));
      const { answer } = await ask(dialect, server);
      expect(answer.blocks).toEqual([lsCall, pwdCall]);
      expect(answer.end).toBe('calls');
    }),
  );

  test.each([[['no_ids']], [['no_ids', 'no_index']]] as Quirk[][][])(
    'send calls with %j, which get stable ids',
    (quirks) =>
      withModelServer(async (server) => {
        server.script(odd(say(LS, PWD), ...quirks), odd(say(LS, PWD), ...quirks));
        const provider = dialect.make(manualTimers());
        const once = await hear(provider, requestTo(dialect, server));
        const again = await hear(provider, requestTo(dialect, server));
        expect(once.answer.blocks).toEqual([
          { ...lsCall, id: 'call_1_0' },
          { ...pwdCall, id: 'call_1_1' },
        ]);
        expect(again.answer).toEqual(once.answer);
      }),
  );

  test('give all calls the index 0 and none an id', () =>
    withModelServer(async (server) => {
      const more: Part = { ...PWD, tool: 'read', input: '{"path":"a"}' };
      for (const quirks of [
        ['no_ids', 'index_zero'],
        ['no_ids', 'index_zero', 'whole_calls'],
      ] as const) {
        server.script(odd(say(LS, PWD, more), ...quirks));
        const { answer } = await ask(dialect, server);
        expect(answer.blocks).toMatchObject([{ input: lsCall.input }, { input: pwdCall.input }, { tool: 'read' }]);
        expect(answer.malformed.size).toBe(0);
      }
    }));

  test.each([['no_reason'], ['empty_reason']] as const)('end whole answers with %s, and are not asked again', (quirk) =>
    withModelServer(async (server) => {
      server.script(
        odd(say(hello, LS), quirk),
        odd(say(hello), quirk, 'no_stop_event'),
        odd(say(hello), quirk, 'no_usage'),
      );
      expect(await ask(dialect, server)).toMatchObject({ failure: null, answer: { end: 'calls' } });
      expect(await ask(dialect, server)).toMatchObject({ failure: null, answer: { end: 'answered' } });
      expect(await ask(dialect, server)).toMatchObject({ failure: null, answer: { end: 'answered' } });
      // Without a word that it is done, or with nothing said, an end is a break.
      server.script(odd(say(hello), quirk, 'no_usage', 'no_stop_event'), odd(say(), quirk));
      expect((await ask(dialect, server)).failure).toMatchObject({ kind: 'network', retryable: true });
      expect((await ask(dialect, server)).failure).toMatchObject({ kind: 'network', retryable: true });
    }),
  );

  test.each([
    ['reasoning_content', []],
    ['reasoning', ['reasoning_field']],
  ] as [string, Quirk[]][])('get their thinking back in the field %s that they gave it in', (field, quirks) =>
    withModelServer(async (server) => {
      server.script(odd(say({ kind: 'thinking', text: 'Hm, yes.' }, hello, LS), ...quirks));
      const { answer } = await ask(dialect, server);
      expect(answer.blocks[0]).toEqual({ type: 'thinking', text: 'Hm, yes.', signature: `field:${field}` });
      const messages = [user('a'), assistant(...answer.blocks), user('')];
      messages.splice(2, 1, { role: 'user', content: [result('call_a', 'x')] });
      expect((await ask(dialect, server, { messages })).failure).toBeNull();
      expect(listOf(server.requests.at(-1)?.body.messages)[2]).toMatchObject({ [field]: 'Hm, yes.' });
    }),
  );

  test('send text in parts', () =>
    withModelServer(async (server) => {
      server.script(odd(say(hello), 'content_parts'));
      expect((await ask(dialect, server)).answer.blocks).toEqual([helloBlock]);
    }));

  test('count what was read from the cache apart', () =>
    withModelServer(async (server) => {
      const { answer } = await ask(dialect, server);
      expect(answer.usage).toEqual({ input: 40, output: 42, cacheRead: 60, cacheWrite5m: 0, cacheWrite1h: 0 });
    }));

  test('need no key when they have an address of their own', () =>
    withModelServer(async (server) => {
      server.script({ ...say(hello), kind: 'say_to_anyone' });
      expect((await ask(dialect, server, { key: null })).answer.blocks).toEqual([helloBlock]);
    }));
});

test('a server that refuses how much to think is asked again without, once for each model', () =>
  withModelServer(async (server) => {
    const [dialect] = COMPATIBLE;
    if (dialect === undefined) throw new Error('there is no dialect');
    const provider = dialect.make(manualTimers());
    const refusal = "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
    server.script(fail(400, refusal), say(hello), say(hello), fail(422, refusal), say(hello), fail(400, refusal));
    for (const model of ['glm-5', 'glm-5', 'glm-5-air']) {
      const { failure } = await hear(provider, requestTo(dialect, server, { model, thinking: 'high' }));
      expect(failure).toBeNull();
    }
    const efforts = server.requests.map(({ body }) => body.reasoning_effort);
    expect(efforts).toEqual(['high', undefined, undefined, 'high', undefined]);
    // What is refused for another reason is not asked again.
    const { failure } = await hear(provider, requestTo(dialect, server, { model: 'glm-5', thinking: 'high' }));
    expect(failure).toMatchObject({ kind: 'rejected' });
    expect(server.requests).toHaveLength(6);
  }));

test('deepseek is sent the thinking of every answer with calls, also of those that another model gave', () =>
  withModelServer(async (server) => {
    const [dialect] = COMPATIBLE;
    if (dialect === undefined) throw new Error('there is no dialect');
    const thought = { type: 'thinking' as const, text: 'hm', signature: 'field:reasoning_content' };
    const steps = [
      ...[assistant(call('call_1')), { role: 'user' as const, content: [result('call_1', 'x')] }],
      ...[assistant(thought, call('call_2')), { role: 'user' as const, content: [result('call_2', 'y')] }],
    ];
    const messages = [user('a'), ...steps];
    for (const thinking of ['auto', 'off', 'max'] as const) {
      expect((await ask(dialect, server, { model: 'deepseek-v4-pro', messages, thinking })).failure).toBeNull();
    }
    const sent = listOf(server.requests[0]?.body.messages).map((message) => JSON.stringify(message));
    expect(sent.filter((message) => message.includes('"reasoning_content"'))).toHaveLength(2);
    const told = server.requests.map(({ body: { thinking, reasoning_effort: effort } }) => [thinking, effort]);
    expect(told).toEqual([
      [undefined, undefined],
      [{ type: 'disabled' }, undefined],
      [undefined, 'max'],
    ]);
  }));
