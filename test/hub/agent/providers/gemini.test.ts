import { describe, expect, test } from 'vitest';
import { hintText } from '../../../../hub/base/hint.js';
import type { ModelMessage } from '../../../../hub/protocol/methods/context_methods.js';
import { ThinkingLevel } from '../../../../hub/protocol/turn.js';
import { manualTimers } from '../../../support/manual_timers.js';
import { GEMINI_MODELS } from '../../../support/model/gemini_facts.js';
import { geminiSignature } from '../../../support/model/gemini_frames.js';
import { listOf, objectOf } from '../../../support/model/prompt_cache.js';
import { streaming, withRawServer } from '../../../support/model/raw_server.js';
import { fail, type Part, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { ask, assistant, call, type Dialect, hear, makerOf, REQUEST, result, text, user } from './dialects.js';

const GEMINI: Dialect = {
  ...{ name: 'gemini', make: makerOf('gemini'), model: 'gemini-3.8-flash' },
  baseUrl: ({ origin }) => origin,
};
const OLDER: Dialect = { ...GEMINI, model: 'gemini-2.5-flash' };

const HM: Part = { kind: 'thinking', text: 'First this.' };
const HELLO: Part = { kind: 'text', text: 'Hello there.' };
const LS: Part = { kind: 'call', id: 'call_a', tool: 'bash', input: '{"command":"ls"}' };
const PWD: Part = { kind: 'call', id: 'call_b', tool: 'bash', input: '{"command":"pwd"}' };
const lsPart = { functionCall: { id: 'call_a', name: 'bash', args: { command: 'ls' } } };
const pwdPart = { functionCall: { id: 'call_b', name: 'bash', args: { command: 'pwd' } } };
const UNSIGNED = 'skip_thought_signature_validator';

const lastContents = (server: ModelServer) => listOf(server.requests.at(-1)?.body.contents).map(objectOf);
const results = (...content: ModelMessage['content']): ModelMessage => ({ role: 'user', content });

/** What is sent of an answer in the next request, with results for its calls. */
async function sentBack(dialect: Dialect, server: ModelServer): Promise<unknown> {
  const { answer, failure } = await ask(dialect, server);
  expect(failure).toBeNull();
  const given = answer.blocks.flatMap((block) => (block.type === 'call' ? [result(block.id, 'x')] : []));
  const messages = [user('Hello?'), assistant(...answer.blocks), given.length === 0 ? user('And?') : results(...given)];
  expect((await ask(dialect, server, { messages })).failure).toBeNull();
  return lastContents(server)[1]?.parts;
}

describe('a signature goes back in the very part that it came in', () => {
  test('that is the first call of those at once', () =>
    withModelServer(async (server) => {
      server.script({ ...say(HM, HELLO, LS, PWD), delivery: 'bytes' });
      expect(await sentBack(GEMINI, server)).toEqual([
        { text: 'Hello there.' },
        { ...lsPart, thoughtSignature: geminiSignature('First this.', lsPart) },
        pwdPart,
      ]);
    }));

  test('that is one without text at the end', () =>
    withModelServer(async (server) => {
      server.script({ ...say(HM, HELLO), delivery: 'bytes' });
      const signature = geminiSignature('First this.', { text: '' });
      expect(await sentBack(GEMINI, server)).toEqual([
        { text: 'Hello there.' },
        { text: '', thoughtSignature: signature },
      ]);
    }));

  test('that is the first piece of the text', () =>
    withModelServer(async (server) => {
      server.script({ ...say(HM, HELLO), delivery: 'bytes' });
      const signed = { text: 'Hello', thoughtSignature: geminiSignature('First this.', { text: 'Hello' }) };
      expect(await sentBack(OLDER, server)).toEqual([signed, { text: ' there.' }]);
    }));

  test('that is a part of the thought itself', () =>
    withRawServer(
      (response) => {
        const parts = [
          { text: 'one ', thought: true },
          { text: 'two', thought: true, thoughtSignature: 'c2ln' },
        ];
        const chunk = { candidates: [{ content: { parts: [...parts, { text: 'Hi.' }] }, finishReason: 'STOP' }] };
        streaming(response).end(`data: ${JSON.stringify({ ...chunk, usageMetadata: { promptTokenCount: 1 } })}\n\n`);
      },
      async (origin) => {
        const { answer } = await hear(GEMINI.make(manualTimers()), {
          ...{ ...REQUEST, model: 'gemini-3.8-flash', baseUrl: origin, key: KEY },
        });
        const signature = 'thought_signature:thought:3:c2ln';
        expect(answer.blocks).toEqual([{ type: 'thinking', text: 'one two', signature }, text('Hi.')]);
        expect(answer.usage).toMatchObject({ input: 1, output: 0 });
      },
    ));

  test('and nowhere else when that part is gone, or the signature is another server’s', () =>
    withModelServer(async (server) => {
      const signed = (signature: string) => ({ type: 'thinking' as const, text: 'hm', signature });
      const messages = [
        user('a'),
        assistant(signed('thought_signature:call:c2ln'), text('b'), signed('signed-elsewhere'), call('call_1')),
        results(result('call_1', 'x')),
      ];
      expect((await ask(GEMINI, server, { messages })).failure).toBeNull();
      expect(lastContents(server)[1]?.parts).toEqual([
        { text: 'b' },
        { functionCall: { id: 'call_1', name: 'bash', args: {} }, thoughtSignature: UNSIGNED },
      ]);
    }));
});

test('a call that another model made is marked so for newer models, and only then', () =>
  withModelServer(async (server) => {
    const messages = [user('a'), assistant(call('c1'), call('c2')), results(result('c1', 'x'), result('c2', 'y'))];
    for (const [dialect, mark] of [
      [GEMINI, UNSIGNED],
      [OLDER, undefined],
    ] as const) {
      expect((await ask(dialect, server, { messages })).failure).toBeNull();
      const marks = listOf(lastContents(server)[1]?.parts).map((part) => objectOf(part).thoughtSignature);
      expect(marks).toEqual([mark, undefined]);
    }
  }));

test('control: this server refuses a call without its signature, and one whose part was changed', () =>
  withModelServer(async (server) => {
    const { origin } = server;
    const send = async (part: object) => {
      const contents = [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [part] },
        { role: 'user', parts: [{ functionResponse: { id: 'call_a', name: 'bash', response: { output: 'x' } } }] },
      ];
      const body = JSON.stringify({ contents, generationConfig: { maxOutputTokens: 9 } });
      const path = '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse';
      const response = await fetch(`${origin}${path}`, { method: 'POST', body, headers: { 'x-goog-api-key': KEY } });
      return `${response.status} ${await response.text()}`;
    };
    const thoughtSignature = geminiSignature('hm', lsPart);
    expect(await send(lsPart)).toMatch(/^400 .*missing a thought_signature/);
    expect(await send({ ...lsPart, thoughtSignature: geminiSignature('hm', pwdPart) })).toMatch(/^400 .*Corrupted/);
    expect(await send({ ...lsPart, thoughtSignature })).toMatch(/^200 /);
    expect(server.violations.splice(0)).toHaveLength(2);
  }));

describe('thinking', () => {
  test.each(GEMINI_MODELS)('of %s is asked for at every level in words that it knows', (model) =>
    withModelServer(async (server) => {
      for (const thinking of ThinkingLevel.options) {
        expect((await ask(GEMINI, server, { model, thinking })).failure).toBeNull();
      }
    }),
  );

  test.each([
    ['gemini-4-argon', 'auto', { includeThoughts: true }],
    ['gemini-flash-latest', 'high', { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-3.8-flash', 'off', { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-3.5-flash', 'off', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
    ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-2.5-flash-lite', 'auto', { includeThoughts: true, thinkingBudget: -1 }],
    ['gemini-2.5-flash', 'off', { includeThoughts: false, thinkingBudget: 0 }],
    ['gemini-2.5-pro', 'off', { includeThoughts: true, thinkingBudget: 128 }],
    ['gemini-2.5-pro', 'max', { includeThoughts: true, thinkingBudget: 32_768 }],
    ['gemini-2.0-flash', 'high', undefined],
    ['gemma-4', 'high', undefined],
  ] as const)('of %s at %s is %j', (model, thinking, expected) =>
    withModelServer(async (server) => {
      await ask(GEMINI, server, { model, thinking });
      expect(objectOf(server.requests[0]?.body.generationConfig).thinkingConfig).toEqual(expected);
      server.violations.splice(0);
    }),
  );
});

describe('an answer', () => {
  test('counts what was thought among its output, and what the cache had apart', () =>
    withModelServer(async (server) => {
      const counted = { input: 40, output: 42, cacheRead: 60, cacheWrite5m: 0, cacheWrite1h: 0 };
      expect((await ask(GEMINI, server)).answer.usage).toEqual(counted);
    }));

  test.each(['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'])(
    'that ends for %s is a refusal',
    (stop) =>
      withModelServer(async (server) => {
        server.script({ ...say(HELLO), stop });
        expect((await ask(GEMINI, server)).answer.end).toBe('refused');
      }),
  );

  test('that could go on in another request is one that was cut off', () =>
    withModelServer(async (server) => {
      server.script({ ...say(HELLO), stop: 'CONTINUATION' });
      expect((await ask(GEMINI, server)).answer.end).toBe('max_tokens');
      expect(server.requests).toHaveLength(1);
    }));

  test('to a blocked prompt is a refusal', () =>
    withRawServer(
      (response) => streaming(response).end('data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}\n\n'),
      async (origin) => {
        const request = { ...REQUEST, model: 'gemini-3.8-flash', baseUrl: origin, key: KEY };
        const { answer, failure } = await hear(GEMINI.make(manualTimers()), request);
        expect([failure, answer.end, answer.blocks]).toEqual([null, 'refused', []]);
      },
    ));

  test('with a call that the server cannot read tells the model so', () =>
    withModelServer(async (server) => {
      server.script(say(HELLO, { ...LS, input: 'ls' }));
      const { answer } = await ask(GEMINI, server);
      const made = call('call_1_0', { not_json: '' }, 'unnamed');
      expect(answer).toMatchObject({ end: 'calls', blocks: [text('Hello there.'), made] });
      expect(answer.malformed.get('call_1_0')).toMatch(/could not read this call/);
      const messages = [user('a'), assistant(...answer.blocks), results(result('call_1_0', 'write it again', true))];
      expect((await ask(GEMINI, server, { messages })).failure).toBeNull();
    }));

  test('whose input is too deep for a node is told so', () =>
    withModelServer(async (server) => {
      server.script(say({ ...LS, input: `{"n": ${'['.repeat(200)}${']'.repeat(200)}}` }));
      expect((await ask(GEMINI, server)).answer.malformed.get('call_a')).toMatch(/too many levels/);
    }));
});

describe('a failure', () => {
  const details = (...list: object[]) => ({ details: list });
  const RETRY = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '13.5s' };
  const PER_DAY = { '@type': 'QuotaFailure', violations: [{ quotaId: 'GenerateRequestsPerDayPerProject-FreeTier' }] };
  const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';

  test.each([
    [429, QUOTA, details(RETRY), { kind: 'rate_limited', retryable: true, details: { retry_after_ms: 13_500 } }],
    [429, QUOTA, details(RETRY, PER_DAY), { kind: 'rejected', retryable: false, details: { reason: 'billing' } }],
    [429, `${QUOTA} limit: 0, model: x`, details(RETRY), { details: { reason: 'billing' } }],
    [
      400,
      'API key not valid.',
      details({ reason: 'API_KEY_INVALID' }),
      { kind: 'rejected', details: { reason: 'key' } },
    ],
    [404, 'models/x is not found for API version v1beta', {}, { details: { reason: 'model' } }],
    [503, 'The model is overloaded.', {}, { kind: 'overloaded', retryable: true }],
    [
      400,
      'The input token count (9) exceeds the maximum number of tokens allowed (8).',
      {},
      { kind: 'context_too_long' },
    ],
    [400, 'Corrupted thought signature.', {}, { details: { reason: 'thinking' } }],
  ])('of %i %s with %j is understood', (...[status, message, more, expected]) =>
    withModelServer(async (server) => {
      const error = { code: status, message, status: 'WHATEVER', ...more };
      server.script(fail(status, message, { raw: JSON.stringify([{ error }]) }));
      const { failure } = await ask(GEMINI, server);
      expect(failure).toMatchObject(expected);
      expect(failure?.message).toContain(message);
    }),
  );

  test.each(['gemini-3?x=1', '../files', 'a&b', 'a#b'])('of the model %s comes before anything is sent', (model) =>
    withModelServer(async (server) => {
      const { failure } = await ask(GEMINI, server, { model });
      expect(failure).toMatchObject({ kind: 'invalid_params' });
      expect(hintText(failure?.hint ?? '')).toMatch(/gemini-3/);
      expect(server.requests).toEqual([]);
    }),
  );
});

test.each(['', '/', '/v1beta', '/v1beta/'])('the address may end in %j', (end) =>
  withModelServer(async (server) => {
    expect((await ask({ ...GEMINI, baseUrl: ({ origin }) => origin + end }, server)).failure).toBeNull();
    expect(server.requests[0]?.path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse');
  }),
);

test('the key goes in its own header, and what the environment says changes nothing', () =>
  withModelServer(async (server) => {
    await ask(GEMINI, server);
    const { headers } = server.requests[0] ?? { headers: {} };
    expect(headers).toMatchObject({ 'x-goog-api-key': KEY, 'user-agent': 'cognition' });
    expect(Object.keys(headers)).not.toContain('authorization');
    expect(Object.keys(headers)).not.toContain('x-goog-api-client');
  }));

test('images of a result are in it, and behind it for older models', () =>
  withModelServer(async (server) => {
    const image = { type: 'image' as const, sha256: 'a'.repeat(64) as never, media_type: 'image/png' as const };
    const seen = { ...result('call_1', 'see'), content: [text('see'), { ...image, width: 1, height: 1 }] };
    const messages = [user('a'), assistant(call('call_1')), results(seen)];
    const inlineData = { mimeType: 'image/png', data: 'eA==' };
    const functionResponse = { id: 'call_1', name: 'bash', response: { output: 'see' } };
    const loadImage = async () => Buffer.from('x');
    expect((await ask(GEMINI, server, { messages, loadImage })).failure).toBeNull();
    expect(lastContents(server)[2]?.parts).toEqual([
      { functionResponse: { ...functionResponse, parts: [{ inlineData }] } },
    ]);
    expect((await ask(OLDER, server, { messages, loadImage })).failure).toBeNull();
    expect(lastContents(server)[2]?.parts).toEqual([{ functionResponse }, { inlineData }]);
  }));
