import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { CHROMIUM, openBrowser } from '../../support/web/browser.js';
import { type PagePlace, withPagePlace } from './page_place.js';

/** A page of another port of this machine, which a browser counts as the same site. */
async function withOtherPort<T>(html: string, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    return await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** What each way to reach a page comes to, as the one who tries it sees it. */
const attempts = (origin: string, key: string): string => `<!doctype html><title>trying</title><script type="module">
const tried = {};
const seen = (work) => work.then((it) => it, (error) => 'refused');
tried.fetch = await seen(fetch('${origin}/').then((it) => 'read ' + it.status));
tried.opaque = await seen(fetch('${origin}/', { mode: 'no-cors' }).then((it) => it.type));
tried.post = await seen(fetch('${origin}/enter', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }).then((it) => 'read ' + it.status));
tried.script = await new Promise((resolve) => {
  const script = document.createElement('script');
  script.src = '${origin}/page.js';
  script.onload = () => resolve(document.title === 'ran' ? 'ran' : 'loaded');
  script.onerror = () => resolve('refused');
  document.head.append(script);
});
tried.frame = await new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.src = '${origin}/';
  frame.onload = () => { try { resolve(frame.contentDocument?.title === 'page' ? 'shown' : 'refused'); } catch { resolve('refused'); } };
  document.body.append(frame);
});
tried.socket = await new Promise((resolve) => {
  const socket = new WebSocket('${origin.replace('http', 'ws')}/hub', ['cognition.v1', 'key.${key}']);
  socket.onopen = () => resolve('open');
  socket.onerror = () => resolve('refused');
});
document.title = JSON.stringify(tried);
</script><body>`;

async function titleAfter(place: PagePlace, url: string): Promise<Record<string, string>> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await expect.poll(() => page.title(), { timeout: 30_000 }).toMatch(/^\{/);
    expect(place.usedTwice()).toBe(0);
    return JSON.parse(await page.title());
  } finally {
    await browser.close();
  }
}

test.runIf(CHROMIUM !== null)('a page of another port reads, runs, shows and opens nothing, even with a key', () =>
  withPagePlace(async (place) => {
    const key = await place.newKey();
    const tried = await withOtherPort(attempts(place.origin, key), (url) => titleAfter(place, url));
    expect(tried).toEqual({
      ...{ fetch: 'refused', opaque: 'refused', post: 'refused', script: 'refused', frame: 'refused' },
      socket: 'refused',
    });
  }),
);

test.runIf(CHROMIUM !== null)('the same attempts succeed where nothing stands in their way', async () => {
  const open = createServer((request, response) => {
    const type = request.url === '/page.js' ? 'text/javascript' : 'text/html';
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'content-type': type };
    response
      .writeHead(200, headers)
      .end(request.url === '/page.js' ? "document.title = 'ran';" : '<title>page</title>');
  });
  open.listen(0, '127.0.0.1');
  await once(open, 'listening');
  const address = open.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  try {
    await withPagePlace(async (place) => {
      const tried = await withOtherPort(attempts(origin, 'x'), (url) => titleAfter(place, url));
      // A frame of another origin cannot be looked into, however it was loaded.
      expect(tried).toMatchObject({ fetch: 'read 200', opaque: 'opaque', post: 'read 200', script: 'ran' });
    });
  } finally {
    open.close();
    open.closeAllConnections();
  }
});
