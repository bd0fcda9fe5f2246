import type { RawData, WebSocket } from 'ws';
import { HubError } from '../../hub/base/error.js';
import type { Link } from '../../hub/client/link.js';
import { readRequest } from './page_request.js';

/** What a page, or the hub, has not read yet: from then on the other one is not read. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** What the process does for one page at a time. */
const ACTS_MAX = 32;

/** Told to a page: it opens another socket when the hub is back. */
const HUB_AWAY = 4_002;
const FOREIGN = 1_008;
const REASON_LENGTH_MAX = 100;

export interface PipeParts {
  openHub(): Promise<Link>;
  canWrite: boolean;
  /** What the process itself answers. */
  perform(method: string, params: Record<string, unknown>): Promise<unknown>;
}

/** Gives a page a connection to the hub of its own; nothing is read of the page before there is one. */
export function pipePage(page: WebSocket, parts: PipeParts): void {
  page.on('error', () => page.terminate());
  page.pause();
  parts.openHub().then(
    (link) => {
      if (page.readyState !== page.OPEN) return link.socket.terminate();
      connectPage(page, link, parts);
      page.resume();
    },
    (error: unknown) => leave(page, error instanceof Error ? error.message : String(error)),
  );
}

function connectPage(page: WebSocket, { socket: hub }: Link, parts: PipeParts): void {
  const toHub = forwarding(page, hub);
  const toPage = forwarding(hub, page);
  const perform = performing(parts, toPage);
  page.on('message', (data, isBinary) => {
    const wanted = isBinary ? foreign : readRequest(String(data), parts.canWrite);
    switch (wanted.kind) {
      case 'hub':
        return toHub(wanted.frame);
      case 'process':
        return perform(wanted);
      case 'refused':
        return toPage(failureOf(wanted.id, new HubError('invalid_params', wanted.message)));
      case 'foreign':
        return page.close(FOREIGN, wanted.reason);
    }
  });
  hub.on('message', toPage);
  hub.once('close', () => leave(page, 'the hub has ended'));
  page.once('close', () => hub.terminate());
}

const foreign = { kind: 'foreign' as const, reason: 'this is not text' };

function leave(page: WebSocket, reason: string): void {
  page.close(HUB_AWAY, reason.slice(0, REASON_LENGTH_MAX).replace(/[^\x20-\x7e]/g, '?'));
  page.resume();
}

/** Sends to one of the two; the other is not read while too much of it is unread. */
function forwarding(from: WebSocket, to: WebSocket): (text: RawData | string) => void {
  return (text) => {
    if (to.readyState !== to.OPEN) return;
    to.send(text, { binary: false }, () => {
      if (to.bufferedAmount <= UNREAD_BYTES_MAX) from.resume();
    });
    if (to.bufferedAmount > UNREAD_BYTES_MAX) from.pause();
  };
}

interface Act {
  id: number;
  method: string;
  params: Record<string, unknown>;
}

function performing(parts: PipeParts, reply: (text: string) => void): (act: Act) => void {
  let underWay = 0;
  return ({ id, method, params }) => {
    if (underWay >= ACTS_MAX) return reply(failureOf(id, new HubError('limit', 'too much is under way already')));
    underWay += 1;
    parts
      .perform(method, params)
      .then(
        (result) => reply(JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null })),
        (error: unknown) => reply(failureOf(id, error)),
      )
      .finally(() => {
        underWay -= 1;
      })
      .catch(() => undefined); // the page has gone
  };
}

const CODE_OF_FAILURE = -32_000;

/** An error as the hub would send it. */
function failureOf(id: number, error: unknown): string {
  const { kind, message, retryable } =
    error instanceof HubError
      ? error
      : new HubError('internal', error instanceof Error ? error.message : String(error));
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: CODE_OF_FAILURE, message, data: { kind, hint: null, retryable } },
  });
}
