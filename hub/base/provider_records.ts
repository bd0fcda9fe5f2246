import { HubError } from './error.js';

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
  /** How long a prefix is cached since its last use, and its least length; null where the provider does not say. */
  cache: { lifetimeMs: number; tokensMin: number } | null;
}

export interface ProviderServer {
  dialect: Dialect;
  /** The default address. */
  address: string;
  /** The environment variable with another address. */
  addressVariable: string;
  /** Whether that variable may name a host alone; scheme and port are those of `address` then. */
  takesBareHost: boolean;
  /** The environment variable with the key. */
  keyVariable: string;
  /** `at_own_address`: servers elsewhere that speak alike may do without. */
  needsKey: 'always' | 'at_own_address' | 'never';
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
  /** OpenAI's newer models refuse `max_tokens`; other servers may know nothing else. */
  | { kind: 'chat_completions'; outputLimit: 'max_tokens' | 'max_completion_tokens' };

const ANTHROPIC: ProviderRecord = {
  name: 'anthropic',
  server: {
    dialect: { kind: 'anthropic_messages' },
    address: 'https://api.anthropic.com',
    addressVariable: 'ANTHROPIC_BASE_URL',
    takesBareHost: false,
    keyVariable: 'ANTHROPIC_API_KEY',
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
  cache: { lifetimeMs: 300_000, tokensMin: 1_024 },
};

const OPENAI: ProviderRecord = {
  name: 'openai',
  server: {
    dialect: { kind: 'chat_completions', outputLimit: 'max_completion_tokens' },
    address: 'https://api.openai.com/v1',
    addressVariable: 'OPENAI_BASE_URL',
    takesBareHost: false,
    keyVariable: 'OPENAI_API_KEY',
    needsKey: 'at_own_address',
    hints: { notRunning: null, noModel: null },
  },
  defaultModel: 'gpt',
  aliases: { gpt: 'gpt-5.6-sol', 'gpt-mini': 'gpt-5.4-mini' },
  modelNames: /^(gpt-|chatgpt-|codex-|o\d)/,
  prices: { kind: 'table', id: 'openai' },
  cache: null,
};

const OLLAMA: ProviderRecord = {
  name: 'ollama',
  server: {
    dialect: { kind: 'chat_completions', outputLimit: 'max_tokens' },
    address: 'http://127.0.0.1:11434',
    addressVariable: 'OLLAMA_HOST',
    takesBareHost: true,
    keyVariable: 'OLLAMA_API_KEY',
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

/** All providers; where several match, the first one is taken. */
export const PROVIDER_RECORDS: readonly ProviderRecord[] = [ANTHROPIC, OPENAI, OLLAMA, DEMO];

/** The record of a provider by its name, ignoring case. */
export function findProvider(name: string): ProviderRecord | null {
  return PROVIDER_RECORDS.find((record) => record.name === name.toLowerCase()) ?? null;
}

export function providerRecord(name: string): ProviderRecord {
  const record = findProvider(name);
  if (record !== null) return record;
  throw new HubError('invalid_params', `there is no provider ${name}`, {
    hint: `there are: ${PROVIDER_RECORDS.map((one) => one.name).join(', ')}`,
  });
}

/** Whether the provider's own server requires a key. */
export function needsKey({ server }: ProviderRecord): boolean {
  return server !== null && server.needsKey !== 'never';
}

/** The environment variables of keys, of which a person needs one. */
export const KEY_VARIABLES = PROVIDER_RECORDS.filter(needsKey).flatMap(({ server }) => server?.keyVariable ?? []);
/** The environment variables with the addresses of servers elsewhere. */
export const ADDRESS_VARIABLES = PROVIDER_RECORDS.flatMap(({ server }) => server?.addressVariable ?? []);
