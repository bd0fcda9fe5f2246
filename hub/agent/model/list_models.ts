import * as z from 'zod';
import { cloudOf, type ProviderRecord, providerRecord } from '../../base/provider_records.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { Access } from '../../protocol/turn.js';
import { recordsWith } from './caller_servers.js';
import { abilitiesOf } from './model_abilities.js';
import { type ModelAtServer, type ModelName, parseModelName } from './model_names.js';
import { loadPriceTable, type PriceTable } from './price_table.js';
import type { Provider } from './provider.js';
import { accessGiven, isPending, modelAt } from './provider_access.js';
import { serverAccess } from './server_access.js';

type Params = ParsedOf<'agent.models'>;
type Listed = ResultOf<'agent.models'>;
type Server = Listed['servers'][number];

/** How long a server of the person's own may take to name its models. */
const LIST_MS_MAX = 1_000;
const LIST_BYTES_MAX = 1024 * 1024;
const MODELS_MAX = 1_000;
/** Prices are for a million tokens; some are higher for long requests. */
const PRICED_TOKENS = 1_000;

const size = z.int().positive().max(100_000_000).nullish().catch(null);
const ServerModels = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1).max(300),
      max_model_len: size,
      context_length: size,
      meta: z.object({ n_ctx: size, n_ctx_train: size }).nullish().catch(null),
    }),
  ),
});

/** What a server says of its models: their names, and their windows where it tells them. */
type Said = ReadonlyMap<string, number | null>;

/** Lists servers with their models: those that have short names, that the person names, and that servers on this machine have. */
export async function listModels(
  { providerFor }: { providerFor(record: ProviderRecord): Pick<Provider, 'toInstall'> },
  { access, server }: Params,
  signal: AbortSignal,
): Promise<Listed> {
  const records = recordsWith(access);
  const table = await loadPriceTable();
  const wanted = server === null ? records : [providerRecord(server, records)];
  const servers = await Promise.all(
    wanted.map(async (record): Promise<Server> => {
      const said = await saidOf(record, access, signal);
      const inTable = server === null ? [] : table.models(record);
      const names = new Set([...namesOf(record, access), ...(said?.keys() ?? []), ...inTable]);
      const models = [...names].slice(0, MODELS_MAX).map((model) => modelAt({ provider: record.name, model }, access));
      return {
        ...{ name: record.name, address: addressOf(record, access) },
        ...{ key: keyOf(record, access), key_variable: record.server?.keyVariable ?? null },
        runs: isAskable(record, access) ? said !== null : null,
        to_install: providerFor(record).toInstall?.() ?? null,
        models: models.map((model) => factsOf(model, { table, said })),
      };
    }),
  );
  return { servers };
}

/** Where a server is asked, as far as that is known. */
function addressOf(record: ProviderRecord, access: Access): string | null {
  const { baseUrl, cloud } = accessGiven(anyModel(record), access);
  const own = cloudOf(record);
  return baseUrl ?? record.server?.address ?? own?.address(cloud.region ?? own.regionDefault) ?? null;
}

/** For what holds of any model of a server. */
function anyModel({ name }: ProviderRecord): ModelName {
  return { provider: name, model: '' };
}

/** The usual model, those with short names, and those that the person names. */
function namesOf({ name, aliases, defaultModel }: ProviderRecord, access: Access): string[] {
  const usual = defaultModel === null ? [] : [parseModelName(defaultModel, recordsWith(access)).model];
  return [...usual, ...Object.values(aliases), ...(access[name]?.models ?? [])];
}

function keyOf({ name, server }: ProviderRecord, access: Access): Server['key'] {
  const entry = access[name];
  if (entry?.key != null) return 'given';
  if (isPending(entry)) return 'by_command';
  if (server?.needsKey === 'by_sdk') return 'by_sdk';
  return server === null || server.needsKey === 'never' ? 'none_needed' : 'missing';
}

/** Whether a server is on the person's own machine, so that it can be asked without ado. */
function isAskable({ name, server }: ProviderRecord, access: Access): boolean {
  const address = access[name]?.base_url ?? server?.address ?? null;
  return address !== null && /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|\/|$)/.test(address);
}

async function saidOf(record: ProviderRecord, access: Access, signal: AbortSignal): Promise<Said | null> {
  const { name, server } = record;
  if (server === null || !isAskable(record, access)) return null;
  try {
    const { address, headers } = serverAccess(name, server, accessGiven(anyModel(record), access));
    const base = address.href.replace(/\/+$/, '').replace(/\/v1$/, '');
    const ended = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS_MAX)]);
    const response = await fetch(`${base}/v1/models`, { headers, signal: ended, redirect: 'error' });
    const text = await response.text();
    if (!response.ok || text.length > LIST_BYTES_MAX) return null;
    const { data } = ServerModels.parse(JSON.parse(text));
    return new Map(
      data.map((one) => [
        one.id,
        one.max_model_len ?? one.context_length ?? one.meta?.n_ctx ?? one.meta?.n_ctx_train ?? null,
      ]),
    );
  } catch {
    return null; // a list does without servers that do not answer
  }
}

function factsOf(model: ModelAtServer, { table, said }: { table: PriceTable; said: Said | null }) {
  const { record, stated } = model;
  const isNamed = (values: object): boolean => Object.hasOwn(values, model.model) || Object.hasOwn(values, '*');
  const known = table.window(model);
  const told = said?.get(model.model) ?? null;
  const priceOf = (part: 'input' | 'output'): number | null => {
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, [part]: PRICED_TOKENS };
    const cost = table.cost(model, usage, Date.now());
    return cost === null ? null : Math.round((cost * 1e12) / PRICED_TOKENS) / 1e6;
  };
  const [input, output] = [priceOf('input'), priceOf('output')];
  const priceFrom = isNamed(stated.prices) ? ('configuration' as const) : ('table' as const);
  return {
    model: `${record.name}/${model.model}`,
    short_names: Object.keys(record.aliases).filter((alias) => record.aliases[alias] === model.model),
    window: known ?? told,
    window_from: isNamed(stated.windows) ? ('configuration' as const) : sourceOf(known, told),
    price: input === null || output === null ? null : { input, output },
    price_from: input === null ? null : priceFrom,
    abilities: abilitiesOf(model),
  };
}

function sourceOf(known: number | null, told: number | null): 'table' | 'server' | null {
  if (known !== null) return 'table';
  return told === null ? null : 'server';
}
