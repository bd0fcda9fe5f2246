import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SYSTEM_TIMERS } from '../../../../../hub/agent/model/timers.js';
import { proxyFor } from '../../../../../hub/agent/providers/transport/proxy_choice.js';
import { routedFetch } from '../../../../../hub/agent/providers/transport/routed_fetch.js';
import { hintText } from '../../../../../hub/base/hint.js';
import { Route } from '../../../../../hub/protocol/turn.js';
import { withProxy } from '../../../../support/connect_proxy.js';
import { withRawServer } from '../../../../support/model/raw_server.js';
import { breaking, say } from '../../../../support/model/script.js';
import { type ModelServer, withModelServer } from '../../../../support/model_server.js';
import { tries } from '../../../../support/mounts.js';
import { type PrivateAuthority, withAuthority, withEncrypted } from '../../../../support/private_authority.js';
import { refusal } from '../../../../support/refusal.js';
import { DIALECTS, type Dialect, type Heard, hear, requestTo } from '../dialects.js';

const hasOpenssl = tries('openssl', ['version']);
const HOST = 'models.example';
const hello = { kind: 'text' as const, text: 'Hello.' };

const routeOf = (more: Partial<NonNullable<Route>>): NonNullable<Route> => {
  const route = Route.parse(more);
  if (route === null) throw new Error('it is a route');
  return route;
};

interface Asking {
  origin: string;
  signal?: AbortSignal;
}

/** What comes of a request by a route, to a server at an origin. */
function askBy(dialect: Dialect, route: Route, { origin, signal }: Asking): Promise<Heard> {
  const request = requestTo(dialect, { origin, openaiUrl: `${origin}/v1` } as ModelServer, { route });
  return hear(dialect.make(SYSTEM_TIMERS), request, signal);
}

interface Encrypted {
  model: ModelServer;
  authority: PrivateAuthority;
  /** The encrypted port in front of the model server. */
  port: number;
}

function withEncryptedModels<T>(use: (encrypted: Encrypted) => Promise<T>): Promise<T> {
  return withAuthority(HOST, (authority) =>
    withModelServer((model) => withEncrypted(authority, model.origin, (port) => use({ model, authority, port }))),
  );
}

describe.runIf(hasOpenssl).each(DIALECTS)('$name', (dialect) => {
  test('is reached through a proxy, at a host that only the proxy knows, by an authority that only the caller trusts', () =>
    withEncryptedModels(({ model, authority, port }) =>
      withProxy(
        async (proxy) => {
          const { host } = new URL(proxy.origin);
          const https_proxy = `http://me:p%40ss@${host}`;
          const route = routeOf({ https_proxy, http_proxy: null, authorities: authority.certificate });
          for (const _ of [1, 2]) {
            const { failure, answer } = await askBy(dialect, route, { origin: `https://${HOST}` });
            expect(failure).toBeNull();
            expect(answer.blocks).toEqual([{ type: 'text', text: 'Hello.' }]);
          }
          expect(model.requests).toHaveLength(2);
          expect(model.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined, undefined]);
          // The next request finds the tunnel open.
          expect(proxy).toMatchObject({ tunnels: [`${HOST}:443`], passed: [] });
          expect(proxy.bytes).toBeGreaterThan(1_000);
        },
        { account: 'me:p@ss', hosts: { [`${HOST}:443`]: port } },
      ),
    ));
});

describe.each(DIALECTS)('$name', (dialect) => {
  test('is asked of the proxy itself where it is not encrypted', () =>
    withModelServer((model) =>
      withProxy(async (proxy) => {
        const route = routeOf({ http_proxy: proxy.origin.replace('http://', '') });
        expect((await askBy(dialect, route, model)).failure).toBeNull();
        expect(proxy.tunnels).toEqual([]);
        expect(proxy.passed.at(-1)).toBe(model.origin + (model.requests[0]?.path ?? ''));
      }),
    ));

  test('is stopped at once in the middle of an answer through a proxy', () =>
    withModelServer((model) =>
      withProxy(async (proxy) => {
        model.script(breaking('hang', hello));
        const stop = new AbortController();
        const heard = askBy(dialect, routeOf({ http_proxy: proxy.origin }), {
          origin: model.origin,
          signal: stop.signal,
        });
        await model.hanging();
        stop.abort();
        expect((await heard).failure).toMatchObject({ kind: 'cancelled' });
      }),
    ));

  test('is not reached without the name and the password that a proxy wants, and says so', () =>
    withProxy(
      async (proxy) => {
        const { host } = new URL(proxy.origin);
        for (const origin of ['https://models.example', 'http://models.example']) {
          const without = await askBy(dialect, routeOf({ https_proxy: host, http_proxy: host }), { origin });
          expect(without.failure).toMatchObject({ kind: 'rejected', retryable: false, details: { visible: false } });
          expect(without.failure?.message).toBe(`the proxy ${proxy.origin} wants a name and a password (407)`);
          expect(without.failure?.hint).toBe(`give them in its address: http://name:password@${host}`);
          const wrong = `http://me:secret@${host}`;
          const { failure } = await askBy(dialect, routeOf({ https_proxy: wrong, http_proxy: wrong }), { origin });
          expect(failure?.message).toBe(`the proxy ${proxy.origin} does not accept the name and the password (407)`);
          expect(JSON.stringify([failure, failure?.cause])).not.toContain('secret');
        }
      },
      { account: 'me:other' },
    ));

  test.each([
    [403, 'rejected', false, /^the proxy \S+ does not let requests through to models\.example:443 \(403\)$/],
    [502, 'network', true, /^the proxy \S+ cannot reach models\.example:443 \(502\)$/],
  ] as const)('is not reached where a proxy refuses with %i', (...[refuses, kind, retryable, words]) =>
    withProxy(
      async ({ origin }) => {
        const { failure } = await askBy(dialect, routeOf({ https_proxy: origin }), {
          origin: 'https://models.example',
        });
        expect(failure).toMatchObject({ kind, retryable, message: expect.stringMatching(words) });
        expect(hintText(failure?.hint ?? '')).toMatch(/NO_PROXY/);
      },
      { refuses },
    ),
  );

  test('is not reached where the proxy is not there, which is told of the proxy', async () => {
    const gone = await withProxy(async ({ origin }) => origin);
    for (const origin of ['https://models.example', 'http://models.example']) {
      const { failure } = await askBy(dialect, routeOf({ https_proxy: gone, http_proxy: gone }), { origin });
      expect(failure).toMatchObject({ kind: 'network', retryable: false });
      expect(failure?.message).toBe(`cannot reach the proxy ${gone} (ECONNREFUSED)`);
    }
  });

  test('is not asked through a proxy of another kind', async () => {
    const route = routeOf({ https_proxy: 'socks5h://me:secret@127.0.0.1:1080' });
    const { failure } = await askBy(dialect, route, { origin: 'https://models.example' });
    expect(failure).toMatchObject({ kind: 'invalid_params', retryable: false });
    expect(failure?.message).toBe('the proxy for models.example cannot be used: socks5h:// is not supported');
    expect(JSON.stringify(failure)).not.toContain('secret');
  });
});

describe.runIf(hasOpenssl)('an authority of the caller', () => {
  const [dialect] = DIALECTS;
  if (dialect === undefined) throw new Error('there are dialects');

  test('is trusted without a proxy as well, and beside those that everybody trusts', () =>
    withEncryptedModels(async ({ model, authority, port }) => {
      const route = routeOf({ authorities: authority.certificate });
      expect((await askBy(dialect, route, { origin: `https://127.0.0.1:${port}` })).failure).toBeNull();
      expect(model.requests).toHaveLength(1);
    }));

  test('is named where it is missing, with what went wrong with it', () =>
    withEncryptedModels(async ({ model, port }) => {
      const origin = `https://127.0.0.1:${port}`;
      const hintOf = async (route: Route) => {
        const { failure } = await askBy(dialect, route, { origin });
        expect(failure).toMatchObject({ kind: 'network', retryable: false });
        expect(failure?.message).toBe(`cannot reach anthropic at ${origin} (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`);
        return failure?.hint;
      };
      const usual = 'name the file with the authority that signed its certificate in NODE_EXTRA_CA_CERTS';
      expect(await hintOf(null)).toBe(usual);
      expect(await hintOf(routeOf({ no_proxy: '*' }))).toBe(usual);
      const problem = 'NODE_EXTRA_CA_CERTS names a file that cannot be read (ENOENT): /nowhere.pem';
      expect(await hintOf(routeOf({ authorities_problem: problem }))).toBe(problem);
      expect(model.requests).toEqual([]);
    }));

  test('does not make a certificate good for another host', () =>
    withEncryptedModels(({ authority, port }) =>
      withProxy(
        async (proxy) => {
          const route = routeOf({ https_proxy: proxy.origin, authorities: authority.certificate });
          const { failure } = await askBy(dialect, route, { origin: 'https://other.example' });
          expect(failure?.message).toMatch(/\(ERR_TLS_CERT_ALTNAME_INVALID\)$/);
        },
        { hosts: { 'other.example:443': port } },
      ),
    ));

  test('is trusted of a proxy that is encrypted itself', () =>
    withEncryptedModels(({ model, authority, port }) =>
      withProxy(
        async ({ origin, tunnels, passed }) => {
          const route = routeOf({ https_proxy: origin, http_proxy: origin, authorities: authority.certificate });
          expect((await askBy(dialect, route, { origin: `https://${HOST}` })).failure).toBeNull();
          expect((await askBy(dialect, route, model)).failure).toBeNull();
          expect([tunnels.length, passed.length]).toEqual([1, 1]);
        },
        { secure: authority.server, hosts: { [`${HOST}:443`]: port } },
      ),
    ));
});

test('an answer is unpacked on the way, whoever packed it', () =>
  withRawServer(
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
    async (origin) => {
      const response = await routedFetch(routeOf({ no_proxy: '*' }))(origin, { method: 'POST', body: 'x' });
      expect(await response.text()).toBe('hello');
    },
  ));

test.each([
  ['http://api.example/', null, 'http'],
  ['https://api.example/', null, 'https'],
  ['http://127.0.0.1:11434/', null, 'http'],
  ['http://127.0.0.1:11434/', 'localhost, 127.0.0.1', null],
  ['http://127.0.0.1:11434/', '127.0.0.0/8', null],
  ['http://[::1]:11434/', '::1', null],
  ['http://[::1]:11434/', '[::1]', null],
  ['http://[::1]:11434/', '[::1]:11434', null],
  ['http://[::1]:11434/', '[::1]:80', 'http'],
  ['http://[fd00::7]/', 'fd00::/8', null],
  ['http://10.1.2.3/', '10.0.0.0/8', null],
  ['http://11.1.2.3/', '10.0.0.0/8,192.168.0.0/33,nonsense/8', 'http'],
  ['https://api.example/', '*', null],
  ['https://api.example/', 'other,api.example', null],
  ['https://api.example/', 'API.Example', null],
  ['https://api.example/', '.example', null],
  ['https://api.example/', '*.example', null],
  ['https://a.b.example/', 'b.example', null],
  ['https://notb.example/', 'b.example', 'https'],
  ['https://api.example/', 'api.example:443', null],
  ['https://api.example/', 'api.example:8443', 'https'],
  ['https://api.example:8443/', 'api.example:8443', null],
  ['http://10.0.0.1/', '.1', 'http'],
  ['https://api.example/', ' , ', 'https'],
])('%s with NO_PROXY %j is reached by the proxy for %j', (target, no_proxy, expected) => {
  const route = routeOf({ https_proxy: 'http://https.proxy:1', http_proxy: 'http.proxy:2', no_proxy });
  expect(proxyFor(new URL(target), route)?.hostname.replace('.proxy', '') ?? null).toBe(expected);
});

test.each(['socks5://127.0.0.1', 'http://', 'http://a b', '://', 'ftp://proxy'])('%j is no proxy', (https_proxy) => {
  const choose = () => proxyFor(new URL('https://api.example'), routeOf({ https_proxy }));
  expect(refusal(choose)).toMatchObject({ kind: 'invalid_params', hint: expect.stringContaining('like http://') });
});

test('a request by a route says what it would say without one', () =>
  withModelServer((model) =>
    withProxy(async (proxy) => {
      const [dialect] = DIALECTS;
      if (dialect === undefined) throw new Error('there are dialects');
      model.script(say(hello), say(hello));
      await askBy(dialect, null, model);
      await askBy(dialect, routeOf({ http_proxy: proxy.origin }), model);
      const [plain, routed] = model.requests.map(({ headers, text }) => ({ headers, text }));
      expect(routed?.text).toBe(plain?.text);
      const differing = Object.keys({ ...plain?.headers, ...routed?.headers }).filter(
        (name) => plain?.headers[name] !== routed?.headers[name],
      );
      expect(differing).toEqual([]);
    }),
  ));
