import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { quoted, shownUrl } from './url_rules.js';

const ENCODINGS_MAX = 3;
const HEAD_BYTES_MAX = 64 * 1024;

/** An answer to a request. */
export interface HttpAnswer {
  status: number;
  reason: string;
  headers: IncomingMessage['headers'];
  /** The decompressed body. */
  body: Buffer;
}

export interface Exchange {
  url: URL;
  socket: Socket;
  agent: string;
  bytesMax: number;
  signal: AbortSignal;
}

/** Sends one GET over a connection and reads the response, which is never larger than `bytesMax`. */
export async function exchange(request: Exchange): Promise<HttpAnswer> {
  const message = await send(request);
  const { statusCode: status = 0, statusMessage: reason = '', headers } = message;
  if (isRedirect(status) && headers.location !== undefined) {
    message.destroy();
    return { status, reason, headers, body: Buffer.alloc(0) };
  }
  if (Number(headers['content-length'] ?? 0) > request.bytesMax) {
    message.destroy();
    throw tooLarge(request);
  }
  const sent = await read(message, request);
  return { status, reason, headers, body: await decompressed(sent, headers['content-encoding'] ?? '', request) };
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function send({ url, socket, agent, signal }: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest({
      createConnection: () => socket,
      ...{ method: 'GET', path: `${url.pathname}${url.search}`, setHost: false, signal },
      maxHeaderSize: HEAD_BYTES_MAX,
      headers: {
        host: url.host,
        'user-agent': agent,
        accept: 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5',
        'accept-encoding': 'gzip, br, deflate',
        connection: 'close',
      },
    });
    sending.once('response', resolve);
    sending.on('error', reject);
    // Node ends a request silently when the server switches protocols, even when time is up.
    sending.once('close', () =>
      reject(
        new HubError('network', `${shownUrl(url.href)}: it gave no answer to the request`, { hint: 'try again later' }),
      ),
    );
    sending.end();
  });
}

async function read(message: IncomingMessage, request: Exchange): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of message) {
    const part = Buffer.from(piece);
    bytes += part.length;
    if (bytes > request.bytesMax) throw tooLarge(request);
    pieces.push(part);
  }
  return Buffer.concat(pieces);
}

const DECOMPRESS = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  inflate: promisify(inflate),
  inflateRaw: promisify(inflateRaw),
};

async function decompressed(sent: Buffer, header: string, request: Exchange): Promise<Buffer> {
  const encodings = header.split(',').map((one) => one.trim().toLowerCase());
  const steps = encodings.filter((one) => one !== '' && one !== 'identity').reverse();
  if (steps.length > ENCODINGS_MAX) throw unknownEncoding(header, request);
  let bytes = sent;
  for (const step of steps) {
    if (bytes.length === 0) break; // servers also state an encoding without a body
    bytes = await stepOf(
      step,
      bytes,
      request,
    )(bytes, { maxOutputLength: request.bytesMax }).catch((error: unknown) => {
      if (errnoOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(request);
      throw new HubError('network', `${shownUrl(request.url.href)}: what it sent as ${step} is broken`, {
        hint: 'try again',
        cause: error,
        retryable: true,
      });
    });
    request.signal.throwIfAborted();
  }
  return bytes;
}

function stepOf(name: string, bytes: Buffer, request: Exchange) {
  if (name === 'gzip' || name === 'x-gzip') return DECOMPRESS.gzip;
  if (name === 'br') return DECOMPRESS.br;
  // "deflate" is in use with the header of RFC 1950, and without it.
  if (name === 'deflate') return ((bytes[0] ?? 0) & 0x0f) === 8 ? DECOMPRESS.inflate : DECOMPRESS.inflateRaw;
  throw unknownEncoding(name, request);
}

function unknownEncoding(name: string, { url }: Exchange): HubError {
  return new HubError(
    'network',
    `${shownUrl(url.href)}: it sends an encoding that is not known: ${quoted(name.slice(0, 100))}`,
    {
      hint: 'the server was asked for gzip, br or deflate',
    },
  );
}

function tooLarge({ url, bytesMax }: Exchange): HubError {
  return new HubError('limit', `${shownUrl(url.href)} has more than ${bytesMax.toLocaleString('en')} bytes`, {
    hint: 'ask with a larger bytes_max',
  });
}
