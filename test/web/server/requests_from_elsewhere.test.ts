import { once } from 'node:events';
import { expect, test } from 'vitest';
import { callAs, type PagePlace, post, request, statusOf, upgrade, withPagePlace } from './page_place.js';

/** What is changed in a request that is let in otherwise: the control of every attack. */
interface Attack {
  name: string;
  line?: string;
  headers?: (place: PagePlace) => Record<string, string | null>;
  status: number;
}

const OTHER = { Origin: 'http://127.0.0.1:1' };

const HOSTS: Attack[] = [
  { name: 'a name that was bound to this address', headers: () => ({ Host: 'evil.example' }), status: 403 },
  { name: 'such a name with our port', headers: ({ port }) => ({ Host: `evil.example:${port}` }), status: 403 },
  { name: 'localhost', headers: ({ port }) => ({ Host: `localhost:${port}` }), status: 403 },
  { name: 'another spelling of the address', headers: ({ port }) => ({ Host: `127.1:${port}` }), status: 403 },
  { name: 'the address as a number', headers: ({ port }) => ({ Host: `2130706433:${port}` }), status: 403 },
  { name: 'the address of IPv6', headers: ({ port }) => ({ Host: `[::1]:${port}` }), status: 403 },
  { name: 'the address with a dot at its end', headers: ({ port }) => ({ Host: `127.0.0.1.:${port}` }), status: 403 },
  {
    name: 'a name that begins with the address',
    headers: ({ port }) => ({ Host: `127.0.0.1:${port}.evil` }),
    status: 403,
  },
  { name: 'the address without a port', headers: () => ({ Host: '127.0.0.1' }), status: 403 },
  { name: 'another port', headers: () => ({ Host: '127.0.0.1:80' }), status: 403 },
  { name: 'no host', headers: () => ({ Host: null }), status: 403 },
  { name: 'two hosts', headers: ({ port }) => ({ host: `127.0.0.1:${port}` }), status: 403 },
];

const READING: Attack[] = [
  ...HOSTS,
  { name: 'another origin', headers: () => OTHER, status: 403 },
  { name: 'an origin of no site', headers: () => ({ Origin: 'null' }), status: 403 },
  { name: 'a page of another port', headers: () => ({ 'Sec-Fetch-Site': 'same-site' }), status: 403 },
  { name: 'a page of another site', headers: () => ({ 'Sec-Fetch-Site': 'cross-site' }), status: 403 },
  { name: 'a frame', headers: () => ({ 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'iframe' }), status: 403 },
  { name: 'an object', headers: () => ({ 'Sec-Fetch-Dest': 'object' }), status: 403 },
  { name: 'a query', line: 'GET /?k=1', status: 404 },
  { name: 'a file beside', line: 'GET /../package.json', status: 404 },
  { name: 'an escaped file beside', line: 'GET /%2e%2e/%2e%2e/etc/passwd', status: 404 },
  { name: 'a whole address', line: 'GET http://evil.example/', status: 404 },
  { name: 'another method', line: 'PUT /', status: 405 },
  { name: 'a question of another origin', line: 'OPTIONS /', status: 405 },
  { name: 'an expectation', headers: () => ({ Expect: 'the impossible' }), status: 400 },
];

const POSTING: Attack[] = [
  ...HOSTS,
  { name: 'no origin', headers: () => ({ Origin: null }), status: 403 },
  { name: 'another port', headers: () => OTHER, status: 403 },
  { name: 'an origin of no site', headers: () => ({ Origin: 'null' }), status: 403 },
  { name: 'the origin by its name', headers: ({ port }) => ({ Origin: `http://localhost:${port}` }), status: 403 },
  { name: 'the origin with more after it', headers: ({ origin }) => ({ Origin: `${origin}.evil` }), status: 403 },
  { name: 'two origins', headers: () => ({ origin: 'http://evil.example' }), status: 403 },
  { name: 'a page of another port', headers: () => ({ 'Sec-Fetch-Site': 'same-site' }), status: 403 },
  { name: 'an address bar', headers: () => ({ 'Sec-Fetch-Site': 'none' }), status: 403 },
  { name: 'a form', headers: () => ({ 'Content-Type': 'application/x-www-form-urlencoded' }), status: 415 },
  { name: 'plain text', headers: () => ({ 'Content-Type': 'text/plain' }), status: 415 },
  {
    name: 'a body of any length',
    headers: () => ({ 'Content-Length': null, 'Transfer-Encoding': 'chunked' }),
    status: 411,
  },
  { name: 'a large body', headers: () => ({ 'Content-Length': '5000' }), status: 413 },
  { name: 'another method', line: 'GET /enter', status: 405 },
];

const UPGRADING: Attack[] = [
  ...HOSTS,
  { name: 'no origin', headers: () => ({ Origin: null }), status: 403 },
  { name: 'another port', headers: () => OTHER, status: 403 },
  { name: 'another site', headers: () => ({ Origin: 'https://evil.example' }), status: 403 },
  { name: 'a page of another port', headers: () => ({ 'Sec-Fetch-Site': 'same-site' }), status: 403 },
  { name: 'no key', headers: () => ({ 'Sec-WebSocket-Protocol': 'cognition.v1' }), status: 401 },
  { name: 'no protocol', headers: () => ({ 'Sec-WebSocket-Protocol': null }), status: 401 },
  {
    name: 'another key',
    headers: () => ({ 'Sec-WebSocket-Protocol': `cognition.v1, key.${'A'.repeat(43)}` }),
    status: 401,
  },
  { name: 'a short key', headers: () => ({ 'Sec-WebSocket-Protocol': 'cognition.v1, key.A' }), status: 401 },
  { name: 'another place', line: 'GET /', status: 404 },
  { name: 'a key in the address', line: 'GET /hub?key=1', status: 404 },
  { name: 'another protocol', headers: () => ({ Upgrade: 'h2c' }), status: 400 },
  { name: 'an old version', headers: () => ({ 'Sec-WebSocket-Version': '7' }), status: 400 },
  { name: 'a key of the handshake that is none', headers: () => ({ 'Sec-WebSocket-Key': 'x' }), status: 400 },
];

const PROTECTED = ["default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'", 'nosniff', 'no-store'];

function mustBeProtected(answer: string): void {
  const [head = ''] = answer.toLowerCase().split('\r\n\r\n');
  for (const word of PROTECTED) expect(head).toContain(word);
  expect(head).toMatch(/cross-origin-opener-policy: same-origin\r\n/);
  expect(head).not.toMatch(/access-control-|set-cookie/);
}

/** Sends every attack, and before each what it differs from: the control. */
async function outcomes(
  attacks: readonly Attack[],
  send: (attack: Attack | null) => Promise<string>,
): Promise<{ attacked: string[]; control: number[] }> {
  const attacked: string[] = [];
  const control = new Set<number>();
  for (const attack of attacks) {
    const [allowed, refused] = [await send(null), await send(attack)];
    control.add(statusOf(allowed));
    mustBeProtected(allowed);
    mustBeProtected(refused);
    attacked.push(`${statusOf(refused)} ${attack.name}`);
  }
  return { attacked, control: [...control] };
}

const expected = (attacks: readonly Attack[]): string[] => attacks.map(({ name, status }) => `${status} ${name}`);

test('reading from elsewhere is refused, and from here is not', () =>
  withPagePlace(async (place) => {
    const found = await outcomes(READING, (attack) =>
      place.send(request(place, { line: attack?.line ?? 'GET /', headers: attack?.headers?.(place) ?? {} })),
    );
    expect(found).toEqual({ attacked: expected(READING), control: [200] });
  }));

test('entering from elsewhere is refused, and from here is not', () =>
  withPagePlace(async (place) => {
    const found = await outcomes(POSTING, (attack) => {
      const body = JSON.stringify({ code: place.newCode() });
      const posted = post(place, { path: '/enter', body, headers: attack?.headers?.(place) ?? {} });
      return place.send(posted.replace('POST /enter', attack?.line ?? 'POST /enter'));
    });
    expect(found).toEqual({ attacked: expected(POSTING), control: [200] });
  }));

test('a socket from elsewhere is refused, and from here is not, and the key is never said back', () =>
  withPagePlace(async (place) => {
    const key = await place.newKey();
    const found = await outcomes(UPGRADING, async (attack) => {
      const changed = { line: attack?.line ?? 'GET /hub', headers: attack?.headers?.(place) ?? {} };
      const answer = await place.send(upgrade(place, key, changed), '\r\n\r\n');
      expect(answer).not.toContain(key);
      return answer;
    });
    expect(found).toEqual({ attacked: expected(UPGRADING), control: [101] });
  }));

test('a socket of a page reads what the hub has', () =>
  withPagePlace(async (place) => {
    const page = await place.page(await place.newKey());
    expect(await callAs(page, 'loom.tree_list', {})).toMatchObject({ result: { trees: [], cursor: null } });
  }));

test('who is another user is not answered', () =>
  withPagePlace(
    async (place) => {
      expect(await place.send(request(place, { line: 'GET /' }))).toBe('');
    },
    { isOwnPeer: () => false },
  ));

test('a request that never ends is ended', () =>
  withPagePlace(async (place) => {
    const begin = request(place, { line: 'GET /' }).slice(0, 40);
    expect(statusOf(await place.send(begin))).toBe(400);
    expect(statusOf(await place.send(request(place, { line: 'GET /' })))).toBe(200);
  }));

test('what is no request is refused with the same words of protection', () =>
  withPagePlace(async (place) => {
    const answer = await place.send('\x16\x03\x01\r\n\r\n');
    expect(statusOf(answer)).toBe(400);
    mustBeProtected(answer);
  }));

test('headers without end are refused', () =>
  withPagePlace(async (place) => {
    const headers = { Cookie: 'a'.repeat(100_000) };
    expect(statusOf(await place.send(request(place, { line: 'GET /', headers })))).toBe(400);
    const some = { Cookie: 'a'.repeat(20_000) };
    expect(statusOf(await place.send(request(place, { line: 'GET /', headers: some })))).toBe(200);
  }));

test('a port that is taken is told, and no other address is listened on', () =>
  withPagePlace(async (place) => {
    await expect(withPagePlace(async () => undefined, { port: place.port })).rejects.toMatchObject({
      ...{ kind: 'conflict', message: `port ${place.port} is taken` },
    });
    const { connect } = await import('node:net');
    const other = connect({ host: '127.0.0.2', port: place.port });
    const [error] = await once(other, 'error');
    expect(error.code).toBe('ECONNREFUSED');
  }));
