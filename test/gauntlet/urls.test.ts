import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { HubError } from '../../hub/base/error.js';
import { type FetchedPage, fetchPage } from '../../tools/http/fetch_page.js';
import { type Destination, type Network, REAL_NETWORK } from '../../tools/http/network.js';
import { type Respond, withServer } from '../tools/http/servers.js';
import { HOSTILE, NAMES, PUBLIC } from './urls.js';

const PUBLIC_ADDRESS = '93.184.215.14';
const OWN_ADDRESS = '93.184.215.99';

/** A network in which only one loopback server is real; every other connection is counted instead. */
interface Counted extends Network {
  connects: Destination[];
  lookups: string[];
}

interface Real {
  names?: Record<string, string[][]>;
  /** Connections to this address go to the port of a loopback server. */
  server?: { address: string; port: number };
}

function countedNetwork({ names = {}, server }: Real = {}): Counted {
  const connects: Destination[] = [];
  const lookups: string[] = [];
  return {
    connects,
    lookups,
    own: () => [OWN_ADDRESS],
    async lookup(host) {
      lookups.push(host);
      const turn = lookups.filter((one) => one === host).length - 1;
      // However this machine's resolver reads a spelling, the result is loopback at best.
      return names[host]?.[turn] ?? NAMES[host] ?? ['127.0.0.1'];
    },
    async connect(to): Promise<Socket> {
      connects.push(to);
      if (to.address !== server?.address) throw Object.assign(new Error('counted'), { code: 'ECONNREFUSED' });
      return REAL_NETWORK.connect({ ...to, address: '127.0.0.1', port: server.port });
    },
  };
}

function fetchOver(network: Network, url: string, allowed: readonly string[] = []): Promise<FetchedPage> {
  const { signal } = new AbortController();
  return fetchPage(network, { url, timeoutMs: 30_000, bytesMax: 100_000, allowed, agent: 'test', signal });
}

async function refusalOf(network: Network, url: string, allowed: readonly string[] = []): Promise<HubError> {
  try {
    await fetchOver(network, url, allowed);
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
  throw new Error(`${url} was fetched`);
}

test('there are at least 200 different hostile addresses', () => {
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
});

test('no hostile address is connected to, and each is refused with a reason', async () => {
  for (const url of HOSTILE) {
    const network = countedNetwork();
    const { kind } = await refusalOf(network, url);
    expect([url, network.connects.length, network.lookups.length <= 1]).toEqual([url, 0, true]);
    const isNameless = url === 'http://empty.example/';
    expect([url, kind]).toEqual([
      url,
      isNameless ? 'network' : expect.stringMatching(/^(unauthorised|invalid_params)$/),
    ]);
  }
});

test('a redirect to any hostile address is followed nowhere', async () => {
  let location = '';
  const respond: Respond = (_, response) => {
    response.writeHead(302, { location }).end();
  };
  await withServer(respond, async (origin, port) => {
    for (const url of HOSTILE) {
      // A header cannot carry other characters, and a relative address leads back to the server.
      if (/[^\x20-\x7e]/.test(url) || !URL.canParse(url)) continue;
      location = url;
      const network = countedNetwork({ server: { address: '127.0.0.1', port } });
      await refusalOf(network, origin, [`127.0.0.1:${port}`]);
      const elsewhere = network.connects.filter((to) => to.port !== port);
      expect([url, network.connects.length >= 1, elsewhere.length]).toEqual([url, true, 0]);
    }
  });
});

test('public addresses next to refused ones are connected to as written', async () => {
  for (const host of PUBLIC) {
    const network = countedNetwork();
    expect((await refusalOf(network, `http://${host}/`)).kind).toBe('network');
    expect(network.connects.map(({ address }) => address)).toEqual([host.replace(/^\[(.*)\]$/, '$1')]);
  }
});

test('a name is looked up once, and the connection goes to the address that was checked', async () => {
  const names = { 'changes.example': [[PUBLIC_ADDRESS], ['127.0.0.1']] };
  const network = countedNetwork({ names });
  await refusalOf(network, 'http://changes.example/');
  expect(network.lookups).toEqual(['changes.example']);
  expect(network.connects.map(({ address }) => address)).toEqual([PUBLIC_ADDRESS]);
});

test('a name that resolves differently after a redirect is refused', () =>
  withServer(
    (_, response) => response.writeHead(302, { location: 'http://changes.example/again' }).end(),
    async (_, port) => {
      const names = { 'changes.example': [[PUBLIC_ADDRESS], ['169.254.169.254']] };
      const network = countedNetwork({ names, server: { address: PUBLIC_ADDRESS, port } });
      expect((await refusalOf(network, 'http://changes.example/')).message).toContain('is at 169.254.169.254');
      expect(network.lookups).toEqual(['changes.example', 'changes.example']);
      expect(network.connects.map(({ address }) => address)).toEqual([PUBLIC_ADDRESS]);
    },
  ));

test('the server receives the requested host name, whatever its address', () => {
  const hosts: (string | undefined)[] = [];
  return withServer(
    (request, response) => {
      hosts.push(request.headers.host);
      response.end('x');
    },
    async (_, port) => {
      const names = { 'named.example': [[PUBLIC_ADDRESS]] };
      const network = countedNetwork({ names, server: { address: PUBLIC_ADDRESS, port } });
      expect((await fetchOver(network, 'http://named.example:8080/')).status).toBe(200);
      expect(hosts).toEqual(['named.example:8080']);
    },
  );
});

test('a redirect from https to http is refused', () =>
  withServer(
    (_, response) => response.writeHead(302, { location: 'http://plain.example/' }).end(),
    async (_, port) => {
      const names = { 'secure.example': [[PUBLIC_ADDRESS]], 'plain.example': [[PUBLIC_ADDRESS]] };
      const network = countedNetwork({ names, server: { address: PUBLIC_ADDRESS, port } });
      const plain = { ...network, connect: (to: Destination) => network.connect({ ...to, isSecure: false }) };
      const { message } = await refusalOf(plain, 'https://secure.example/');
      expect(message).toBe('https://secure.example/ sends to http://plain.example/, which is not secure');
      expect(network.connects.map(({ host }) => host)).toEqual(['secure.example']);
    },
  ));

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8080/', true],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080/', true],
  ['127.0.0.1:8080', 'http://127.0.0.1:8081/', false],
  ['127.0.0.1:80', 'http://127.0.0.1/', true],
  ['127.0.0.1:80', 'https://127.0.0.1/', false],
  ['127.0.0.1:443', 'https://127.0.0.1/', true],
  ['[::1]:8080', 'http://[::1]:8080/', true],
  ['LOCALHOST', 'http://localhost./', true],
  ['localhost', 'http://127.0.0.1/', false],
  ['0x7f.1', 'http://127.0.0.1/', true],
  ['local', 'http://localhost/', false],
  ['*', 'http://localhost/', false],
  ['', 'http://localhost/', false],
  [':80', 'http://localhost/', false],
  ['http://localhost', 'http://localhost/', false],
])('allowing %j lets %s through: %s', async (allowed, url, isReached) => {
  const network = countedNetwork();
  const { kind } = await refusalOf(network, url, [allowed]);
  expect([kind, network.connects.length]).toEqual(isReached ? ['network', 1] : ['unauthorised', 0]);
});

test('every address of a name is tried in turn, and the last failure is reported', async () => {
  const names = { 'many.example': [['93.184.215.14', '93.184.215.15', '2606:2800::1']] };
  const network = countedNetwork({ names });
  expect(await refusalOf(network, 'http://many.example/')).toMatchObject({
    kind: 'network',
    message: 'http://many.example/: the connection was refused',
    hint: 'nothing listens there',
  });
  expect(network.connects.map(({ address }) => address)).toEqual(names['many.example'][0]);
});
