import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HubError } from '../../../base/error.js';
import type { InstalledPackage } from '../../../base/packages/installed_packages.js';
import type { ModelRequest } from '../../model/provider.js';
import { routedFetch } from '../transport/routed_fetch.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** What an SDK asks for the headers of a request. */
export interface AuthClient {
  projectId?: string | null;
  getRequestHeaders(url?: string): Promise<Headers>;
}

interface GoogleAuth {
  getClient(): Promise<AuthClient>;
  getProjectId(): Promise<string>;
}

interface GoogleLibrary {
  GoogleAuth: new (options: object) => GoogleAuth;
}

/** Signs in with a file of credentials. */
export type GoogleSignIn = (
  sdk: InstalledPackage,
  request: Pick<ModelRequest, 'cloud' | 'route'>,
) => Promise<AuthClient>;

/**
 * Signs in at Google with the file that a person names, or that `gcloud auth application-default login` has written, by the way
 * to servers that the caller has. A machine's own account is not looked for, so that no address is asked that nobody chose.
 */
export function googleSignIn(): GoogleSignIn {
  const direct = {};
  const known = new WeakMap<object, Map<string, AuthClient>>();
  return async (sdk, { cloud, route }) => {
    const file = cloud.credentials_file ?? usualFile();
    const clients = known.get(route ?? direct) ?? new Map<string, AuthClient>();
    known.set(route ?? direct, clients);
    const key = `${file} ${statSync(file, { throwIfNoEntry: false })?.mtimeMs}`;
    const client = clients.get(key) ?? (await told(() => clientFor(sdk, { file, fetch: routedFetch(route) })));
    clients.set(key, client);
    return client;
  };
}

function usualFile(): string {
  const file = join(homedir(), '.config', 'gcloud', 'application_default_credentials.json');
  if (existsSync(file)) return file;
  throw notSignedIn('there is no file of credentials');
}

async function clientFor(
  sdk: InstalledPackage,
  { file, fetch }: { file: string; fetch: typeof globalThis.fetch },
): Promise<AuthClient> {
  const { GoogleAuth }: GoogleLibrary = sdk.require('google-auth-library');
  const auth = new GoogleAuth({
    ...{ scopes: SCOPE, keyFilename: file },
    clientOptions: { transporterOptions: { fetchImplementation: fetch } },
  });
  const client = await auth.getClient();
  return {
    projectId: client.projectId ?? null,
    getRequestHeaders: (url) => told(() => client.getRequestHeaders(url)),
  };
}

async function told<T>(signIn: () => Promise<T>): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw notSignedIn(String(error instanceof Error ? error.message : error).split('\n')[0] ?? '', error);
  }
}

function notSignedIn(why: string, cause?: unknown): HubError {
  return new HubError('no_key', `Google does not sign you in: ${why}`, {
    hint: 'run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, or set server.vertex.key_command to: gcloud auth print-access-token',
    details: { visible: false },
    cause,
  });
}
