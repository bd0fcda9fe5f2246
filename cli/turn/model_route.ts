import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { errnoOf } from '../../hub/base/errno.js';
import { environment } from '../../hub/config/config.js';
import { AUTHORITIES_LENGTH_MAX } from '../../hub/protocol/limits.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';

type Route = NonNullable<ParamsOf<'agent.run'>['route']>;

/** More than the lists of systems have, whose comments are not sent. */
const FILE_BYTES_MAX = 8 * AUTHORITIES_LENGTH_MAX;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\sA-Za-z\d+/=]+-----END CERTIFICATE-----/g;

/** Proxies and authorities from the environment, sent with a call as keys are; null where it names none. */
export function modelRoute(): Route | null {
  const all = either('all_proxy');
  const files = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].map(authoritiesFrom);
  const route = {
    https_proxy: either('https_proxy') ?? all,
    http_proxy: either('http_proxy') ?? all,
    no_proxy: either('no_proxy'),
    authorities: files.flatMap(({ certificates }) => certificates).join('\n') || null,
    authorities_problem: files.flatMap(({ problem }) => problem ?? []).join('; ') || null,
  };
  const { no_proxy: _, ...ways } = route;
  return Object.values(ways).every((one) => one === null) ? null : withinLimit(route);
}

/** As curl has it, the name in small letters counts first. */
function either(name: string): string | null {
  return environment(name) ?? environment(name.toUpperCase()) ?? null;
}

interface Authorities {
  certificates: string[];
  problem: string | null;
}

function authoritiesFrom(variable: string): Authorities {
  const path = environment(variable);
  if (path === undefined) return { certificates: [], problem: null };
  try {
    const certificates = readFile(path).match(CERTIFICATE) ?? [];
    if (certificates.length > 0) return { certificates: [...certificates], problem: null };
    return { certificates: [], problem: `${variable} names a file without a certificate in PEM: ${path}` };
  } catch (error) {
    const why = errnoOf(error) ?? (error instanceof Error ? error.message : 'unknown');
    return { certificates: [], problem: `${variable} names a file that cannot be read (${why}): ${path}` };
  }
}

/** A regular file alone: a pipe would never end. */
function readFile(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > FILE_BYTES_MAX) throw new Error(`it has more than ${FILE_BYTES_MAX} bytes`);
    return readFileSync(descriptor, 'latin1');
  } finally {
    closeSync(descriptor);
  }
}

function withinLimit(route: Route): Route {
  if ((route.authorities ?? '').length <= AUTHORITIES_LENGTH_MAX) return route;
  const problem = 'NODE_EXTRA_CA_CERTS and SSL_CERT_FILE have more certificates than can be sent';
  return { ...route, authorities: null, authorities_problem: problem };
}
