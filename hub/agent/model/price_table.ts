import { providerRecord } from '../../base/provider_records.js';
import type { ModelAtServer } from './model_names.js';
import type { TokenUsage } from './provider.js';

/** The offline table of prices and windows. What it does not know is null: never zero, never a guess. */
export interface PriceTable {
  /** Tokens that fit the model's window. */
  window(model: ModelAtServer): number | null;
  /** US dollars for a request at a time. */
  cost(model: ModelAtServer, usage: TokenUsage, atMs: number): number | null;
}

let loaded: Promise<PriceTable> | null = null;

/** The table; it is large, and loaded when it is first used. */
export function loadPriceTable(): Promise<PriceTable> {
  loaded ??= readPriceTable();
  return loaded;
}

/** The window of a model: from the table, else what the person says. */
export async function windowOf(model: ModelAtServer, stated: number | null): Promise<number | null> {
  return (await loadPriceTable()).window(model) ?? stated;
}

async function readPriceTable(): Promise<PriceTable> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const priced = ({ provider, model, baseUrl }: ModelAtServer, usage: TokenUsage, atMs: number) => {
    const { prices } = providerRecord(provider);
    if (prices.kind !== 'table' || baseUrl !== null) return null;
    const result = calcPrice(countedParts(usage), model, { providerId: prices.id, timestamp: new Date(atMs) });
    return result !== null && isSameModel(result.model.id, model) ? result : null;
  };
  return {
    window: (model) => priced(model, NO_USAGE, Date.now())?.model.context_window ?? null,
    cost(model, usage, atMs) {
      const isFree = providerRecord(model.provider).prices.kind === 'free';
      return isFree ? 0 : (priced(model, usage, atMs)?.total_price ?? null);
    },
  };
}

const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

// The table also finds models by how their names begin: `claude-sonnet-5-5` at the price of `claude-sonnet-5`.
function isSameModel(a: string, b: string): boolean {
  return undated(a) === undated(b);
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
