import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { onAbort } from '../../hub/base/abort.js';

/** The target of a connection: one address, and the host name for its certificate. */
export interface Destination {
  address: string;
  port: number;
  isSecure: boolean;
  host: string;
  signal: AbortSignal;
}

/** All access to the network in this folder, so that tests can count what goes out. */
export interface Network {
  /** All addresses of a name. */
  lookup(host: string): Promise<string[]>;
  /** Opens a connection to exactly this address. */
  connect(to: Destination): Promise<Socket>;
  /** Addresses of this machine. */
  own(): string[];
}

/** The real network. Certificates are checked against the system's authorities, or against these. */
export function createNetwork(trusted: readonly string[] | null): Network {
  return {
    lookup: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
    connect: (to) => connect(to, trusted),
    own: () => Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
  };
}

export const REAL_NETWORK = createNetwork(null);

function connect(
  { address, port, isSecure, host, signal }: Destination,
  trusted: readonly string[] | null,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const ca = trusted === null ? {} : { ca: [...trusted] };
    const socket = isSecure
      ? connectTls({ host: address, port, ...name, ...ca, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true })
      : connectPlain({ host: address, port });
    const abort = (): void => {
      socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      stopListening();
      socket.removeListener('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
    const stopListening = onAbort(signal, abort);
    socket.once('close', stopListening);
  });
}
