import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createServer } from 'node:tls';
import { withFolder } from './hub.js';

/** An authority that nobody trusts by himself, and a server's certificate that it signed. */
export interface PrivateAuthority {
  /** The file with the authority's own certificate, and what is in it. */
  file: string;
  certificate: string;
  server: { key: string; cert: string };
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Runs a test with an authority that signed a certificate for a host and for the loopback address. */
export function withAuthority<T>(host: string, use: (authority: PrivateAuthority) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const at = (name: string): string => join(folder, name);
    const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'ignore' });
    const own = ['-keyout', at('authority.key'), '-out', at('authority.pem'), '-subj', '/CN=Private authority'];
    openssl('req', '-x509', ...CURVE, '-days', '2', ...own);
    openssl('req', ...CURVE, '-keyout', at('server.key'), '-out', at('server.csr'), '-subj', `/CN=${host}`);
    writeFileSync(at('names'), `subjectAltName=DNS:${host},IP:127.0.0.1\n`);
    const signing = ['-CA', at('authority.pem'), '-CAkey', at('authority.key'), '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', at('server.csr'), '-out', at('server.pem'), ...signing, '-extfile', at('names'));
    const read = (name: string): string => readFileSync(at(name), 'utf8');
    return use({
      ...{ file: at('authority.pem'), certificate: read('authority.pem') },
      server: { key: read('server.key'), cert: read('server.pem') },
    });
  });
}

/** Runs a test with an encrypted port in front of one that is not. */
export async function withEncrypted<T>(
  { server: secret }: PrivateAuthority,
  behind: string,
  use: (port: number) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Duplex>();
  const server = createServer(secret, (socket) => {
    const upstream = connect(Number(new URL(behind).port), '127.0.0.1');
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => [socket, upstream].map((one) => one.destroy()));
    }
    socket.pipe(upstream).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await use(port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
