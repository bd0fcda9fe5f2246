import { cloudOf, type ProviderRecord } from '../../base/provider_records.js';
import type { ModelPrice } from '../../protocol/turn.js';
import { plainModelName } from './claude_names.js';
import type { ModelAtServer } from './model_names.js';
import type { TokenUsage } from './provider.js';
import { isOwnAddress } from './server_access.js';

/** Prices and windows: what the person says, else an offline table. What neither knows is null: never zero, never a guess. */
export interface PriceTable {
  /** Tokens that fit the model's window. */
  window(model: ModelAtServer): number | null;
  /** The names of a provider's models. */
  models(record: ProviderRecord): string[];
  /** US dollars for a request at a time. */
  cost(model: ModelAtServer, usage: TokenUsage, atMs: number): number | null;
}

/** Of what a cloud sells, the models that its SDK for these serves; `regional.…` in the table is no name. */
const CLOUD_MODEL = /^(global\.anthropic\.)?claude-/;

let loaded: Promise<PriceTable> | null = null;

/** The table; it is large, and loaded when it is first used. */
export function loadPriceTable(): Promise<PriceTable> {
  loaded ??= readPriceTable();
  return loaded;
}

/** The window that the person states: for the model itself, else for models of which nothing is known. */
export function statedWindow(model: ModelAtServer, usual: number | null): number | null {
  return statedOf(model.stated.windows, model) ?? usual;
}

async function readPriceTable(): Promise<PriceTable> {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices');
  const priced = ({ record: { prices, server }, model, baseUrl }: ModelAtServer, usage: TokenUsage, atMs: number) => {
    if (prices.kind !== 'table' || server === null || !isOwnAddress(server, baseUrl)) return null;
    const result = calcPrice(countedParts(usage), model, { providerId: prices.id, timestamp: new Date(atMs) });
    return result !== null && isSameModel(result.model.id, model) ? result : null;
  };
  return {
    models(record) {
      const { prices } = record;
      const known = prices.kind === 'table' ? findProvider({ providerId: prices.id }) : undefined;
      const names = (known?.models ?? []).filter(({ deprecated }) => deprecated !== true).map(({ id }) => id);
      return cloudOf(record) === null ? names : names.filter((name) => CLOUD_MODEL.test(name));
    },
    window(model) {
      return statedOf(model.stated.windows, model) ?? priced(model, NO_USAGE, Date.now())?.model.context_window ?? null;
    },
    cost(model, usage, atMs) {
      if (model.record.prices.kind === 'free') return 0;
      const stated = statedOf(model.stated.prices, model);
      return stated === null ? (priced(model, usage, atMs)?.total_price ?? null) : statedCost(stated, usage);
    },
  };
}

/** What is said of a model by its name, else of every other one. */
function statedOf<T>(values: Readonly<Record<string, T>>, { model }: ModelAtServer): T | null {
  const name = [model, '*'].find((one) => Object.hasOwn(values, one));
  return name === undefined ? null : (values[name] ?? null);
}

function statedCost({ input, output, cache_read, cache_write }: ModelPrice, usage: TokenUsage): number {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  const read = usage.cacheRead * (cache_read ?? input);
  return (usage.input * input + usage.output * output + read + written * (cache_write ?? input)) / 1_000_000;
}

const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

// The table also finds models by how their names begin: `claude-sonnet-5-5` at the price of `claude-sonnet-5`.
function isSameModel(a: string, b: string): boolean {
  return undated(plainModelName(a)) === undated(plainModelName(b));
}

function undated(model: string): string {
  return model.replace(/-(latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '').replace(/-0$/, '');
}

/** In the table's terms input is all of it, and what was read from and written to a cache are parts of it. */
function countedParts({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage) {
  const written = cacheWrite5m + cacheWrite1h;
  return {
    input_tokens: input + cacheRead + written,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: written,
    cache_write_1h_tokens: cacheWrite1h,
  };
}
