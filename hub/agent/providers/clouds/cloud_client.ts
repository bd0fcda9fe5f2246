import type { InstalledPackage } from '../../../base/packages/installed_packages.js';
import type { ModelRequest } from '../../model/provider.js';
import { type MessagesBody, SDK_OPTIONS } from '../anthropic/send_messages.js';
import { type ModelConnection, OWN_HEADERS } from '../transport/model_connection.js';

/** What is used of a cloud's SDK. */
export interface CloudClient {
  messages: { create(body: MessagesBody, options: { signal: AbortSignal }): PromiseLike<AsyncIterable<unknown>> };
}

/** What a client of one request is made from. */
export interface ClientParts {
  sdk: InstalledPackage;
  request: ModelRequest;
  region: string;
  connection: ModelConnection;
  address: URL;
}

type Next = (request: SdkRequest) => Promise<Response>;
interface SdkRequest {
  headers: ConstructorParameters<typeof Headers>[0];
}

/** The options that the clients of all clouds share. */
export function clientOptions({ request, connection, address }: ClientParts) {
  return {
    ...SDK_OPTIONS,
    baseURL: address.href.replace(/\/+$/, ''),
    fetch: connection.fetch,
    // What leaves is signed, so headers are chosen before that.
    middleware: [(sent: SdkRequest, next: Next) => next({ ...sent, headers: chosenHeaders(sent.headers, request) })],
  };
}

/** Without what an SDK finds in the environment, and tells of this machine. */
function chosenHeaders(given: SdkRequest['headers'], { key, headers: own }: ModelRequest): Headers {
  const version = new Headers(given).get('anthropic-version');
  const headers = new Headers({
    ...OWN_HEADERS,
    ...(version === null ? {} : { 'anthropic-version': version }),
    ...own,
  });
  if (key !== null) headers.set('authorization', `Bearer ${key}`);
  return headers;
}

/** A class that a package exports. */
export function exportedClass<T>({ exports }: InstalledPackage, name: string): new (options: object) => T {
  const found: unknown = Reflect.get(Object(exports), name);
  if (isClass<T>(found)) return found;
  throw new Error(`the installed package has no ${name}`);
}

function isClass<T>(found: unknown): found is new (options: object) => T {
  return typeof found === 'function';
}
