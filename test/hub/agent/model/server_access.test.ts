import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { accessTo } from '../../../../hub/agent/model/provider_access.js';
import { serverAddress } from '../../../../hub/agent/model/server_access.js';
import { SYSTEM_TIMERS } from '../../../../hub/agent/model/timers.js';
import { Access } from '../../../../hub/protocol/turn.js';
import { withRawServer } from '../../../support/model/raw_server.js';
import { KEY } from '../../../support/model_server.js';
import { DIALECTS, type Dialect, hear, REQUEST } from '../providers/dialects.js';

/** What a server is sent by a provider that is given `address`, made from the server's own. */
async function sentTo(dialect: Dialect, address: (origin: string) => string, host = '127.0.0.1') {
  const sent: { url: string; headers: IncomingHttpHeaders }[] = [];
  await withRawServer(
    (response, { url = '', headers }) => {
      sent.push({ url, headers });
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    },
    async (origin) => {
      const request = { ...REQUEST, model: dialect.model, baseUrl: address(origin), key: KEY };
      const { failure } = await hear(dialect.make(SYSTEM_TIMERS), request);
      expect(failure).toMatchObject({ kind: 'rejected', details: { reason: 'key' } });
    },
    host,
  );
  return sent;
}

test.each(DIALECTS)('$name sends what the environment of the hub says nowhere', async (dialect) => {
  const canaries = {
    ANTHROPIC_CUSTOM_HEADERS: 'x-canary: 1\nauthorization: Bearer canary\nx-api-key: canary',
    OPENAI_CUSTOM_HEADERS: 'x-canary: 1\nauthorization: Bearer canary',
    ANTHROPIC_AUTH_TOKEN: 'canary',
    ANTHROPIC_API_KEY: 'canary',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/canary',
    OPENAI_API_KEY: 'canary',
    OPENAI_ADMIN_KEY: 'canary',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/canary',
    OPENAI_ORG_ID: 'canary',
    OPENAI_PROJECT_ID: 'canary',
    GOOGLE_API_KEY: 'canary',
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1/canary',
    GOOGLE_GENAI_USE_VERTEXAI: 'true',
    AWS_BEARER_TOKEN_BEDROCK: 'canary',
    AWS_REGION: 'canary',
    ANTHROPIC_BEDROCK_BASE_URL: 'http://127.0.0.1:1/canary',
    ANTHROPIC_VERTEX_BASE_URL: 'http://127.0.0.1:1/canary',
    ANTHROPIC_VERTEX_PROJECT_ID: 'canary',
    CLOUD_ML_REGION: 'canary',
  };
  Object.assign(process.env, canaries);
  try {
    const [sent] = await sentTo(dialect, (origin) => origin);
    expect(JSON.stringify(sent)).not.toContain('canary');
    const isGemini = dialect.name === 'gemini';
    const key = isGemini ? { 'x-goog-api-key': KEY } : { authorization: `Bearer ${KEY}` };
    expect(sent?.headers).toMatchObject({ ...key, 'user-agent': 'cognition' });
    // Nor what machine it is sent from.
    expect(Object.keys(sent?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual(
      isGemini ? ['x-goog-api-key'] : [],
    );
  } finally {
    for (const name of Object.keys(canaries)) delete process.env[name];
  }
});

test.each([
  ['anthropic', '', '/v1/messages'],
  ['anthropic', '/', '/v1/messages'],
  ['anthropic', '/v1/', '/v1/messages'],
  ['anthropic', '/a/proxy//', '/a/proxy/v1/messages'],
  ['openai', '/v1//', '/v1/responses'],
  ['compatible', '', '/v1/chat/completions'],
  ['compatible', '/v1//', '/v1/chat/completions'],
  ['compatible', '/api/v3', '/api/v3/chat/completions'],
  ['ollama', '/', '/api/show'],
  ['ollama', '/a/proxy/v1/', '/a/proxy/api/show'],
])('%s with an address that ends with "%s" is asked at %s', async (name, end, path) => {
  const dialect = DIALECTS.find((one) => one.name === name);
  if (dialect === undefined) throw new Error(`no dialect ${name}`);
  const sent = await sentTo(dialect, (origin) => origin + end);
  expect(sent.map(({ url }) => url)).toEqual([path]);
});

test('an address may be an IPv6 address', async () => {
  const [dialect] = DIALECTS;
  if (dialect === undefined) throw new Error('there are dialects');
  expect(await sentTo(dialect, (origin) => origin, '::1')).toMatchObject([{ headers: { host: /^\[::1\]:\d+$/ } }]);
});

test.each([
  ['user:SECRET@proxy:8080/v1', /starts with http/],
  ['ftp://user:SECRET@host/', /starts with http/],
  ['https://user:SECRET@host/v1', /has a password/],
  ['https://SECRET@host/v1', /has a password/],
  ['https://host/v1?api-key=SECRET', /goes on with/],
  ['https://host/v1#SECRET', /goes on with/],
  ['', /starts with http/],
  ['http://', /starts with http/],
])('the address %j is refused, and what may be a secret in it is not repeated', (address, message) => {
  expect(() => serverAddress(address, 'https://api.example.com')).toThrow(message);
  expect(() => serverAddress(address, 'https://api.example.com')).not.toThrow(/SECRET/);
});

test('an address or a key that cannot be used is refused before anything is begun', () => {
  const reach = (given: { base_url: string | null; key: string | null }) =>
    accessTo({ provider: 'anthropic', model: 'claude-sonnet-5' }, Access.parse({ anthropic: given }));
  expect(() => reach({ base_url: '127.0.0.1:8080', key: KEY })).toThrow(/starts with http/);
  expect(() => reach({ base_url: null, key: 'two words' })).toThrow(/is no key/);
  expect(reach({ base_url: 'http://127.0.0.1:8080', key: KEY })).toMatchObject({
    baseUrl: 'http://127.0.0.1:8080',
    key: KEY,
  });
});
