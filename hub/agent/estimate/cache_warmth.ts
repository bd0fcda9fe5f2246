import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { providerRecord } from '../../base/provider_records.js';
import type { Node, NodeId, Sha256, TreeId } from '../../protocol/node.js';
import { formatModelName, type ModelAtServer } from '../model/model_names.js';
import { type CountedRequest, countedOf, newestRequests } from './counted_usage.js';
import { pathTokens } from './token_estimate.js';

/** How many of the newest requests are looked at, and how many nodes between them and the path. */
const REQUESTS_MAX = 20;
const NODES_MAX = 200;

/** How much of a path the provider's cache should still have. */
export interface Warmth {
  tokens: number;
  state: 'warm' | 'cold' | 'unknown';
  until_ms: number | null;
}

export interface WarmthQuestion {
  tree: TreeId;
  /** What is sent of the path. */
  path: readonly Node[];
  model: ModelAtServer;
  /** The settings that the next request is made with; null when no request was made with them. */
  settings: Sha256 | null;
  nowMs: number;
}

/** What the requests of a tree have left in the cache for a path: those on it, and those on branches that share its beginning. */
export async function warmthOf(reach: InternalCaller, question: WarmthQuestion): Promise<Warmth> {
  const { tree, path, model, settings, nowMs } = question;
  const { cache } = providerRecord(model.provider);
  if (cache === null) return { tokens: 0, state: 'unknown', until_ms: null };
  const places = placesOn(reach, path);
  let best: Warmth = { tokens: 0, state: 'cold', until_ms: null };
  let looked = 0;
  for await (const request of newestRequests(reach, tree)) {
    if (settings === null || request.started_at_ms + cache.lifetimeMs <= nowMs || looked === REQUESTS_MAX) break;
    if (!isCaching(request, model)) continue;
    looked += 1;
    const place = await places(request.parent);
    if (place === null || !(await isMadeWith(reach, request, { path, settings }))) continue;
    const tokens = place.isOn
      ? cachedBy(request)
      : await tokensUpTo(reach, { tree, path: path.slice(0, place.at + 1) });
    if (tokens < cache.tokensMin || tokens <= best.tokens) continue;
    best = { tokens, state: 'warm', until_ms: request.started_at_ms + cache.lifetimeMs };
  }
  return best;
}

function isCaching(request: CountedRequest, model: ModelAtServer): boolean {
  const name = formatModelName(model);
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
  const measure = await countedOf(reach, tree, path);
  return measure === null ? 0 : pathTokens(path, { measure, prefix: { system_prompt: '', tools: [] } });
}

/** Where the path of a node leaves another path: `isOn` when it does not. */
type Place = { at: number; isOn: boolean };

/** Finds where nodes stand to a path, by going up from them; what was gone over once is known. */
function placesOn(reach: InternalCaller, path: readonly Node[]): (node: NodeId) => Promise<Place | null> {
  const known = new Map<NodeId, Place | null>(path.map(({ id }, at) => [id, { at, isOn: true }]));
  let left = NODES_MAX;
  return async (node) => {
    const passed: NodeId[] = [];
    let at: NodeId | null = node;
    while (at !== null && !known.has(at) && left > 0) {
      left -= 1;
      passed.push(at);
      at = (await callHub(reach, 'loom.node_get', { node: at, tree: null })).node.parent;
    }
    const found = at === null ? null : (known.get(at) ?? null);
    const place = found === null || passed.length === 0 ? found : { at: found.at, isOn: false };
    for (const one of passed) known.set(one, place);
    return place;
  };
}

/** Whether a request had the same system prompt, tools and model: what its answer was made with. */
async function isMadeWith(
  reach: InternalCaller,
  { node }: CountedRequest,
  { path, settings }: { path: readonly Node[]; settings: Sha256 },
): Promise<boolean> {
  if (node === null) return false;
  const on = path.find(({ id }) => id === node);
  if (on !== undefined) return on.settings === settings;
  const found = await callHub(reach, 'loom.node_get', { node, tree: null }).catch((error: unknown) => {
    // An answer without anything in it is no node.
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  });
  return found?.node.settings === settings;
}
