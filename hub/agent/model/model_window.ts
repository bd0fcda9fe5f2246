import type { ModelAtServer } from './model_names.js';
import { loadPriceTable } from './price_table.js';
import type { ModelReach, Provider } from './provider.js';

interface ModelTarget {
  provider: Provider;
  model: ModelAtServer;
  access: Omit<ModelReach, 'model'>;
}

/** The window of a model: what its server says, else the person of it, else the table, else the person of all others. */
export async function windowOf({ provider, model, access }: ModelTarget, signal: AbortSignal): Promise<number | null> {
  if (provider.window !== undefined) return provider.window({ model: model.model, ...access }, signal);
  return (await loadPriceTable()).window(model) ?? access.statedWindow;
}
