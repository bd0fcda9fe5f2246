import { createHash } from 'node:crypto';

/** The tokens that one request read from the cache, wrote to it and paid in full. */
export interface Cached {
  read: number;
  write5m: number;
  write1h: number;
  input: number;
  /** The tokens that could have been read: the longest prefix sent before that had not expired. */
  repeatable: number;
}

export interface PromptCache {
  /** Every request so far. */
  served: Cached[];
  serve(body: Record<string, unknown>): Cached;
}

const LOOK_BACK_BLOCKS = 20;
const LIFETIMES_MS = { '5m': 300_000, '1h': 3_600_000 };
const BYTES_PER_TOKEN = 4;
const IMAGE_TOKENS = 1_600;

type Lifetime = keyof typeof LIFETIMES_MS;
interface Place {
  /** The digest of everything up to and including this block. */
  hash: string;
  /** The tokens up to and including this block. */
  tokens: number;
  mark: Lifetime | null;
}

/**
 * The cache as Anthropic describes it: entries are written only at marks, at most four, and none shorter than a least
 * length; a request reads the longest entry that stands at one of its marks or up to 20 blocks before one; an entry lives for its time since it
 * was last used, and an entry is used when a request that has a mark at it reads as far or farther.
 */
export function promptCache({ nowMs, tokensMin }: { nowMs(): number; tokensMin: number }): PromptCache {
  const kept: Kept = { entries: new Map(), sent: new Map() };
  const served: Cached[] = [];
  const serve = (body: Record<string, unknown>): Cached => {
    const cached = serveOne(kept, placesOf(body), { nowMs: nowMs(), tokensMin });
    served.push(cached);
    return cached;
  };
  return { served, serve };
}

interface Kept {
  entries: Map<string, { until: number; lifetime: Lifetime }>;
  /** The time until which a sent prefix could be read, had it been written. */
  sent: Map<string, number>;
}

function serveOne(kept: Kept, places: Place[], { nowMs, tokensMin }: { nowMs: number; tokensMin: number }): Cached {
  const hit = lastHit(places, (hash) => (kept.entries.get(hash)?.until ?? -1) > nowMs);
  let reached = places[hit]?.tokens ?? 0;
  const cached = { read: reached, write5m: 0, write1h: 0, input: 0, repeatable: repeatable(places, kept.sent, nowMs) };
  for (const [at, place] of places.entries()) {
    const isEntry = at === hit || (place.mark !== null && place.tokens >= tokensMin);
    if (!isEntry) continue;
    const lifetime = keep(kept, place, nowMs);
    if (at <= hit) continue;
    cached[lifetime === '1h' ? 'write1h' : 'write5m'] += place.tokens - reached;
    reached = place.tokens;
  }
  cached.input = (places.at(-1)?.tokens ?? 0) - reached;
  for (const { hash, tokens } of places) if (tokens >= tokensMin) kept.sent.set(hash, nowMs + LIFETIMES_MS['5m']);
  return cached;
}

/** Writes an entry, or extends its life. */
function keep({ entries }: Kept, { hash, mark }: Place, nowMs: number): Lifetime {
  const lifetime = mark ?? entries.get(hash)?.lifetime ?? '5m';
  entries.set(hash, { lifetime, until: nowMs + LIFETIMES_MS[lifetime] });
  return lifetime;
}

/** The farthest entry that can be found from a mark; -1 for none. */
function lastHit(places: Place[], isLive: (hash: string) => boolean): number {
  let best = -1;
  for (const [at, { mark }] of places.entries()) {
    if (mark === null) continue;
    for (let back = at; back > at - LOOK_BACK_BLOCKS && back > best; back -= 1) {
      if (isLive(places[back]?.hash ?? '')) best = Math.max(best, back);
    }
  }
  return best;
}

function repeatable(places: Place[], sent: Map<string, number>, now: number): number {
  return places.findLast(({ hash }) => (sent.get(hash) ?? -1) > now)?.tokens ?? 0;
}

/** All blocks of a request in the order in which they are read: tools, system prompt, messages. */
function placesOf(body: Record<string, unknown>): Place[] {
  let hash = `${String(body.model)} ${String(body.prompt_cache_key ?? '')}`;
  let tokens = 0;
  const place = (block: unknown, about: string): Place => {
    const { cache_control: mark, ...content } = objectOf(block);
    const bytes = JSON.stringify(content);
    hash = createHash('sha256').update(`${hash}\n${about}\n${bytes}`).digest('hex');
    tokens += content.type === 'image' ? IMAGE_TOKENS : Math.ceil(bytes.length / BYTES_PER_TOKEN);
    return { hash, tokens, mark: mark === undefined ? null : lifetimeOf(mark) };
  };
  if (body.input !== undefined) {
    // OpenAI caches by itself, for requests with the same key.
    const all = [{ tools: body.tools, instructions: body.instructions }, ...listOf(body.input)];
    return all.map((item) => ({ ...place(item, 'item'), mark: '5m' as const }));
  }
  if (body.contents !== undefined) {
    // So does Google.
    const all = [{ tools: body.tools, prompt: body.systemInstruction }, ...listOf(body.contents)];
    return all.map((content) => ({ ...place(content, 'content'), mark: '5m' as const }));
  }
  const tools = listOf(body.tools).map((tool) => place(tool, 'tool'));
  const system = listOf(body.system).map((block) => place(block, 'system'));
  // Other thinking makes other entries of the messages, but not of what stands before them.
  const thinking = JSON.stringify(body.thinking ?? null);
  const messages = listOf(body.messages).flatMap((message) => {
    const { role, content } = objectOf(message);
    return listOf(content).map((block) => place(block, `${thinking} ${String(role)}`));
  });
  return [...tools, ...system, ...messages];
}

function lifetimeOf(mark: unknown): Lifetime {
  return objectOf(mark).ttl === '1h' ? '1h' : '5m';
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
