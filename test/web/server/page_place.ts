import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { createCodes } from '../../../cli/web/codes.js';
import { hubLinks } from '../../../cli/web/hub_links.js';
import type { PageFiles } from '../../../cli/web/page_files.js';
import { listenForPages, type PageServerParts } from '../../../cli/web/page_server.js';
import { pipePage } from '../../../cli/web/pipe.js';
import { HUB_ENTRY, type TestHub, withHub } from '../../support/hub.js';

/** A page's server beside a real hub, and what attacks it: raw sockets. */
export interface PagePlace extends TestHub {
  port: number;
  origin: string;
  newCode(): string;
  /** Enters with a new code, as the page does. */
  newKey(): Promise<string>;
  /** The times at which a code was used again. */
  usedTwice(): number;
  /** Sends bytes and resolves to all that comes until the other side closes, or `until` is in it. */
  send(bytes: string, until?: string): Promise<string>;
  /** An open socket of a page that has entered. */
  page(key: string): Promise<WebSocket>;
  setNowMs(ms: number): void;
}

const FILES: PageFiles = new Map([
  [
    '/',
    {
      type: 'text/html; charset=utf-8',
      bytes: Buffer.from('<!doctype html><title>page</title><script src=/page.js></script>'),
    },
  ],
  ['/page.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from("document.title = 'ran';") }],
]);

export function withPagePlace<T>(
  use: (place: PagePlace) => Promise<T>,
  parts: Partial<Pick<PageServerParts, 'isOwnPeer' | 'port'>> & { canWrite?: boolean } = {},
): Promise<T> {
  return withHub(async (hub) => {
    let nowMs = 1_000_000;
    let twice = 0;
    const codes = createCodes(() => nowMs);
    const openHub = hubLinks(hub.home, HUB_ENTRY);
    const perform = async (): Promise<unknown> => ({});
    const server = await listenForPages({
      ...{ port: 0, files: FILES, codes, isOwnPeer: () => true, ...parts },
      take: (page) => pipePage(page, { openHub, canWrite: parts.canWrite ?? false, perform }),
      onUsedTwice: () => {
        twice += 1;
      },
    });
    const { port } = server;
    const origin = `http://127.0.0.1:${port}`;
    const place: PagePlace = {
      ...hub,
      ...{ port, origin, newCode: codes.issue, usedTwice: () => twice },
      async newKey() {
        const answer = await place.send(post(place, { path: '/enter', body: JSON.stringify({ code: codes.issue() }) }));
        return /"key":"([\w-]+)"/.exec(answer)?.[1] ?? '';
      },
      send: (bytes, until) => exchange(port, bytes, until),
      async page(key) {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/hub`, ['cognition.v1', `key.${key}`], { origin });
        await once(socket, 'open');
        return socket;
      },
      setNowMs: (ms) => {
        nowMs = ms;
      },
    };
    try {
      return await use(place);
    } finally {
      await server.close();
    }
  });
}

/** A request as our page sends it, but for what a test changes. */
export function request(
  { port }: Pick<PagePlace, 'port'>,
  { line, headers = {}, body = '' }: { line: string; headers?: Record<string, string | null>; body?: string },
): string {
  const all: Record<string, string | null> = { Host: `127.0.0.1:${port}`, Connection: 'close', ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

/** What is posted, and where to. */
export interface Posted {
  path: '/enter' | '/session';
  body: string;
  headers?: Record<string, string | null>;
}

export function post(place: Pick<PagePlace, 'port' | 'origin'>, { path, body, headers = {} }: Posted): string {
  const length = String(Buffer.byteLength(body));
  const ours = { Origin: place.origin, 'Content-Type': 'application/json', 'Content-Length': length };
  return request(place, { line: `POST ${path}`, headers: { ...ours, ...headers }, body });
}

export function upgrade(
  place: Pick<PagePlace, 'port' | 'origin'>,
  key: string,
  { line = 'GET /hub', headers = {} }: { line?: string; headers?: Record<string, string | null> } = {},
): string {
  const ours = {
    ...{ Origin: place.origin, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' },
    ...{ 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol': `cognition.v1, key.${key}` },
  };
  return request(place, { line, headers: { ...ours, ...headers } });
}

function exchange(port: number, bytes: string, until?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    const end = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (until !== undefined && answer.includes(until)) end();
    });
    socket.on('error', end);
    socket.on('close', end);
    socket.write(bytes, 'latin1');
  });
}

/** The status of an answer; 0 where there was none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

/** Calls over the socket of a page, one after the other. */
export async function callAs(page: WebSocket, method: string, params: object): Promise<Record<string, unknown>> {
  page.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const [data] = await once(page, 'message');
  return JSON.parse(String(data));
}
