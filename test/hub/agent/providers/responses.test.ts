import { describe, expect, test } from 'vitest';
import { openaiServer } from '../../../../hub/agent/providers/openai_server.js';
import { ThinkingLevel } from '../../../../hub/protocol/turn.js';
import { manualTimers } from '../../../support/manual_timers.js';
import { OPENAI_MODELS } from '../../../support/model/openai_facts.js';
import { listOf, objectOf } from '../../../support/model/prompt_cache.js';
import { reasoningItem } from '../../../support/model/responses_frames.js';
import { breaking, errorAfter, fail, type Part, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import {
  ask,
  assistant,
  call,
  type Dialect,
  hear,
  makerOf,
  REQUEST,
  requestTo,
  result,
  text,
  user,
} from './dialects.js';

const RESPONSES: Dialect = {
  ...{ name: 'openai', make: makerOf('openai'), model: 'gpt-5.6-sol' },
  baseUrl: ({ openaiUrl }) => `${openaiUrl}/responses`,
};
const GATEWAY: Dialect = { ...RESPONSES, baseUrl: ({ openaiUrl }) => openaiUrl };

const LS: Part = { kind: 'call', id: 'call_a', tool: 'bash', input: '{"command":"ls"}' };
const PWD: Part = { kind: 'call', id: 'call_b', tool: 'bash', input: '{"command":"pwd"}' };
const HM: Part = { kind: 'thinking', text: 'First this.\n\nThen that.' };
const HELLO: Part = { kind: 'text', text: 'Hello.' };
const signed = (words: string) => `reasoning_item:${JSON.stringify(reasoningItem(words))}`;
const thought = (words: string) => ({ type: 'thinking' as const, text: words, signature: signed(words) });

const paths = (server: ModelServer): string[] => server.requests.map(({ path }) => path);
const lastInput = (server: ModelServer) => listOf(server.requests.at(-1)?.body.input).map(objectOf);

describe('reasoning', () => {
  test('is kept as it came and sent back unchanged, each item in its place', () =>
    withModelServer(async (server) => {
      server.script({ ...say(HM, { kind: 'hidden_thinking', data: '' }, HELLO, LS, PWD), delivery: 'bytes' });
      const { answer } = await ask(RESPONSES, server);
      const [first, hidden, said, ...calls] = answer.blocks;
      expect(first).toEqual(thought('First this.\n\nThen that.'));
      expect(hidden).toEqual(thought(''));
      expect([said, ...calls].map((block) => block?.type)).toEqual(['text', 'call', 'call']);
      const messages = [
        user('Hello?'),
        { role: 'assistant' as const, content: answer.blocks },
        { role: 'user' as const, content: [result('call_a', 'x'), result('call_b', 'y', true)] },
      ];
      expect((await ask(RESPONSES, server, { messages })).failure).toBeNull();
      expect(lastInput(server).slice(1)).toEqual([
        reasoningItem('First this.\n\nThen that.'),
        reasoningItem(''),
        { role: 'assistant', content: 'Hello.', phase: 'commentary' },
        { type: 'function_call', call_id: 'call_a', name: 'bash', arguments: '{"command":"ls"}' },
        { type: 'function_call', call_id: 'call_b', name: 'bash', arguments: '{"command":"pwd"}' },
        { type: 'function_call_output', call_id: 'call_a', output: 'x' },
        { type: 'function_call_output', call_id: 'call_b', output: 'Error: y' },
      ]);
    }));

  test('is left out where what it led to is, and where it was made by somebody else', () =>
    withModelServer(async (server) => {
      const other = { type: 'thinking' as const, text: 'hm', signature: 'signed-elsewhere' };
      const broken = { ...other, signature: 'reasoning_item:{"type"' };
      const messages = [user('a'), assistant(other, broken, text('b'), thought('hm')), user('c')];
      expect((await ask(RESPONSES, server, { messages })).failure).toBeNull();
      expect(lastInput(server).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    }));

  test('that a server did not encrypt is shown and not sent back', () =>
    withModelServer(async (server) => {
      server.script({ ...say(HM, HELLO), quirks: ['no_encryption'] });
      expect((await ask(RESPONSES, server)).answer.blocks[0]).toMatchObject({ type: 'thinking', signature: null });
    }));

  test.each(OPENAI_MODELS)('of %s is asked for at every level in words that it knows, in both protocols', (model) =>
    withModelServer(async (server) => {
      for (const thinking of ThinkingLevel.options) {
        expect((await ask(RESPONSES, server, { model, thinking })).failure).toBeNull();
        const chat = { ...RESPONSES, baseUrl: () => `${server.openaiUrl}/chat/completions` };
        const { failure } = await ask(chat, server, { model, thinking });
        expect(failure).toBeNull();
      }
      expect(new Set(paths(server))).toEqual(new Set(['/v1/responses', '/v1/chat/completions']));
    }),
  );

  test('of a model that can think is never switched off by itself', () =>
    withModelServer(async (server) => {
      await ask(RESPONSES, server, { thinking: 'auto' });
      expect(server.requests[0]?.body.reasoning).toEqual({ effort: 'medium', summary: 'auto' });
    }));

  test('is asked for without summaries where an organisation may not have them, and so from then on', () =>
    withModelServer(async (server) => {
      const message = 'Your organization must be verified to generate reasoning summaries.';
      server.script(fail(400, message, { code: 'unsupported_value' }));
      const provider = RESPONSES.make(manualTimers());
      const heard = await hear(provider, requestTo(RESPONSES, server, { thinking: 'high' }));
      expect(heard.answer.blocks).toEqual([{ type: 'text', text: 'Hello.' }]);
      await hear(provider, requestTo(RESPONSES, server, { thinking: 'high' }));
      const told = server.requests.map(({ body }) => objectOf(body.reasoning).summary);
      expect(told).toEqual(['auto', undefined, undefined]);
    }));
});

describe('an answer', () => {
  test.each([['whole_items'], ['late_items']] as const)('counts as well when it comes as %s', (quirk) =>
    withModelServer(async (server) => {
      const said = { ...say(HM, HELLO, LS, PWD), delivery: 'bytes' as const };
      server.script({ ...said, quirks: [quirk] }, said);
      const odd = await ask(RESPONSES, server);
      const usual = await ask(RESPONSES, server);
      expect(odd.failure).toBeNull();
      expect(odd.answer).toEqual(usual.answer);
      expect(usual.answer.blocks).toHaveLength(4);
    }),
  );

  test('that is a refusal ends as one, with its words', () =>
    withModelServer(async (server) => {
      server.script({ ...say({ kind: 'refusal', text: 'I cannot do that.' }), delivery: 'bytes' });
      const { answer } = await ask(RESPONSES, server);
      expect(answer).toMatchObject({ end: 'refused', blocks: [{ type: 'text', text: 'I cannot do that.' }] });
    }));

  test('of two messages in a row has a blank line between them', () =>
    withModelServer(async (server) => {
      server.script(say(HELLO, { kind: 'text', text: 'And more.' }));
      expect((await ask(RESPONSES, server)).answer.blocks).toEqual([{ type: 'text', text: 'Hello.\n\nAnd more.' }]);
    }));

  test('counts what was read from the cache and written to it apart', () =>
    withModelServer(async (server) => {
      expect((await ask(RESPONSES, server)).answer.usage).toEqual({
        ...{ input: 30, output: 42, cacheRead: 60, cacheWrite5m: 10, cacheWrite1h: 0 },
      });
    }));

  test.each([
    ['server_error', 'overloaded', true],
    ['rate_limit_exceeded', 'rate_limited', true],
    ['invalid_prompt', 'rejected', false],
    ['image_parse_error', 'rejected', false],
    ['context_length_exceeded', 'context_too_long', false],
    ['insufficient_quota', 'rejected', false],
  ])('that ends in the error %s fails as %s', (type, kind, retryable) =>
    withModelServer(async (server) => {
      server.script(errorAfter(type, HELLO));
      const { failure, answer } = await ask(RESPONSES, server);
      expect(failure).toMatchObject({ kind, retryable, details: { visible: true } });
      expect(failure?.message).toContain('something is wrong here');
      expect(answer.blocks).toEqual([{ type: 'text', text: 'Hello.' }]);
      server.script({ ...errorAfter(type), quirks: ['failed_response'] });
      expect((await ask(RESPONSES, server)).failure).toMatchObject({ kind, details: { visible: false } });
    }),
  );

  test('ends when the person stops it', () =>
    withModelServer(async (server) => {
      server.script(breaking('hang', HELLO));
      const stop = new AbortController();
      const heard = hear(RESPONSES.make(manualTimers()), requestTo(RESPONSES, server), stop.signal);
      await server.hanging();
      stop.abort();
      expect((await heard).failure?.kind).toBe('cancelled');
    }));
});

test('the branches of a conversation share a key of the cache', () =>
  withModelServer(async (server) => {
    await ask(RESPONSES, server, { conversation: 'abcdef01-0000-4000-8000-000000000000' });
    await ask(RESPONSES, server);
    const keys = server.requests.map(({ body }) => body.prompt_cache_key);
    expect(keys).toEqual(['abcdef01-0000-4000-8000-000000000000', undefined]);
  }));

test('an image that a tool gave is part of its result', () =>
  withModelServer(async (server) => {
    const image = { type: 'image' as const, sha256: 'a'.repeat(64) as never, media_type: 'image/png' as const };
    const given = { ...result('call_1', 'see'), content: [text('see'), { ...image, width: 1, height: 1 }] };
    const messages = [user('a'), assistant(call('call_1')), { role: 'user' as const, content: [given] }];
    const { failure } = await ask(RESPONSES, server, { messages, loadImage: async () => Buffer.from('x') });
    expect(failure).toBeNull();
    expect(lastInput(server).at(-1)?.output).toEqual([
      { type: 'input_text', text: 'see' },
      { type: 'input_image', image_url: 'data:image/png;base64,eA==', detail: 'auto' },
    ]);
  }));

describe('the protocol', () => {
  test.each([
    ['https://api.openai.com/v1', 'gpt-4.1', 'responses', 'https://api.openai.com/v1'],
    ['https://api.openai.com', 'gpt-5.6-sol', 'responses', 'https://api.openai.com/v1'],
    ['https://eu.api.openai.com/v1/', 'o4-mini', 'responses', 'https://eu.api.openai.com/v1'],
    ['https://me.openai.azure.com', 'my-deployment', 'responses', 'https://me.openai.azure.com/openai/v1'],
    ['https://me.openai.azure.com/openai/v1/', 'gpt-5', 'responses', 'https://me.openai.azure.com/openai/v1'],
    ['https://me.services.ai.azure.com/openai', 'gpt-5', 'responses', 'https://me.services.ai.azure.com/openai/v1'],
    ['https://api.openai.com/v1/chat/completions', 'gpt-4.1', 'chat_completions', 'https://api.openai.com/v1'],
    ['https://gateway.example/v1/responses/', 'anything', 'responses', 'https://gateway.example/v1'],
    ['https://gateway.example/v1', 'gpt-5.6-sol', 'responses', 'https://gateway.example/v1'],
    ['https://gateway.example/v1', 'gpt-5.3', 'chat_completions', 'https://gateway.example/v1'],
    ['https://api.openai.com.evil.example/v1', 'gpt-4.1', 'chat_completions', 'https://api.openai.com.evil.example/v1'],
    ['http://127.0.0.1:8080', 'qwen3', 'chat_completions', 'http://127.0.0.1:8080/v1'],
    ['https://api.deepseek.com/beta', 'deepseek-v4-pro', 'chat_completions', 'https://api.deepseek.com/beta'],
  ])('at %s for %s is %s', (...[address, model, protocol, baseUrl]) => {
    expect(openaiServer(new URL(address), model)).toMatchObject({ protocol, baseUrl });
  });

  test('of a server elsewhere is the one that it has, and is asked for only once', () =>
    withModelServer(async (server) => {
      server.missing.add('/v1/responses');
      const provider = GATEWAY.make(manualTimers());
      expect((await hear(provider, requestTo(GATEWAY, server))).answer.end).toBe('answered');
      expect((await hear(provider, requestTo(GATEWAY, server))).answer.end).toBe('answered');
      expect(paths(server)).toEqual(['/v1/responses', '/v1/chat/completions', '/v1/chat/completions']);
      expect(server.requests[1]?.body).toMatchObject({ reasoning_effort: 'none', max_completion_tokens: 4_096 });
    }));

  test('is not changed because a model is unknown, or because an answer broke off', () =>
    withModelServer(async (server) => {
      server.script(fail(404, 'The model `gpt-9` does not exist'), breaking('cut', HELLO));
      const request = { ...REQUEST, model: 'gpt-9', key: KEY, baseUrl: server.openaiUrl };
      expect((await hear(GATEWAY.make(manualTimers()), request)).failure?.details.reason).toBe('model');
      expect((await hear(GATEWAY.make(manualTimers()), request)).failure?.kind).toBe('network');
      expect(paths(server)).toEqual(['/v1/responses', '/v1/responses']);
    }));
});
