import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { HubError } from '../../../hub/base/error.js';
import { type FetchedPage, fetchPage } from '../../../tools/http/fetch_page.js';
import { createNetwork, type Network } from '../../../tools/http/network.js';
import { withFolder } from '../../support/hub.js';
import { tries } from '../../support/mounts.js';
import { refused } from '../file/tool_calls.js';

const hasOpenssl = tries('openssl', ['version']);
const PUBLIC_ADDRESS = '93.184.215.14';

interface SecureServer {
  /** A network in which every name leads to the server on loopback, as if that were public. */
  network: Network;
  /** The same for somebody who trusts the certificate. */
  trusting: Network;
  /** The names that clients have asked for in the clear, before anything else. */
  named: (string | false)[];
}

/** Runs a test with a real server that has a certificate of its own for `secure.example`. */
function withSecureServer<T>(use: (server: SecureServer) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=secure.example', '-addext', 'subjectAltName=DNS:secure.example'];
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', certificate, ...subject], {
      stdio: 'ignore',
    });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, response) => {
      response.end('hello');
    });
    const named: (string | false)[] = [];
    server.on('secureConnection', (socket: TLSSocket & { servername?: string | false }) => {
      named.push(socket.servername ?? false);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const leadingHere = (network: Network): Network => ({
      ...{ lookup: async () => [PUBLIC_ADDRESS], own: () => [] },
      connect: (to) => network.connect({ ...to, address: '127.0.0.1', port }),
    });
    const network = leadingHere(createNetwork(null));
    const trusting = leadingHere(createNetwork([readFileSync(certificate, 'utf8')]));
    try {
      return await use({ network, trusting, named });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

function fetchOver(network: Network, url: string): Promise<FetchedPage> {
  const { signal } = new AbortController();
  return fetchPage(network, { url, timeoutMs: 30_000, bytesMax: 1_000, allowed: [], agent: 'test', signal });
}

test.runIf(hasOpenssl)('an untrusted certificate is refused, and nothing is sent', () =>
  withSecureServer(async ({ network }) => {
    const refusal: HubError = await refused(fetchOver(network, 'https://secure.example/secret-path'));
    expect(refusal).toMatchObject({
      kind: 'network',
      message: 'https://secure.example/secret-path: its certificate is not trusted',
      hint: 'nothing was sent to it',
      retryable: false,
    });
  }),
);

test.runIf(hasOpenssl)('a page is fetched from a server whose certificate is trusted, by the requested name', () =>
  withSecureServer(async ({ trusting, named }) => {
    const { body, url } = await fetchOver(trusting, 'https://secure.example./page');
    expect([body.toString(), url.href]).toEqual(['hello', 'https://secure.example./page']);
    expect(named).toEqual(['secure.example']);
  }),
);

test.runIf(hasOpenssl)(
  'a certificate for another name is refused, and so is one for an address that it does not name',
  () =>
    withSecureServer(async ({ trusting }) => {
      for (const host of ['other.example', PUBLIC_ADDRESS]) {
        const { message } = await refused(fetchOver(trusting, `https://${host}/`));
        expect(message).toBe(`https://${host}/: its certificate is for another name`);
      }
    }),
);
