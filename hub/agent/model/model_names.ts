import { HubError } from '../../base/error.js';
import { nearest } from '../../base/nearest_word.js';
import { findProvider, PROVIDER_RECORDS, type ProviderRecord } from '../../base/provider_records.js';
import type { ModelPrice } from '../../protocol/turn.js';

/** A model as a person names it, `provider/model`, taken apart. */
export interface ModelName {
  provider: string;
  model: string;
}

/** A model at a server. */
export interface ModelAtServer extends ModelName {
  record: ProviderRecord;
  /** Null is the provider's own address. */
  baseUrl: string | null;
  /** What the person says of the models there, by their names; `*` is every other one. */
  stated: { windows: Readonly<Record<string, number>>; prices: Readonly<Record<string, ModelPrice>> };
}

const ALIASES: ReadonlyMap<string, ModelName> = new Map(
  PROVIDER_RECORDS.flatMap(({ name, aliases }) =>
    Object.entries(aliases).map(([alias, model]) => [alias, { provider: name, model }]),
  ),
);
export const ALIAS_NAMES = [...ALIASES.keys()];

/** Takes a name apart; short names and well-known ones need no provider. */
export function parseModelName(text: string, records: readonly ProviderRecord[] = PROVIDER_RECORDS): ModelName {
  const alias = ALIASES.get(text.toLowerCase());
  if (alias !== undefined) return { ...alias };
  const slash = text.indexOf('/');
  const provider = slash > 0 ? findProvider(text.slice(0, slash), records) : null;
  const model = text.slice(slash + 1);
  if (provider !== null && isModel(model)) return { provider: provider.name, model };
  const owner = PROVIDER_RECORDS.find(({ modelNames }) => modelNames?.test(text));
  if (owner !== undefined && isModel(text)) return { provider: owner.name, model: text };
  throw unknownModel(text, records);
}

export function formatModelName({ provider, model }: ModelName): string {
  return `${provider}/${model}`;
}

function isModel(text: string): boolean {
  return /^[^\s\p{Cc}]{1,300}$/u.test(text);
}

function unknownModel(text: string, records: readonly ProviderRecord[]): HubError {
  const aliases = `short names: ${ALIAS_NAMES.join(', ')}`;
  const provider = findProvider(text.replace(/\/$/, ''), records);
  if (provider !== null) {
    return new HubError('invalid_params', `${provider.name} is a provider, and no model`, {
      hint: `name one of its models: ${provider.name}/model; ${aliases}`,
    });
  }
  const near = nearest(text, ALIAS_NAMES);
  const suggestion = near === null ? '' : `did you mean ${near}? otherwise `;
  const providers = records.map(({ name }) => name).join(', ');
  return new HubError('invalid_params', `no model is called ${text.slice(0, 400)}`, {
    hint: `${suggestion}give it as provider/model, with one of the providers ${providers}; ${aliases}`,
  });
}
