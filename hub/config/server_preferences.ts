import { SERVER_KINDS, SERVER_NAME } from '../base/provider_records.js';
import type { ModelPrice } from '../protocol/turn.js';

/** What a person says of a server of models, by the name that it is called by. */
export interface ServerSettings {
  kind: string | null;
  baseUrl: string | null;
  keyCommand: string | null;
  keyEnv: string | null;
  keyHeader: string | null;
  headers: Readonly<Record<string, string>>;
  /** Of a cloud: where, and as whom one signs in. */
  region: string | null;
  project: string | null;
  profile: string | null;
  credentialsFile: string | null;
  models: readonly string[];
  /** By the names of models; `*` is every other one. */
  windows: Readonly<Record<string, number>>;
  prices: Readonly<Record<string, ModelPrice>>;
}

interface ServerField {
  description: string;
  /** Undefined for a value that does not fit. */
  parse(value: string): Partial<ServerSettings> | undefined;
  /** What fits, said after its key. */
  form: string;
}

const HEADER = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** Headers that the connection itself decides on. */
const CONNECTION_HEADER = /^(host|connection|content-length|content-type|transfer-encoding)$/i;
const PER_MODEL = 'and for single models as in';

const FIELDS: Readonly<Record<string, ServerField>> = {
  base_url: {
    description: 'Its address.',
    form: 'an address that begins with http:// or https://',
    parse: (value) => (/^https?:\/\/[^\s@]+$/.test(value) && URL.canParse(value) ? { baseUrl: value } : undefined),
  },
  kind: {
    description: 'The provider whose protocol it speaks; `openai` when it is not said.',
    form: `one of ${SERVER_KINDS.join(', ')}`,
    parse: (value) => (SERVER_KINDS.includes(value) ? { kind: value } : undefined),
  },
  key_env: {
    description: 'The environment variable with its key.',
    form: 'the name of an environment variable',
    parse: (value) => (/^[A-Za-z_]\w*$/.test(value) ? { keyEnv: value } : undefined),
  },
  key_command: {
    description: 'A command of yours that prints its key, such as `pass show work`.',
    form: 'one line',
    parse: (value) => (/^[^\n\r\0]+$/.test(value) ? { keyCommand: value } : undefined),
  },
  key_header: {
    description: 'The header that the key is sent in; in `authorization` it is a bearer token.',
    form: 'the name of a header, such as x-api-key',
    parse: (value) => (isHeader(value) ? { keyHeader: value } : undefined),
  },
  headers: {
    description: 'What is sent with every request, as `name: value; name: value`.',
    form: 'headers as in x-team: tools; x-project: 5',
    parse: (value) => {
      const headers = headersIn(value);
      return headers && { headers };
    },
  },
  region: {
    description: 'Of a cloud: the region where it is asked.',
    form: 'the name of a region, such as eu-central-1',
    parse: (value) => (/^[a-z][a-z\d-]{1,49}$/.test(value) ? { region: value } : undefined),
  },
  profile: {
    description: 'Of Amazon Bedrock: the profile in `~/.aws` that one signs in with.',
    form: 'the name of a profile',
    parse: (value) => (/^[^\n\r\0[\]]{1,200}$/.test(value) ? { profile: value } : undefined),
  },
  project: {
    description: 'Of Vertex AI: the id of the project.',
    form: 'the id of a project',
    parse: (value) => (/^[a-z\d.:-]{1,100}$/.test(value) ? { project: value } : undefined),
  },
  credentials_file: {
    description: 'Of Vertex AI: the file of credentials that one signs in with.',
    form: 'an absolute path',
    parse: (value) => (/^\/[^\n\r\0]*$/.test(value) ? { credentialsFile: value } : undefined),
  },
  models: {
    description: 'Its models, the usual one first.',
    form: 'names with commas between',
    parse: (value) => {
      const models = value.split(',').map((name) => name.trim());
      return models.every((name) => /^\S{1,300}$/.test(name)) ? { models } : undefined;
    },
  },
  window: {
    description: 'Tokens that fit the window of its models.',
    form: `a number of tokens, ${PER_MODEL} 128000, glm-5=200000`,
    parse: (value) => {
      const windows = perModel(value, tokensIn);
      return windows && { windows };
    },
  },
  prices: {
    description:
      'Dollars for a million tokens, as `input/output/cache read/cache write`; the last two may be left out.',
    form: `dollars for a million tokens of input/output, ${PER_MODEL} 0.5/2, glm-5=0.6/2.2/0.11`,
    parse: (value) => {
      const prices = perModel(value, priceIn);
      return prices && { prices };
    },
  },
};

/** The server and the field of a key such as `server.work.base_url`; null for other keys. */
export function serverKey(key: string): { server: string; field: string } | null {
  const [, server = '', field = ''] = /^server\.([^.]*)\.([a-z_]+)$/.exec(key) ?? [];
  return SERVER_NAME.test(server) && Object.hasOwn(FIELDS, field) ? { server, field } : null;
}

/** The keys of one server's preferences. */
export function serverKeys(server: string): string[] {
  return Object.keys(FIELDS).map((field) => `server.${server}.${field}`);
}

export function serverFieldDescription(field: string): string {
  return FIELDS[field]?.description ?? '';
}

/** Why a value does not fit; null when it does. A header may be secret and is never quoted. */
export function serverProblem(key: string, value: string): string | null {
  const { field = '' } = serverKey(key) ?? {};
  const { parse, form } = FIELDS[field] ?? {};
  if (parse?.(unquoted(value)) !== undefined) return null;
  return `${key} is ${form}${field === 'headers' || field === 'base_url' ? '' : `, not ${JSON.stringify(value)}`}`;
}

/** A value for display: of headers only the names. */
export function shownServerValue(key: string, value: string): string {
  if (serverKey(key)?.field !== 'headers') return value;
  return Object.keys(headersIn(unquoted(value)) ?? {})
    .map((name) => `${name}: ***`)
    .join('; ');
}

/** What a person says of servers, from the values of the preferences, which all fit. */
export function serversIn(values: ReadonlyMap<string, string>): Map<string, ServerSettings> {
  const servers = new Map<string, ServerSettings>();
  for (const [key, value] of values) {
    const named = serverKey(key);
    if (named === null) continue;
    const before = servers.get(named.server) ?? NOTHING_SAID;
    servers.set(named.server, { ...before, ...FIELDS[named.field]?.parse(unquoted(value)) });
  }
  return servers;
}

const NOTHING_SAID: ServerSettings = {
  ...{ kind: null, baseUrl: null, keyCommand: null, keyEnv: null, keyHeader: null },
  ...{ region: null, project: null, profile: null, credentialsFile: null },
  ...{ headers: {}, models: [], windows: {}, prices: {} },
};

/** People put values into quotes, as in other programs' files. */
function unquoted(value: string): string {
  return /^"[^"]*"$|^'[^']*'$/.test(value) ? value.slice(1, -1) : value;
}

function isHeader(name: string): boolean {
  return HEADER.test(name) && !CONNECTION_HEADER.test(name);
}

function headersIn(value: string): Record<string, string> | undefined {
  const pairs = value.split(';').map((pair) => /^([^:]*):(.*)$/.exec(pair) ?? [pair, '', '']);
  const headers = pairs.map(([, name = '', text = '']): [string, string] => [name.trim(), text.trim()]);
  const fits = headers.every(([name, text]) => isHeader(name) && /^[\x20-\x7e]{1,8192}$/.test(text));
  return fits ? Object.fromEntries(headers) : undefined;
}

/** Values by the names of models, as in `5, glm-5=6`; `*` is every other one. */
function perModel<T>(value: string, parse: (text: string) => T | undefined): Record<string, T> | undefined {
  const values: Record<string, T> = {};
  for (const part of value.split(',')) {
    const at = part.lastIndexOf('=');
    const one = parse(part.slice(at + 1).trim());
    const model = at < 0 ? '*' : part.slice(0, at).trim();
    if (one === undefined || model === '') return undefined;
    values[model] = one;
  }
  return values;
}

function tokensIn(text: string): number | undefined {
  const tokens = Number(text);
  return /^\d+$/.test(text) && tokens >= 1 && tokens <= 100_000_000 ? tokens : undefined;
}

function priceIn(text: string): ModelPrice | undefined {
  const parts = text.split('/').map((part) => part.trim());
  if (parts.length < 2 || parts.length > 4 || !parts.every((part) => /^\d{1,6}(\.\d+)?$/.test(part))) return undefined;
  const [input = 0, output = 0, cache_read = null, cache_write = null] = parts.map(Number);
  return { input, output, cache_read, cache_write };
}
