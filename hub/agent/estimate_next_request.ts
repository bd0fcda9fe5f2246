import { callHub, type InternalCaller } from '../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { Settings } from '../protocol/node.js';
import type { AgentParts } from './agent_parts.js';
import { type CacheWarmth, cacheWarmth } from './estimate/cache_warmth.js';
import { newestMeasure } from './estimate/counted_usage.js';
import { pathTokens } from './estimate/token_estimate.js';
import { recordsWith } from './model/caller_servers.js';
import { formatModelName, type ModelAtServer, parseModelName } from './model/model_names.js';
import { windowOf } from './model/model_window.js';
import { outputTokensMax } from './model/output_limit.js';
import { loadPriceTable } from './model/price_table.js';
import { accessGiven, modelAt, modelByKeys } from './model/provider_access.js';
import { type CacheLifetime, cacheLifetime } from './request/cache_lifetime.js';
import { sentNodes, settingsOf } from './request/model_context.js';
import { microdollars } from './request/spending.js';
import { firstSettings, levelOf, thinkingOf } from './settings/settings.js';
import { systemPromptFor } from './settings/system_prompts.js';
import { definitionsFor } from './tools/tool_definitions.js';
import { modelTarget } from './turn/turn_model.js';

type Params = ParsedOf<'agent.estimate'>;
type Estimate = ResultOf<'agent.estimate'>;

/** Estimates the next request below a node: its size, how much of it is cached, and the price of its input. */
export async function estimatePath(
  reach: InternalCaller,
  params: Params,
  parts: Pick<AgentParts, 'providerFor' | 'timers' | 'hasOthers'>,
): Promise<Estimate> {
  const nowMs = parts.timers.nowMs();
  const { node: found, step_end } = await callHub(reach, 'loom.node_get', { node: params.node, tree: null });
  const { tree } = found;
  const sent = await sentNodes(reach, step_end);
  const { current } = await settingsOf(reach, sent);
  const previous = current ?? (await firstSettings(reach, tree));
  const measure = await newestMeasure(reach, tree, sent.nodes);
  const tokens = pathTokens(sent.nodes, { measure, prefix: previous ?? firstPrefix(params, parts.hasOthers()) });
  const model = modelToAsk(params, previous);
  if (model === null) return { ...NOTHING_KNOWN, tokens };
  const settings = isUnchanged(params, previous, model) ? sent.newest : null;
  const cached = await cacheWarmth(reach, { tree, path: sent.nodes, model, settings, nowMs });
  return {
    ...{ model: formatModelName(model), tokens, window: await windowHere(reach, { model, params, parts }) },
    ...{ output_max: outputTokensMax(model, previous === null ? 'auto' : thinkingOf(previous)), cached },
    price_microdollars: await inputPrice({
      model,
      tokens,
      cached,
      nowMs,
      lifetime: cacheLifetime(sent.nodes, params.cache),
    }),
  };
}

interface WindowQuestion {
  model: ModelAtServer;
  params: Params;
  parts: Pick<AgentParts, 'providerFor'>;
}

/** The window of a model; an estimate does without its key. */
function windowHere({ context }: InternalCaller, { model, params, parts }: WindowQuestion): Promise<number | null> {
  const access = accessGiven(model, params.access);
  return windowOf(modelTarget(parts, { model, access }, params), context.signal);
}

const NOTHING_KNOWN = {
  ...{ model: null, window: null, output_max: null, price_microdollars: null },
  cached: { tokens: 0, state: 'unknown' as const, until_ms: null },
};

/** The beginning of a first request, without the instructions of the project. */
function firstPrefix({ change }: Params, others: boolean) {
  const level = change?.level ?? levelOf(null);
  return { system_prompt: systemPromptFor(level), tools: definitionsFor(level, { web: change?.web === true, others }) };
}

/** The model of the next request; an estimate needs no key. */
function modelToAsk({ change, usual_model, access }: Params, previous: Settings | null): ModelAtServer | null {
  const records = recordsWith(access);
  const named = change?.model ?? previous?.model ?? usual_model ?? modelByKeys(access, records);
  return named === null ? null : modelAt(parseModelName(named, records), access);
}

/** Whether everything before the messages stays as it is. */
function isUnchanged({ change }: Params, previous: Settings | null, model: ModelAtServer): boolean {
  if (previous === null || previous.model !== formatModelName(model)) return false;
  if (change === null) return true;
  const { model: _, level, thinking, reload, ...others } = change;
  const isSame = (level ?? previous.level) === previous.level && (thinking ?? previous.thinking) === previous.thinking;
  return isSame && !reload && Object.values(others).every((one) => one === null);
}

interface InputPrice {
  model: ModelAtServer;
  tokens: number;
  cached: CacheWarmth;
  nowMs: number;
  /** How long what is written to the cache is to be kept. */
  lifetime: CacheLifetime;
}

/** The price of the input. Where prefixes are cached on request, what is not in the cache yet is written to it. */
async function inputPrice({ model, tokens, cached, nowMs, lifetime }: InputPrice): Promise<number | null> {
  const read = Math.min(tokens, cached.tokens);
  const rest = tokens - read;
  const written = cached.state === 'unknown' ? 0 : rest;
  const usage = {
    ...{ input: rest - written, output: 0, cacheRead: read },
    ...{ cacheWrite5m: lifetime === '5m' ? written : 0, cacheWrite1h: lifetime === '1h' ? written : 0 },
  };
  return microdollars((await loadPriceTable()).cost(model, usage, nowMs));
}
