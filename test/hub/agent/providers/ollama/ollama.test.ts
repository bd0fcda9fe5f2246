import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../../../hub/agent/model/provider.js';
import { ollamaProvider } from '../../../../../hub/agent/providers/ollama/ollama_provider.js';
import { hintText } from '../../../../../hub/base/hint.js';
import { providerRecord } from '../../../../../hub/base/provider_records.js';
import { Sha256 } from '../../../../../hub/protocol/node.js';
import { manualTimers } from '../../../../support/manual_timers.js';
import { listOf, objectOf } from '../../../../support/model/prompt_cache.js';
import { withRawServer } from '../../../../support/model/raw_server.js';
import { fail, type Part, say } from '../../../../support/model/script.js';
import { type ModelServer, withModelServer } from '../../../../support/model_server.js';
import { assistant, call, hear, REQUEST, result, user } from '../dialects.js';

const GB = 1024 ** 3;
const LS: Part = { kind: 'call', id: '', tool: 'bash', input: '{"command":"ls 数据"}' };

function provider(memoryBytes = 32 * GB) {
  const { name, server } = providerRecord('ollama');
  if (server === null) throw new Error('it has a server');
  return ollamaProvider({ name, server, timers: manualTimers() }, memoryBytes);
}

const anyone = (...parts: Part[]) => ({ ...say(...parts), kind: 'say_to_anyone' as const });
const requestTo = ({ origin }: ModelServer, more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ ...REQUEST, model: 'qwen3:8b', baseUrl: origin, thinking: 'auto' },
  ...more,
});

describe('the context', () => {
  test('is the same for every request, so that the model is loaded once, and asked about once', () =>
    withModelServer(async (server) => {
      const one = provider();
      for (const words of ['a', 'b', 'c']) {
        server.script(anyone({ kind: 'text', text: words }));
        expect((await hear(one, requestTo(server, { messages: [user(words)] }))).failure).toBeNull();
      }
      const { runner } = server.ollama;
      expect(runner).toEqual({
        ...{ model: 'qwen3:8b', context: 40_960, loads: 1 },
        lookUps: ['/api/show qwen3:8b', '/api/ps'],
      });
    }));

  test('is known before anything is asked, and that is the one that is asked for', () =>
    withModelServer(async (server) => {
      const one = provider(16 * GB);
      const signal = new AbortController().signal;
      const reach = requestTo(server, { model: 'llama3.2' });
      expect(await one.window?.(reach, signal)).toBe(36_864);
      expect(await one.window?.({ ...reach, statedWindow: 20_000 }, signal)).toBe(20_000);
      server.script(anyone({ kind: 'text', text: 'Hi.' }));
      await hear(one, reach);
      expect(server.requests[0]?.body.options).toEqual({ num_ctx: 36_864, num_predict: 4_096 });
    }));

  test('stays what the model is loaded with, where that is more', () =>
    withModelServer(async (server) => {
      Object.assign(server.ollama.runner, { model: 'llama3.2:latest', context: 65_536 });
      expect(await provider(16 * GB).window?.(requestTo(server, { model: 'llama3.2' }), AbortSignal.any([]))).toBe(
        65_536,
      );
    }));

  test('is left to the makers for models that run on their machines', () =>
    withModelServer(async (server) => {
      const qwen = server.ollama.models.get('qwen3:8b');
      if (qwen === undefined) throw new Error('it is there');
      server.ollama.models.set('qwen3:cloud', { ...qwen, remote_host: 'https://ollama.com:443' });
      server.script(anyone({ kind: 'text', text: 'Hi.' }));
      const request = requestTo(server, { model: 'qwen3:cloud' });
      expect((await hear(provider(), request)).failure).toBeNull();
      expect(server.requests[0]?.body.options).toEqual({ num_predict: 4_096 });
      expect(await provider().window?.(request, AbortSignal.any([]))).toBe(40_960);
    }));

  test('is what the person says where nobody answers', async () => {
    const origin = await withModelServer(async (server) => server.origin);
    const given = { baseUrl: origin, key: null, keyHeader: null, headers: {}, cloud: {} };
    const reach = { model: 'qwen3:8b', ...given, statedWindow: 12_345, route: null };
    expect(await provider().window?.(reach, AbortSignal.any([]))).toBe(12_345);
    expect(await provider().window?.({ ...reach, statedWindow: null }, AbortSignal.any([]))).toBeNull();
  });

  test.each([
    [{}, {}],
    [{ model_info: { 'general.architecture': 7 }, capabilities: 'all' }, { models: {} }],
    [{ model_info: { 'general.architecture': 'x', 'x.context_length': -5, 'x.block_count': 1e300 } }, []],
    [null, null],
  ])('is the usual where a server tells %j, and %j', async (shown, loaded) => {
    const answered: string[] = [];
    await withRawServer(
      (response, { url }) => {
        answered.push(url ?? '');
        if (url === '/api/chat')
          response
            .writeHead(200, { 'content-type': 'application/x-ndjson' })
            .end('{"message":{"content":"hi"},"done":true}\n');
        else response.end(JSON.stringify(url === '/api/ps' ? loaded : shown));
      },
      async (origin) => {
        const window = await provider().window?.(requestTo({ origin } as ModelServer), AbortSignal.any([]));
        expect([32_768, null]).toContain(window);
      },
    );
    expect(answered[0]).toBe('/api/show');
  });
});

describe('a prompt that would be cut', () => {
  const long = [user('word '.repeat(10_000))];

  test('is refused before it is sent, with what helps', () =>
    withModelServer(async (server) => {
      const { failure } = await hear(provider(), requestTo(server, { messages: long, statedWindow: 8_192 }));
      expect(failure).toMatchObject({ kind: 'context_too_long', retryable: false, details: { visible: false } });
      expect(failure?.message).toMatch(
        /^the conversation is too long for qwen3:8b: about 125\d\d tokens, and its window has 8192$/,
      );
      expect(hintText(failure?.hint ?? '')).toBe(
        'summarise it with cognition compact, or set a larger window: cognition config set window <tokens>',
      );
      expect(server.requests).toEqual([]);
    }));

  test('is refused with another hint where the model can do no more', () =>
    withModelServer(async (server) => {
      const { failure } = await hear(provider(), requestTo(server, { model: 'gemma:2b', tools: [], messages: long }));
      expect(hintText(failure?.hint ?? '')).toBe(
        'summarise it with cognition compact, or choose a model with a larger window',
      );
    }));

  test('is refused by the server where only that counts right', () =>
    withModelServer(async (server) => {
      const message = 'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it';
      server.script(fail(500, message));
      expect((await hear(provider(), requestTo(server))).failure).toMatchObject({ kind: 'context_too_long' });
    }));

  test('ends an answer that fills the window as such, and not as one that reached its own limit', () =>
    withModelServer(async (server) => {
      server.script({ ...anyone({ kind: 'text', text: 'and so' }), end: 'context_too_long' });
      expect((await hear(provider(), requestTo(server))).answer.end).toBe('context_too_long');
    }));
});

test.each([
  ['qwen3:8b', 'auto', { think: true }],
  ['qwen3:8b', 'off', { think: false }],
  ['qwen3:8b', 'low', { think: 'low' }],
  ['qwen3:8b', 'max', { think: 'max' }],
  ['gpt-oss:20b', 'auto', { think: true }],
  ['gpt-oss:20b', 'off', { think: 'low' }],
  ['gpt-oss:20b', 'medium', { think: 'medium' }],
  ['gpt-oss:20b', 'max', { think: 'high' }],
  ['llama3.2', 'auto', {}],
  ['llama3.2', 'high', {}],
] as const)('%s is told to think %s in the words that it knows', (model, thinking, expected) =>
  withModelServer(async (server) => {
    server.script(anyone({ kind: 'text', text: 'Hi.' }));
    expect((await hear(provider(), requestTo(server, { model, thinking }))).failure).toBeNull();
    const { think } = server.requests[0]?.body ?? {};
    expect(think === undefined ? {} : { think }).toEqual(expected);
  }),
);

test('thinking, calls and results go back in the fields of this server, also those of a conversation before it', () =>
  withModelServer(async (server) => {
    server.script(anyone({ kind: 'thinking', text: 'Hm.' }, LS), anyone({ kind: 'text', text: 'Done.' }));
    const first = await hear(provider(), requestTo(server));
    expect(first.answer.blocks).toEqual([
      { type: 'thinking', text: 'Hm.', signature: 'field:thinking' },
      { type: 'call', id: 'call_1_0', tool: 'bash', input: { command: 'ls 数据' } },
    ]);
    const older = { type: 'thinking' as const, text: 'Older.', signature: 'field:reasoning' };
    const messages = [
      ...[user('Hello?'), assistant(...first.answer.blocks)],
      { role: 'user' as const, content: [result('call_1_0', 'a.txt', true)] },
      ...[assistant(older, call('call_x', {}, 'my tool')), { role: 'user' as const, content: [result('call_x', '')] }],
    ];
    expect((await hear(provider(), requestTo(server, { messages }))).failure).toBeNull();
    const input = { command: 'ls 数据' };
    expect(listOf(server.requests[1]?.body.messages).slice(2)).toEqual([
      {
        ...{ role: 'assistant', content: '', thinking: 'Hm.' },
        tool_calls: [{ id: 'call_1_0', function: { name: 'bash', arguments: input } }],
      },
      { role: 'tool', tool_call_id: 'call_1_0', tool_name: 'bash', content: 'Error: a.txt' },
      {
        ...{ role: 'assistant', content: '', thinking: 'Older.' },
        tool_calls: [{ id: 'call_x', function: { name: 'my_tool', arguments: {} } }],
      },
      { role: 'tool', tool_call_id: 'call_x', tool_name: 'my_tool', content: '(no output)' },
    ]);
  }));

test('a model that cannot see is told that there was an image', () =>
  withModelServer(async (server) => {
    const shot = { sha256: Sha256.parse('a'.repeat(64)), media_type: 'image/png' as const, width: 1, height: 1 };
    const image = { type: 'image' as const, ...shot };
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'this?' }, image] }];
    const loadImage = async () => Buffer.from('picture');
    for (const model of ['qwen3:8b', 'qwen3-vl:8b']) {
      server.script(anyone({ kind: 'text', text: 'Hi.' }));
      expect((await hear(provider(), requestTo(server, { model, messages, loadImage }))).failure).toBeNull();
    }
    expect(server.requests.map(({ body }) => objectOf(listOf(body.messages)[1]))).toEqual([
      { role: 'user', content: '[an image is left out: this model reads no images]\n\nthis?' },
      { role: 'user', content: 'this?', images: [Buffer.from('picture').toString('base64')] },
    ]);
  }));

test('what is used is counted, and text without calls is an answer', () =>
  withModelServer(async (server) => {
    server.script(anyone({ kind: 'text', text: 'Hi.' }));
    expect((await hear(provider(), requestTo(server))).answer).toMatchObject({
      usage: { input: 66, output: 42, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
      end: 'answered',
    });
  }));

describe('what cannot work is told in one line', () => {
  test('of a model without tools, before it is loaded', () =>
    withModelServer(async (server) => {
      const { failure } = await hear(provider(), requestTo(server, { model: 'gemma:2b' }));
      expect(failure).toMatchObject({
        kind: 'rejected',
        message: 'gemma:2b cannot call tools, which is how a model works here',
      });
      expect(hintText(failure?.hint ?? '')).toMatch(/^choose one that can: /);
      expect(server.requests).toEqual([]);
    }));

  test('of a model that was not pulled', () =>
    withModelServer(async (server) => {
      const { failure } = await hear(provider(), requestTo(server, { model: 'nosuch:1b' }));
      expect(failure).toMatchObject({
        ...{ kind: 'rejected', retryable: false, hint: 'run: ollama pull nosuch:1b' },
        message: `ollama at ${server.origin} has no model nosuch:1b (404): model 'nosuch:1b' not found`,
      });
    }));

  test('of a model for which there is no memory', () =>
    withModelServer(async (server) => {
      server.script(fail(500, 'model requires more system memory (12.0 GiB) than is available (7.1 GiB)'));
      const { failure } = await hear(provider(), requestTo(server));
      expect(failure).toMatchObject({ kind: 'rejected', retryable: false, details: { reason: 'memory' } });
      expect(hintText(failure?.hint ?? '')).toContain('a smaller window: cognition config set window <tokens>');
    }));

  test('of a server that only begins to be there', () =>
    withRawServer(
      (response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found'),
      async (origin) => {
        const { failure } = await hear(provider(), requestTo({ origin } as ModelServer));
        expect(failure).toMatchObject({ kind: 'rejected', details: { reason: 'request' } });
      },
    ));
});
