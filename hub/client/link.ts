import type { IncomingHttpHeaders } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { WebSocket } from 'ws';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import type { Hint } from '../protocol/errors.js';
import { FRAME_BYTES_MAX } from '../protocol/limits.js';
import { createWriteBatcher } from '../wire/write_batching.js';

const HANDSHAKE_MS_MAX = 10_000;

/** The address of a hub. */
export type Target = { kind: 'socket'; path: string } | { kind: 'tcp'; host: string; port: number; token: string };

/** The connecting program. */
export interface Program {
  version: string;
  protocol: number;
}

/** What a hub sends at the handshake. */
export interface HubGreeting extends Program {
  epoch: string;
  /** The number of running calls and turns. */
  busy: number;
  /** The TCP address it listens on; null for none. */
  listen: string | null;
}

/** An open connection to a hub. */
export interface Link {
  socket: WebSocket;
  hub: HubGreeting;
  send(text: string): void;
}

/** Connects to a hub; null when none listens at that address. */
export function openLink(target: Target, program: Program): Promise<Link | null> {
  const socket = dial(target, program);
  return new Promise((resolve, reject) => {
    let link: Link | null = null;
    socket.on('upgrade', (response) => {
      const startBatch = createWriteBatcher(response.socket);
      const send = (text: string): void => {
        startBatch();
        socket.send(text);
      };
      link = { socket, send, hub: greetingOf(response.headers) };
    });
    socket.on('open', () => {
      if (link !== null) resolve(link);
    });
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      // It has begun to end: to a newcomer it is gone.
      if (response.headers['x-cognition-ending'] !== undefined) resolve(null);
      else reject(refusalOf(response.statusCode ?? 0, target));
    });
    // Once the connection is open, its close event reports its end.
    socket.on('error', (error) => (isAbsence(error) ? resolve(null) : reject(linkError(error, target))));
  });
}

function dial(target: Target, program: Program): WebSocket {
  const headers = { 'x-cognition-protocol': String(program.protocol), 'x-cognition-version': program.version };
  const options = {
    ...{ maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false, handshakeTimeout: HANDSHAKE_MS_MAX },
    // Masks protect proxies, of which there are none here; undoing one takes the hub longer than reading the message.
    generateMask: (mask: Buffer) => mask.fill(0),
  };
  if (target.kind === 'tcp') {
    const host = target.host.includes(':') ? `[${target.host}]` : target.host;
    const authorization = `Bearer ${target.token}`;
    return new WebSocket(`ws://${host}:${target.port}/`, { ...options, headers: { ...headers, authorization } });
  }
  // The path is passed directly, because in a URL its colons and signs would need escaping.
  // The handshake timeout is the socket's own; ws removes it once the connection is open.
  const createConnection = () => connectSocket({ path: target.path, timeout: HANDSHAKE_MS_MAX });
  return new WebSocket('ws://localhost/', { ...options, headers, createConnection });
}

function greetingOf(headers: IncomingHttpHeaders): HubGreeting {
  const text = (name: string): string => String(headers[`x-cognition-${name}`] ?? '');
  return {
    protocol: Number(text('protocol')),
    version: text('version'),
    epoch: text('epoch'),
    busy: Number(text('busy')),
    listen: text('listen') || null,
  };
}

// Errors of a connection attempt when nothing listens, or when the listener is just ending.
const ABSENCES = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN', 'ENOTSOCK', 'ENOTDIR']);

function isAbsence(error: Error): boolean {
  return ABSENCES.has(errnoOf(error) ?? '');
}

function linkError(error: Error, target: Target): HubError {
  return new HubError('unreachable', `the hub at ${placeOf(target)} cannot be reached: ${error.message}`, {
    hint: hintFor(error, target),
    retryable: true,
    cause: error,
  });
}

function hintFor(error: Error, target: Target): Hint {
  if (target.kind === 'tcp') return 'check the address, and that the hub was started with --listen';
  return errnoOf(error) === 'EACCES'
    ? 'the home folder is not yours: set COGNITION_HOME to one of your own'
    : ['run: ', cliCommand('doctor')];
}

function refusalOf(status: number, target: Target): HubError {
  const place = placeOf(target);
  if (status === 401) {
    return new HubError('unauthorised', `the hub at ${place} does not know this token`, {
      hint: [
        'the token is in the file hub.token of the home folder; every `',
        cliCommand('hub start', '--listen'),
        '` makes a new one',
      ],
    });
  }
  if (status === 503) {
    return new HubError('limit', `the hub at ${place} has no room for one more connection`, {
      hint: 'close other clients, or wait',
      retryable: true,
    });
  }
  return new HubError('unreachable', `the hub at ${place} refuses connections (status ${status})`, {
    hint: 'check that the address is the one the hub was started with',
  });
}

function placeOf(target: Target): string {
  return target.kind === 'tcp' ? `${target.host}:${target.port}` : target.path;
}
