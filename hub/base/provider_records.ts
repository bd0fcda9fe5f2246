import { HubError } from './error.js';
import { CLOUD_PRESETS, type CloudPreset, SERVER_PRESETS, type ServerPreset } from './server_presets.js';

/**
 * The facts about a model provider, in one place: names, addresses, keys, short names, prices and hints all derive from
 * it, and a provider whose server speaks a known dialect is added by its record alone.
 */
export interface ProviderRecord {
  name: string;
  /** Null for the demo model, which is a part of the hub. */
  server: ProviderServer | null;
  /** The model when only the provider is named; null where it depends on what a person has installed. */
  defaultModel: string | null;
  /** Short names, each for the newest model of a line whose price is known. */
  aliases: Readonly<Record<string, string>>;
  /** Models that are known to be this provider's without its name; null for none. */
  modelNames: RegExp | null;
  /** `table`: as that provider of the price table charges. Prices never hold for other servers that speak alike. */
  prices: { kind: 'table'; id: string } | { kind: 'free' } | { kind: 'unknown' };
  /** The least length of a prefix that is cached for as long as a request says; null where the provider does not let it. */
  cache: { tokensMin: number } | null;
}

export interface ProviderServer {
  dialect: Dialect;
  /** The default address; null where each person has one of their own. */
  address: string | null;
  /** The environment variable with another address. */
  addressVariable: string;
  /** Whether that variable may name a host alone; scheme and port are those of `address` then. */
  takesBareHost: boolean;
  /** The environment variable with the key, as hints name it. */
  keyVariable: string;
  /** All variables that it may stand in, the strongest first. */
  keyVariables: readonly string[];
  /** The header that the key is sent in; in `authorization` it is a bearer token. */
  keyHeader: string;
  /** `at_own_address`: servers elsewhere that speak alike may do without. `by_sdk`: without one a cloud's SDK signs in. */
  needsKey: 'always' | 'at_own_address' | 'by_sdk' | 'never';
  hints: {
    /** What to do when nothing listens at the address. */
    notRunning: string | null;
    /** What to do when the server does not have a model. */
    noModel: ((model: string) => string) | null;
  };
}

/** The protocol of a server. */
export type Dialect =
  | { kind: 'anthropic_messages' }
  /** The same as a cloud has it, by the SDK for that. */
  | { kind: 'cloud'; cloud: CloudPreset }
  | { kind: 'gemini' }
  /** Ollama's own protocol, in which a request says how large the context is to be. */
  | { kind: 'ollama' }
  /**
   * Chat completions; and, with `hasResponses`, Responses where OpenAI's own models or servers want that. `thinkingOff` is the
   * effort with which models think not at all; null where servers differ. Mistral's variant counts tokens unasked and refuses to be
   * asked, and its calls have ids of 9 letters or digits.
   */
  | { kind: 'openai'; hasResponses: boolean; thinkingOff: 'none' | null; variant: 'mistral' | null };

const ANTHROPIC: ProviderRecord = {
  name: 'anthropic',
  server: {
    dialect: { kind: 'anthropic_messages' },
    address: 'https://api.anthropic.com',
    addressVariable: 'ANTHROPIC_BASE_URL',
    takesBareHost: false,
    keyVariable: 'ANTHROPIC_API_KEY',
    keyVariables: ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'],
    keyHeader: 'authorization',
    needsKey: 'always',
    hints: { notRunning: null, noModel: null },
  },
  defaultModel: 'sonnet',
  aliases: {
    opus: 'claude-opus-5-5',
    sonnet: 'claude-sonnet-5',
    haiku: 'claude-haiku-4-5',
    claude: 'claude-sonnet-5',
  },
  modelNames: /^claude-/,
  prices: { kind: 'table', id: 'anthropic' },
  cache: { tokensMin: 1_024 },
};

const OPENAI: ProviderRecord = {
  name: 'openai',
  server: {
    dialect: { kind: 'openai', hasResponses: true, thinkingOff: null, variant: null },
    address: 'https://api.openai.com/v1',
    addressVariable: 'OPENAI_BASE_URL',
    takesBareHost: false,
    keyVariable: 'OPENAI_API_KEY',
    keyVariables: ['OPENAI_API_KEY'],
    keyHeader: 'authorization',
    needsKey: 'at_own_address',
    hints: { notRunning: null, noModel: null },
  },
  defaultModel: 'gpt',
  aliases: { gpt: 'gpt-6-sol', mini: 'gpt-5.4-mini', 'gpt-mini': 'gpt-5.4-mini' },
  modelNames: /^(gpt-|chatgpt-|codex-|o\d)/,
  prices: { kind: 'table', id: 'openai' },
  cache: null,
};

const GEMINI: ProviderRecord = {
  name: 'gemini',
  server: {
    dialect: { kind: 'gemini' },
    address: 'https://generativelanguage.googleapis.com',
    addressVariable: 'GOOGLE_GEMINI_BASE_URL',
    takesBareHost: false,
    keyVariable: 'GEMINI_API_KEY',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    keyHeader: 'x-goog-api-key',
    needsKey: 'at_own_address',
    hints: { notRunning: null, noModel: null },
  },
  defaultModel: 'gemini',
  aliases: { gemini: 'gemini-3.8-flash', 'gemini-flash': 'gemini-3.8-flash' },
  modelNames: /^gemini-/,
  prices: { kind: 'table', id: 'google' },
  cache: null,
};

const OLLAMA: ProviderRecord = {
  name: 'ollama',
  server: {
    dialect: { kind: 'ollama' },
    address: 'http://127.0.0.1:11434',
    addressVariable: 'OLLAMA_HOST',
    takesBareHost: true,
    keyVariable: 'OLLAMA_API_KEY',
    keyVariables: ['OLLAMA_API_KEY'],
    keyHeader: 'authorization',
    needsKey: 'never',
    hints: { notRunning: 'start it with: ollama serve', noModel: (model) => `run: ollama pull ${model}` },
  },
  defaultModel: null,
  aliases: {},
  modelNames: null,
  prices: { kind: 'unknown' },
  cache: null,
};

const DEMO: ProviderRecord = {
  name: 'demo',
  server: null,
  defaultModel: 'demo',
  aliases: { demo: 'demo' },
  modelNames: null,
  prices: { kind: 'free' },
  cache: null,
};

/** Providers in a protocol of their own. */
const MAKERS: readonly ProviderRecord[] = [ANTHROPIC, OPENAI, GEMINI];

/** All providers; where several match, the first one is taken. */
export const PROVIDER_RECORDS: readonly ProviderRecord[] = [
  ...MAKERS,
  ...SERVER_PRESETS.map(presetRecord),
  ...CLOUD_PRESETS.map(cloudRecord),
  ...[OLLAMA, DEMO],
];

/** What a server of a person's own may be called. */
export const SERVER_NAME = /^[a-z][a-z0-9_-]{0,49}$/;

/** The providers whose protocol another server may speak. */
export const SERVER_KINDS = PROVIDER_RECORDS.filter(({ server }) => server !== null).map(({ name }) => name);

/** A server that speaks as OpenAI does. */
function presetRecord({ name, dialect, notRunning, noModel, table, ...preset }: ServerPreset): ProviderRecord {
  const { defaultModel, aliases, modelNames, ...server } = preset;
  return {
    ...{ name, defaultModel, aliases, modelNames, cache: null },
    server: {
      ...server,
      dialect: { kind: 'openai', hasResponses: false, thinkingOff: null, variant: null, ...dialect },
      takesBareHost: false,
      keyVariables: [server.keyVariable],
      hints: { notRunning, noModel },
    },
    prices: table === null ? { kind: 'unknown' } : { kind: 'table', id: table },
  };
}

/** Its caches are kept for five minutes, and what is in them is not known here. */
function cloudRecord(cloud: CloudPreset): ProviderRecord {
  const { name, addressVariable, keyVariable, table, modelNames, noModel } = cloud;
  return {
    ...{ name, defaultModel: null, aliases: {}, modelNames, cache: null },
    server: {
      dialect: { kind: 'cloud', cloud },
      ...{ address: null, addressVariable, takesBareHost: false },
      ...{ keyVariable, keyVariables: [keyVariable], keyHeader: 'authorization', needsKey: 'by_sdk' },
      hints: { notRunning: null, noModel: () => noModel },
    },
    prices: { kind: 'table', id: table },
  };
}

/** The cloud behind a server; null for all others. */
export function cloudOf({ server }: Pick<ProviderRecord, 'server'>): CloudPreset | null {
  return server?.dialect.kind === 'cloud' ? server.dialect.cloud : null;
}

/** The record of a provider by its name, ignoring case. */
export function findProvider(
  name: string,
  records: readonly ProviderRecord[] = PROVIDER_RECORDS,
): ProviderRecord | null {
  return records.find((record) => record.name === name.toLowerCase()) ?? null;
}

export function providerRecord(name: string, records: readonly ProviderRecord[] = PROVIDER_RECORDS): ProviderRecord {
  const record = findProvider(name, records);
  if (record !== null) return record;
  throw new HubError('invalid_params', `there is no provider ${name}`, {
    hint: `there are: ${records.map((one) => one.name).join(', ')}`,
  });
}

/** Whether the provider's own server requires a key. */
export function needsKey({ server }: ProviderRecord): boolean {
  return server !== null && server.needsKey !== 'never' && server.needsKey !== 'by_sdk';
}

/** The environment variables of the keys that most people have, of which one is enough. */
export const KEY_VARIABLES = MAKERS.flatMap(({ server }) => server?.keyVariable ?? []);
