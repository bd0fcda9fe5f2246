import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Node, NodeId, Sha256, TreeId } from '../../protocol/node.js';
import { formatModelName, type ModelAtServer } from '../model/model_names.js';
import { CACHE_LIFETIMES_MS } from '../request/cache_lifetime.js';
import { type CountedRequest, newestMeasure, newestRequests } from './counted_usage.js';
import { pathTokens } from './token_estimate.js';

/** The most of the newest requests that are examined, and the most nodes between them and the path. */
const REQUESTS_MAX = 20;
const NODES_MAX = 200;
const LONGEST_MS = Math.max(...Object.values(CACHE_LIFETIMES_MS));

/** How much of a path the provider's cache should still hold. */
export interface CacheWarmth {
  tokens: number;
  state: 'warm' | 'cold' | 'unknown';
  until_ms: number | null;
}

export interface WarmthParams {
  tree: TreeId;
  /** The sent part of the path. */
  path: readonly Node[];
  model: ModelAtServer;
  /** The settings of the next request; null when no request was made with them. */
  settings: Sha256 | null;
  nowMs: number;
}

/** What earlier requests left in the cache for a path: those on it, and those on branches that share its beginning. */
export async function cacheWarmth(reach: InternalCaller, params: WarmthParams): Promise<CacheWarmth> {
  const { tree, path, model, settings, nowMs } = params;
  const { cache } = model.record;
  if (cache === null) return { tokens: 0, state: 'unknown', until_ms: null };
  const positionOf = positionsOn(reach, path);
  let best: CacheWarmth = { tokens: 0, state: 'cold', until_ms: null };
  let examined = 0;
  for await (const request of newestRequests(reach, tree)) {
    if (settings === null || request.started_at_ms + LONGEST_MS <= nowMs || examined === REQUESTS_MAX) break;
    if (!isCaching(request, { model, nowMs })) continue;
    examined += 1;
    const position = await positionOf(request.parent);
    if (position === null || !(await hasSettings(reach, request, { path, settings }))) continue;
    const tokens = position.isOnPath
      ? cachedBy(request)
      : await tokensUpTo(reach, { tree, path: path.slice(0, position.index + 1) });
    if (tokens < cache.tokensMin || tokens <= best.tokens) continue;
    best = { tokens, state: 'warm', until_ms: keptUntilMs(request) };
  }
  return best;
}

/** What only read from the cache lets that live on for no less than this. */
function keptUntilMs({ started_at_ms, usage }: CountedRequest): number {
  return started_at_ms + CACHE_LIFETIMES_MS[(usage?.tokens_cache_write_1h ?? 0) > 0 ? '1h' : '5m'];
}

function isCaching(request: CountedRequest, { model, nowMs }: Pick<WarmthParams, 'model' | 'nowMs'>): boolean {
  const name = formatModelName(model);
  if (keptUntilMs(request) <= nowMs) return false;
  return request.outcome === 'ok' && `${request.provider}/${request.model}` === name && cachedBy(request) > 0;
}

function cachedBy({ usage }: CountedRequest): number {
  if (usage === null) return 0;
  return usage.tokens_cache_read + usage.tokens_cache_write_5m + usage.tokens_cache_write_1h;
}

async function tokensUpTo(
  reach: InternalCaller,
  { tree, path }: { tree: TreeId; path: readonly Node[] },
): Promise<number> {
  const measure = await newestMeasure(reach, tree, path);
  return measure === null ? 0 : pathTokens(path, { measure, prefix: { system_prompt: '', tools: [] } });
}

/** The last node that a node shares with another path; `isOnPath` when that is the node itself. */
type PathPosition = { index: number; isOnPath: boolean };

/** Finds where nodes branch off a path, by walking up from them. Each node is walked over only once. */
function positionsOn(reach: InternalCaller, path: readonly Node[]): (node: NodeId) => Promise<PathPosition | null> {
  // What a summary keeps was sent behind another beginning.
  const since = path.find(({ role }) => role === 'summary')?.seq ?? 0;
  const known = new Map<NodeId, PathPosition | null>(
    path.map(({ id, seq }, index) => [id, seq < since ? null : { index, isOnPath: true }]),
  );
  let remaining = NODES_MAX;
  return async (node) => {
    const passed: NodeId[] = [];
    let at: NodeId | null = node;
    while (at !== null && !known.has(at) && remaining > 0) {
      remaining -= 1;
      passed.push(at);
      at = (await callHub(reach, 'loom.node_get', { node: at, tree: null })).node.parent;
    }
    const reached = at === null ? null : (known.get(at) ?? null);
    const position = reached === null || passed.length === 0 ? reached : { index: reached.index, isOnPath: false };
    for (const one of passed) known.set(one, position);
    return position;
  };
}

/** Whether a request had these settings: the same system prompt, tools and model. */
async function hasSettings(
  reach: InternalCaller,
  { node }: CountedRequest,
  { path, settings }: { path: readonly Node[]; settings: Sha256 },
): Promise<boolean> {
  if (node === null) return false;
  const on = path.find(({ id }) => id === node);
  if (on !== undefined) return on.settings === settings;
  const found = await callHub(reach, 'loom.node_get', { node, tree: null }).catch((error: unknown) => {
    // An empty answer is no node.
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  });
  return found?.node.settings === settings;
}
