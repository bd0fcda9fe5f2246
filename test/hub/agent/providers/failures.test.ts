import { describe, expect, test } from 'vitest';
import { DEEP_IDLE_MS_MAX, IDLE_MS_MAX, type ModelEvent } from '../../../../hub/agent/model/provider.js';
import { failureOf } from '../../../../hub/agent/providers/transport/server_failure.js';
import type { HubError } from '../../../../hub/base/error.js';
import { hintText } from '../../../../hub/base/hint.js';
import { manualTimers } from '../../../support/manual_timers.js';
import { breaking, errorAfter, fail, type Part, type Script, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { ask, DIALECTS, type Dialect, type Heard, hear, requestTo } from './dialects.js';

const hello: Part = { kind: 'text', text: 'Hello there.' };
const NOW_MS = Date.UTC(2026, 0, 1);

/** The failure that a script ends in; it must not hold the key anywhere. */
async function failed(dialect: Dialect, ...scripts: Script[]): Promise<Heard & { failure: HubError }> {
  return withModelServer(async (server) => {
    server.script(...scripts);
    const heard = await hear(dialect.make(manualTimers(NOW_MS)), requestTo(dialect, server));
    expect(server.requests).toHaveLength(1);
    return withFailure(heard);
  });
}

function withFailure(heard: Heard): Heard & { failure: HubError } {
  const { failure } = heard;
  if (failure === null) throw new Error('it did not fail');
  for (let at: unknown = failure; at instanceof Error; at = at.cause) {
    expect(`${at.message} ${at.stack} ${JSON.stringify(at)}`).not.toContain(KEY);
  }
  expect(failure.message).not.toContain('\n');
  if (failure.kind !== 'cancelled') expect(hintText(failure.hint ?? '')).toMatch(/\w/);
  return { ...heard, failure };
}

const OUTCOMES: [number, string, object, object][] = [
  [400, 'max_tokens: 9 > 8', {}, { kind: 'rejected', retryable: false, details: { reason: 'request' } }],
  [401, `invalid key: ${KEY}`, {}, { kind: 'rejected', retryable: false, details: { reason: 'key', status: 401 } }],
  [402, 'pay first', {}, { kind: 'rejected', details: { reason: 'billing' } }],
  [403, 'not for you', {}, { kind: 'rejected', details: { reason: 'permission' } }],
  [404, 'model: nosuch', {}, { kind: 'rejected', details: { reason: 'model' } }],
  [404, 'Not Found', {}, { kind: 'rejected', details: { reason: 'request' } }],
  [413, 'Request exceeds the maximum size', {}, { kind: 'context_too_long', retryable: false }],
  [400, 'prompt is too long: 210000 tokens > 200000 maximum', {}, { kind: 'context_too_long' }],
  [400, 'input length and `max_tokens` exceed context limit: 1 + 2 > 2', {}, { kind: 'context_too_long' }],
  [400, 'too long', { code: 'context_length_exceeded' }, { kind: 'context_too_long' }],
  [400, "This model's maximum context length is 4096 tokens.", {}, { kind: 'context_too_long' }],
  [400, 'the request exceeds the available context size', {}, { kind: 'context_too_long' }],
  [400, 'Your credit balance is too low', {}, { kind: 'rejected', details: { reason: 'billing' } }],
  [429, 'No money', { code: 'insufficient_quota' }, { kind: 'rejected', retryable: false }],
  [429, 'slow down', {}, { kind: 'rate_limited', retryable: true, details: { retry_after_ms: null } }],
  [429, 'slow', { headers: { 'retry-after': '7' } }, { kind: 'rate_limited', details: { retry_after_ms: 7_000 } }],
  [429, 'slow', { headers: { 'retry-after-ms': '1500' } }, { details: { retry_after_ms: 1_500 } }],
  [
    429,
    'slow',
    { headers: { 'retry-after': new Date(NOW_MS + 90_000).toUTCString() } },
    { details: { retry_after_ms: 90_000 } },
  ],
  [
    429,
    'slow',
    { headers: { 'retry-after': new Date(NOW_MS - 90_000).toUTCString() } },
    { details: { retry_after_ms: 0 } },
  ],
  [429, 'slow', { headers: { 'retry-after': 'soon' } }, { details: { retry_after_ms: null } }],
  [429, 'never', { headers: { 'x-should-retry': 'false' } }, { kind: 'rate_limited', retryable: false }],
  [500, 'oops', {}, { kind: 'overloaded', retryable: true, details: { visible: false, status: 500 } }],
  [502, '', { raw: '<html>Bad gateway</html>' }, { kind: 'overloaded', retryable: true }],
  [503, 'Loading model', {}, { kind: 'overloaded', retryable: true }],
  [529, 'Overloaded', { type: 'overloaded_error' }, { kind: 'overloaded', retryable: true }],
  [
    307,
    'moved',
    { headers: { location: 'http://127.0.0.1:9/' } },
    { kind: 'rejected', details: { reason: 'redirected' } },
  ],
];

describe.each(DIALECTS)('$name fails', (dialect) => {
  test.each(OUTCOMES)('with one clear line for %i %j %j', async (...[status, message, more, outcome]) => {
    const { failure, events } = await failed(dialect, fail(status, message, more));
    expect(failure).toMatchObject(outcome);
    expect(events).toEqual([]);
  });

  test('without a key before anything is sent', () =>
    withModelServer(async (server) => {
      const { failure } = withFailure(await ask(dialect, server, { key: 'two words' }));
      expect(failure.kind).toBe('no_key');
      expect(failure.message).not.toContain('two words');
      expect(server.requests).toEqual([]);
    }));

  test('with a wrong key, which the server repeats', () =>
    withModelServer(async (server) => {
      const wrong = 'wrong+0123456789=';
      const { failure } = withFailure(await ask(dialect, server, { key: wrong }));
      expect(failure).toMatchObject({ kind: 'rejected', retryable: false, details: { reason: 'key', visible: false } });
      expect(failure.message).not.toContain(wrong);
      expect(failure.message).toContain('(key)');
    }));

  test('when the connection is cut in the middle', async () => {
    const { failure, answer } = await failed(dialect, breaking('cut', hello));
    expect(failure).toMatchObject({ kind: 'network', retryable: true, details: { visible: true } });
    expect(failure.message).toMatch(/was cut in the middle of its answer/);
    expect(answer).toMatchObject({ blocks: [{ type: 'text', text: 'Hello there.' }], end: null });
  });

  test('when the connection is cut before anything was shown', async () => {
    const { failure } = await failed(dialect, breaking('cut'));
    expect(failure).toMatchObject({ kind: 'network', retryable: true, details: { visible: false } });
  });

  test('when the server ends the connection as if that were all', async () => {
    const { failure } = await failed(dialect, breaking('close', hello));
    expect(failure).toMatchObject({ kind: 'network', retryable: true, details: { visible: true } });
  });

  test('when something unreadable comes', async () => {
    const { failure } = await failed(dialect, breaking('garbage', hello));
    expect(failure).toMatchObject({ kind: 'network', retryable: true, details: { visible: true } });
    expect(failure.message).toMatch(/no answer of a model/);
  });

  test.each([
    ['overloaded_error', 'overloaded', true],
    ['api_error', 'overloaded', true],
    ['rate_limit_error', 'rate_limited', true],
    ['invalid_request_error', 'rejected', false],
    ['authentication_error', 'rejected', false],
  ])('when %s comes in the middle, with %s', async (type, kind, retryable) => {
    const { failure } = await failed(dialect, errorAfter(type, hello));
    expect(failure).toMatchObject({ kind, retryable, details: { visible: true, status: null } });
  });

  test('when nobody listens at the address', async () => {
    const origin = await withModelServer(async (server) => server.origin);
    const request = { ...requestTo(dialect, { origin, openaiUrl: `${origin}/v1` } as ModelServer) };
    const { failure } = withFailure(await hear(dialect.make(manualTimers()), request));
    // A server of the person's own is not there in a minute either, unless they start it.
    const retryable = dialect.name !== 'ollama';
    expect(failure).toMatchObject({ kind: 'network', retryable, details: { visible: false } });
    if (!retryable) expect(failure.hint).toBe('start it with: ollama serve');
    expect(failure.message).toBe(`cannot reach ${dialect.make(manualTimers()).name} at ${origin} (ECONNREFUSED)`);
  });

  test.each([
    ['ftp://127.0.0.1/', /starts with http/],
    ['nonsense', /starts with http/],
    ['http://me:secret@127.0.0.1/', /has a password/],
  ])('for the base URL %s', async (baseUrl, words) => {
    const request = { ...requestTo(dialect, { origin: '', openaiUrl: '' } as ModelServer), baseUrl };
    const { failure } = withFailure(await hear(dialect.make(manualTimers()), request));
    expect(failure).toMatchObject({ kind: 'invalid_params', message: expect.stringMatching(words) });
    expect(failure.message).not.toContain('secret');
  });
});

describe.each(DIALECTS)('$name waits', (dialect) => {
  test('longer for a model that is to think much', () =>
    withModelServer(async (server) => {
      server.script(breaking('hang'));
      const timers = manualTimers();
      const heard = hear(dialect.make(timers), requestTo(dialect, server, { thinking: 'max' }));
      await server.hanging();
      expect(timers.running()).toEqual([900_000]);
      timers.fire();
      expect((await heard).failure?.message).toMatch(/has sent nothing for 900 s/);
    }));

  test('no longer than its limit for a server that says nothing', () =>
    withModelServer(async (server) => {
      server.script(breaking('hang'));
      const timers = manualTimers();
      const heard = hear(dialect.make(timers), requestTo(dialect, server));
      await server.hanging();
      const idleMs = dialect.name === 'ollama' ? DEEP_IDLE_MS_MAX : IDLE_MS_MAX;
      expect(timers.running()).toEqual([idleMs]);
      timers.fire();
      const { failure } = withFailure(await heard);
      expect(failure).toMatchObject({ kind: 'network', retryable: true, details: { visible: false } });
      expect(failure.message).toContain(`has sent nothing for ${idleMs / 1_000} s`);
      expect(timers.running()).toEqual([]);
    }));

  test('no longer than its limit for one that stops in the middle', () =>
    withModelServer(async (server) => {
      server.script(breaking('hang', hello));
      const timers = manualTimers();
      const answer = dialect.make(timers).answer(requestTo(dialect, server), new AbortController().signal);
      await untilText(answer, 'Hello there.');
      // While nobody asks for more, nothing is waited for.
      expect(timers.running()).toEqual([]);
      const next = answer.next();
      timers.fire();
      await expect(next).rejects.toMatchObject({ kind: 'network', details: { visible: true } });
    }));

  test.each(['stop', 'fire'])('not on for the words of a failure that never end: %s', (how) =>
    withModelServer(async (server) => {
      server.script(fail(500, '', { raw: 'hang' }));
      const timers = manualTimers();
      const stop = new AbortController();
      const heard = hear(dialect.make(timers), requestTo(dialect, server), stop.signal);
      await server.hanging();
      if (how === 'stop') stop.abort();
      else timers.fire();
      expect((await heard).failure).toMatchObject({ kind: how === 'stop' ? 'cancelled' : 'network' });
    }),
  );

  test('until it is stopped, at once', () =>
    withModelServer(async (server) => {
      server.script(breaking('hang', hello));
      const stop = new AbortController();
      const answer = dialect.make(manualTimers()).answer(requestTo(dialect, server), stop.signal);
      await untilText(answer, 'Hello there.');
      const next = answer.next();
      stop.abort();
      await expect(next).rejects.toMatchObject({ kind: 'cancelled', details: { visible: true } });
    }));

  test('not at all when it was stopped before', () =>
    withModelServer(async (server) => {
      const heard = await hear(dialect.make(manualTimers()), requestTo(dialect, server), AbortSignal.abort());
      expect(heard.failure).toMatchObject({ kind: 'cancelled', details: { visible: false } });
      expect(server.requests).toEqual([]);
    }));

  test('not on when the consumer leaves', () =>
    withModelServer(async (server) => {
      server.script(breaking('hang', hello), say(hello));
      const timers = manualTimers();
      const answer = dialect.make(timers).answer(requestTo(dialect, server), new AbortController().signal);
      await untilText(answer, 'Hello there.');
      await answer.return();
      expect(timers.running()).toEqual([]);
    }));
});

async function untilText(answer: AsyncGenerator<ModelEvent>, text: string): Promise<void> {
  let heard = '';
  while (heard !== text) {
    const { done, value } = await answer.next();
    if (done) throw new Error(`it ended after: ${heard}`);
    if (value.kind === 'text') heard += value.text;
  }
}

test('servers want a key for their own addresses, but where there is none or a cloud signs one in', async () => {
  for (const dialect of DIALECTS.filter(({ name }) => !/ollama|bedrock|vertex/.test(name))) {
    const request = { ...requestTo(dialect, { origin: '', openaiUrl: '' } as ModelServer), baseUrl: null, key: null };
    const { failure } = withFailure(await hear(dialect.make(manualTimers()), request));
    expect(failure).toMatchObject({
      kind: 'no_key',
      message: `there is no key for ${dialect.make(manualTimers()).name}`,
    });
    expect(hintText(failure.hint ?? '')).toMatch(/^set [A-Z]+_API_KEY/);
  }
});

const UNKNOWN_AUTHORITY = 'name the file with the authority that signed its certificate in NODE_EXTRA_CA_CERTS';

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false, UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', false, UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, UNKNOWN_AUTHORITY],
  ['CERT_HAS_EXPIRED', false, 'look at the certificate of the server'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, 'look at the certificate of the server'],
  ['ECONNRESET', true, null],
])('a line that does not work for %s is tried again: %s', (code, retryable, hint) => {
  const cause = Object.assign(new Error('the line'), { code });
  const failure = failureOf({
    ...{
      error: new Error('no connection', { cause }),
      ending: null,
      contentType: null,
      visible: false,
      idleMs: 0,
      nowMs: NOW_MS,
    },
    ...{ provider: 'openai', keyVariable: 'OPENAI_API_KEY', server: 'openai', model: 'gpt-5', secrets: [KEY] },
    ...{ hints: { notRunning: null, noModel: null }, route: null },
  });
  expect(failure).toMatchObject({ kind: 'network', retryable, message: `cannot reach openai (${code})` });
  if (!retryable) expect(failure.hint).toBe(hint);
});
