import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../../hub/protocol/policy.js';
import { factsOf, OPEN, refused, storedOf, textOf } from '../file/tool_calls.js';
import { type Respond, withAllowed } from './servers.js';

const ONLINE: Policy = { kind: 'contained', network: true, writable: [], readable: [] };
const OFFLINE: Policy = { ...ONLINE, network: false };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AARAxwFgAeAgP9K1y4rQAAAABJRU5ErkJggg==',
  'base64',
);
const HTML = '<title>Page</title><h1>Hi</h1><p>Some <a href="/there">words</a>';

/** Answers each path with its entry. */
function pages(
  table: Record<string, [status: number, headers: Record<string, string>, body: string | Buffer]>,
): Respond {
  return (request, response) => {
    const [status, headers, body] = table[request.url ?? ''] ?? [404, {}, 'nothing here'];
    response.writeHead(status, headers).end(body);
  };
}

describe('the result', () => {
  test('a page is shown as text with its title first, and its exact bytes are stored', () =>
    withAllowed(
      pages({ '/p': [200, { 'content-type': 'text/html; charset=utf-8', etag: '"e1"' }, HTML] }),
      async (origin, { client }) => {
        const answer = await client.call('http.fetch', { url: `${origin}/p#part`, policy: ONLINE });
        expect(textOf(answer)).toBe(
          `[200 OK, text/html, 64 bytes, ${origin}/p]\n\nPage\n\n# Hi\n\nSome [words](${origin}/there)`,
        );
        expect((await storedOf(client, answer)).toString()).toBe(HTML);
        expect(answer.external).toMatchObject({
          call: { tool: 'fetch', input: { url: `${origin}/p#part` } },
          handle: { source: 'http', identifier: `${origin}/p` },
          exit_code: null,
        });
        expect(factsOf(answer)).toMatchObject({
          ...{ status: 200, content_type: 'text/html', bytes: 64, etag: '"e1"', last_modified: null, redirects: [] },
        });
      },
    ));

  test('JSON is shown as it is, an image as an image, and binary content by its name', () =>
    withAllowed(
      pages({
        '/j': [200, { 'content-type': 'application/json' }, '{"a": 1}'],
        '/i': [200, { 'content-type': 'text/plain' }, PNG],
        '/b': [200, { 'content-type': 'application/zip' }, Buffer.from([0x50, 0x4b, 3, 4, 0, 0])],
        '/empty': [204, {}, ''],
      }),
      async (origin, { client }) => {
        const fetch = (path: string) => client.call('http.fetch', { url: `${origin}${path}`, policy: ONLINE });
        expect(textOf(await fetch('/j'))).toBe(`[200 OK, application/json, 8 bytes, ${origin}/j]\n\n{"a": 1}`);
        const image = await fetch('/i');
        expect(image.blocks[1]).toMatchObject({
          type: 'image',
          sha256: image.external.output?.sha256,
          width: 3,
          height: 2,
        });
        expect(textOf(await fetch('/b'))).toBe(`[200 OK, application/zip, 6 bytes, ${origin}/b]\n[binary: not shown]`);
        expect(textOf(await fetch('/empty'))).toBe(
          `[204 No Content, no type stated, 0 bytes, ${origin}/empty]\n\n[no text]`,
        );
      },
    ));

  test('the content type that a server states is shown without control characters', () =>
    withAllowed(
      (_, response) =>
        response.socket?.end(Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/\x9b31mplain\r\n\r\nx', 'latin1')),
      async (origin, { client }) => {
        const answer = await client.call('http.fetch', { url: origin, policy: ONLINE });
        expect(textOf(answer)).toBe(`[200 OK, text/31mplain, 1 bytes, ${origin}/]\n\nx`);
      },
    ));

  test('an error status is reported, and its page is shown', () =>
    withAllowed(pages({ '/down': [503, { 'content-type': 'text/plain' }, 'later'] }), async (origin, { client }) => {
      const answer = await client.call('http.fetch', { url: `${origin}/down`, policy: ONLINE });
      expect(textOf(answer)).toBe(`[503 Service Unavailable, text/plain, 5 bytes, ${origin}/down]\n\nlater`);
      expect(factsOf(answer)).toMatchObject({ status: 503 });
    }));

  test('a long page is shown by its beginning and its end, and says where the whole is stored', () =>
    withAllowed(
      pages({ '/long': [200, { 'content-type': 'text/plain' }, `${'line of text\n'.repeat(20_000)}the end`] }),
      async (origin, { client }) => {
        const answer = await client.call('http.fetch', { url: `${origin}/long`, policy: ONLINE });
        const text = textOf(answer);
        expect(Buffer.byteLength(text)).toBeLessThan(31_000);
        expect(text).toMatch(/\[… 2\d\d,\d\d\d bytes left out; the body as it was sent: output:[0-9a-f-]{36}\]/);
        expect(text.endsWith('the end')).toBe(true);
        expect(answer.external.output?.size_bytes).toBe(260_007);
      },
    ));

  test.each([
    ['gzip', gzipSync(HTML)],
    ['br', brotliCompressSync(HTML)],
    ['deflate', deflateSync(HTML)],
    ['deflate', deflateRawSync(HTML)],
    ['gzip, br', brotliCompressSync(gzipSync(HTML))],
  ])('a page that is sent as %s is read', (encoding, body) =>
    withAllowed(
      pages({ '/': [200, { 'content-type': 'text/html', 'content-encoding': encoding }, body] }),
      async (origin, { client }) => {
        const answer = await client.call('http.fetch', { url: origin, policy: ONLINE });
        expect((await storedOf(client, answer)).toString()).toBe(HTML);
      },
    ),
  );

  test.each([
    ['its head', 'text/html; charset=ISO-8859-1', Buffer.from('<p>gr\xfcn', 'latin1')],
    ['the page', 'text/html', Buffer.from('<meta charset="windows-1252"><p>gr\xfcn', 'latin1')],
    ['a mark', 'text/html', Buffer.from('\uFEFF<p>grün', 'utf16le')],
    ['nothing', 'text/html', Buffer.from('<p>grün')],
    ['a word nobody knows', 'text/html; charset=klingon', Buffer.from('<p>grün')],
  ])('the characters of a page are as %s says', (_, type, body) =>
    withAllowed(pages({ '/': [200, { 'content-type': type }, body] }), async (origin, { client }) => {
      const answer = await client.call('http.fetch', { url: origin, policy: ONLINE });
      expect(textOf(answer).split('\n').at(-1)).toBe('grün');
    }),
  );
});

describe('limits', () => {
  test('a page that is too large is refused, whether it says so, hides it or is compressed', () =>
    withAllowed(
      (request, response) => {
        if (request.url === '/stated') response.writeHead(200, { 'content-length': '50000' }).end(Buffer.alloc(50_000));
        else if (request.url === '/bomb') {
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
        } else response.writeHead(200).end(Buffer.alloc(50_000, 'x'));
      },
      async (origin, { client }) => {
        for (const path of ['/stated', '/bomb', '/silent']) {
          const call = client.call('http.fetch', { url: `${origin}${path}`, bytes_max: 49_000, policy: ONLINE });
          const message = `${origin}${path} has more than 49,000 bytes`;
          expect(await refused(call)).toMatchObject({ kind: 'limit', message, hint: 'ask with a larger bytes_max' });
        }
      },
    ));

  test('a server that never ends its answer is given up at the timeout', () =>
    withAllowed(
      (request, response) => {
        if (request.url === '/drip') setInterval(() => response.write('x'), 5).unref();
      },
      async (origin, { client }) => {
        for (const path of ['/silent', '/drip']) {
          const call = client.call('http.fetch', { url: `${origin}${path}`, timeout_ms: 200, policy: ONLINE });
          expect(await refused(call)).toMatchObject({
            kind: 'network',
            message: `${origin}${path}: it did not answer in full within 200 ms`,
          });
        }
      },
    ));

  test('a fetch that is cancelled ends at once', () => {
    const controller = new AbortController();
    return withAllowed(
      () => controller.abort(),
      async (origin, { client }) => {
        const call = client.call('http.fetch', { url: origin, policy: ONLINE }, { signal: controller.signal });
        expect((await refused(call)).kind).toBe('cancelled');
      },
    );
  });

  test('broken compression, an answer that is cut off and one that is not http are reported in one line', () =>
    withAllowed(
      (request, response) => {
        if (request.url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
        else if (request.url === '/odd') response.writeHead(200, { 'content-encoding': 'compress' }).end('x');
        else if (request.url === '/cut') {
          response.writeHead(200, { 'content-length': '100' });
          response.write('half', () => response.socket?.destroy());
        } else if (request.url === '/raw') response.socket?.end('SSH-2.0-OpenSSH\r\n');
        else response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`);
      },
      async (origin, { client }) => {
        const fetch = async (path: string) =>
          (await refused(client.call('http.fetch', { url: `${origin}${path}`, policy: ONLINE }))).message;
        expect(await fetch('/gzip')).toBe(`${origin}/gzip: what it sent as gzip is broken`);
        expect(await fetch('/odd')).toBe(`${origin}/odd: it sends an encoding that is not known: "compress"`);
        expect(await fetch('/cut')).toBe(`${origin}/cut: the connection broke before the answer was whole`);
        expect(await fetch('/raw')).toBe(`${origin}/raw: what it answered is not http`);
        expect(await fetch('/head')).toBe(`${origin}/head: the head of the answer is too long`);
      },
    ));

  test('a server that switches protocols, or says nothing, does not keep its reader waiting', () =>
    withAllowed(
      (request, response) => {
        const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
        response.socket?.end(request.url === '/other' ? head : '');
      },
      async (origin, { client }) => {
        const fetch = async (path: string) =>
          (await refused(client.call('http.fetch', { url: `${origin}${path}`, policy: ONLINE }))).message;
        expect(await fetch('/other')).toBe(`${origin}/other: it gave no answer to the request`);
        expect(await fetch('/none')).toBe(`${origin}/none: the connection broke before the answer was whole`);
      },
    ));

  test('a connection that is refused, and a server without a certificate, are reported in one line', () =>
    withAllowed(
      (_, response) => response.end('x'),
      async (origin, { client, home }) => {
        expect(readFileSync(`${home}/config`, 'utf8')).toContain('http.allow');
        const secure = origin.replace('http:', 'https:');
        expect((await refused(client.call('http.fetch', { url: secure, policy: OPEN }))).message).toBe(
          `${secure}/: no secure connection came about`,
        );
      },
    ));
});

describe('redirects and policy', () => {
  test('redirects are followed and recorded, at most ten times', () =>
    withAllowed(
      (request, response) => {
        const count = Number(request.url?.slice(1));
        if (count === 0) response.end('arrived');
        else response.writeHead(302, { location: `/${count - 1}` }).end();
      },
      async (origin, { client }) => {
        const answer = await client.call('http.fetch', { url: `${origin}/10`, policy: ONLINE });
        expect(textOf(answer)).toBe(`[200 OK, no type stated, 7 bytes, ${origin}/0, after 10 redirects]\n\narrived`);
        expect(answer.external.handle.identifier).toBe(`${origin}/0`);
        const call = client.call('http.fetch', { url: `${origin}/11`, policy: ONLINE });
        expect((await refused(call)).message).toBe(`${origin}/11 sends on more than 10 times`);
      },
    ));

  test('a redirect to anything but http is refused', () =>
    withAllowed(
      (request, response) =>
        response.writeHead(302, { location: request.headers.host === '' ? '' : 'file:///etc/passwd' }).end(),
      async (origin, { client }) => {
        const refusal = await refused(client.call('http.fetch', { url: origin, policy: ONLINE }));
        expect(refusal.message).toBe('file:///etc/passwd is neither http nor https');
      },
    ));

  test('no cookies are sent, and only the plain headers', () => {
    const seen: string[] = [];
    return withAllowed(
      (request, response) => {
        seen.push(...Object.keys(request.headers).sort());
        response.writeHead(200, { 'set-cookie': 'a=b' }).end('x');
      },
      async (origin, { client }) => {
        await client.call('http.fetch', { url: origin, policy: ONLINE });
        await client.call('http.fetch', { url: origin, policy: ONLINE });
        const sent = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];
        expect(seen).toEqual([...sent, ...sent]);
      },
    );
  });

  test('without the network nothing is fetched, whatever hosts are allowed', () => {
    let requests = 0;
    return withAllowed(
      (_, response) => {
        requests += 1;
        response.end('x');
      },
      async (origin, { client }) => {
        expect(await refused(client.call('http.fetch', { url: origin, policy: OFFLINE }))).toMatchObject({
          kind: 'unauthorised',
          message: `${origin} was not fetched: the network is off here`,
        });
        expect(requests).toBe(0);
      },
    );
  });
});
