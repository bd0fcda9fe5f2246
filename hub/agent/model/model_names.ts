import { HubError } from '../../base/error.js';
import { nearest } from '../../base/nearest_word.js';
import type { TokenUsage } from './provider.js';

export const PROVIDER_NAMES = ['anthropic', 'openai', 'ollama', 'demo'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** A model as a person names it, `provider/model`, taken apart. */
export interface ModelName {
  provider: ProviderName;
  model: string;
}

/** Short names for the newest model of each line whose price is known. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['opus', 'anthropic/claude-opus-5-5'],
  ['sonnet', 'anthropic/claude-sonnet-5'],
  ['haiku', 'anthropic/claude-haiku-4-5'],
  ['claude', 'anthropic/claude-sonnet-5'],
  ['gpt', 'openai/gpt-5.6-sol'],
  ['gpt-mini', 'openai/gpt-5.4-mini'],
  ['demo', 'demo/demo'],
]);
export const ALIAS_NAMES = [...ALIASES.keys()];

/** Whose model a name without a provider is, by its beginning. */
const OWNERS: readonly [RegExp, ProviderName][] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|chatgpt-|codex-|o\d)/, 'openai'],
];

/** Takes a name apart; short names and well-known ones need no provider. */
export function parseModelName(text: string): ModelName {
  const full = ALIASES.get(text.toLowerCase()) ?? text;
  const slash = full.indexOf('/');
  const provider = PROVIDER_NAMES.find((name) => name === full.slice(0, slash).toLowerCase());
  const model = full.slice(slash + 1);
  if (slash > 0 && provider !== undefined && isModel(model)) return { provider, model };
  const owner = OWNERS.find(([begins]) => begins.test(full));
  if (owner !== undefined && isModel(full)) return { provider: owner[1], model: full };
  throw unknownModel(text);
}

export function formatModelName({ provider, model }: ModelName): string {
  return `${provider}/${model}`;
}

function isModel(text: string): boolean {
  return /^[^\s\p{Cc}]{1,300}$/u.test(text);
}

function unknownModel(text: string): HubError {
  const shortNames = `short names: ${ALIAS_NAMES.join(', ')}`;
  const provider = PROVIDER_NAMES.find((name) => name === text.replace(/\/$/, '').toLowerCase());
  if (provider !== undefined) {
    return new HubError('invalid_params', `${provider} is a provider, and no model`, {
      hint: `name one of its models: ${provider}/model; ${shortNames}`,
    });
  }
  const near = nearest(text, ALIAS_NAMES);
  const meant = near === null ? '' : `did you mean ${near}? otherwise `;
  const providers = PROVIDER_NAMES.join(', ');
  return new HubError('invalid_params', `no model is called ${text.slice(0, 400)}`, {
    hint: `${meant}give it as provider/model, with one of the providers ${providers}; ${shortNames}`,
  });
}

/** The most that models write in one answer, by the beginning of their names; what others are asked for. */
const OUTPUT_TOKENS_MAX: readonly [RegExp, number][] = [
  [/^claude-(3-(opus|haiku|sonnet)|2|instant|v1)/, 4_096],
  [/^claude-3-5-/, 8_192],
  [/^claude-opus-4-(0|1|2025)/, 32_000],
  [/^claude-/, 64_000],
  [/^gpt-(3|4-|4$)/, 4_096],
  [/^gpt-4/, 16_384],
];
const OUTPUT_TOKENS_USUAL = 32_000;

/** How many tokens to ask for: what the model can write, but no more than is usual. */
export function outputTokensMax({ model }: ModelName): number {
  const most = OUTPUT_TOKENS_MAX.find(([begins]) => begins.test(model))?.[1] ?? OUTPUT_TOKENS_USUAL;
  return Math.min(most, OUTPUT_TOKENS_USUAL);
}

/** Where a model is reached, and when; prices of a provider do not hold for other servers that speak like it. */
export interface NamedModel extends ModelName {
  baseUrl: string | null;
}

/** The offline table of prices and windows. What it does not know is null: never nothing, never a guess. */
export interface Prices {
  /** Tokens that fit the model's window. */
  window(asked: NamedModel): number | null;
  /** US dollars for a request at a time. */
  cost(asked: NamedModel, usage: TokenUsage, atMs: number): number | null;
}

let loaded: Promise<Prices> | null = null;

/** The table; it is large, and loaded when it is wanted for the first time. */
export function loadPrices(): Promise<Prices> {
  loaded ??= readPrices();
  return loaded;
}

async function readPrices(): Promise<Prices> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return {
    window({ provider, model, baseUrl }) {
      if (provider === 'demo' || provider === 'ollama' || baseUrl !== null) return null;
      const found = calcPrice({}, model, { providerId: provider });
      return found !== null && isSameModel(found.model.id, model) ? (found.model.context_window ?? null) : null;
    },
    cost({ provider, model, baseUrl }, usage, atMs) {
      if (provider === 'demo') return 0;
      if (provider === 'ollama' || baseUrl !== null) return null;
      const priced = calcPrice(counted(usage), model, { providerId: provider, timestamp: new Date(atMs) });
      return priced !== null && isSameModel(priced.model.id, model) ? priced.total_price : null;
    },
  };
}

// The table also finds models by how their names begin: `claude-sonnet-5-5` at the price of `claude-sonnet-5`.
function isSameModel(found: string, asked: string): boolean {
  return undated(found) === undated(asked);
}

function undated(model: string): string {
  return model.replace(/-(latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '').replace(/-0$/, '');
}

/** In the table's terms input is all of it, and what was read from and written to a cache are parts of it. */
function counted({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage) {
  const written = cacheWrite5m + cacheWrite1h;
  return {
    input_tokens: input + cacheRead + written,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: written,
    cache_write_1h_tokens: cacheWrite1h,
  };
}
