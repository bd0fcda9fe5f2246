import type { Node } from '../../protocol/node.js';
import type { CacheChoice } from '../../protocol/turn.js';

/** How long a prefix cache keeps what it was told to keep, since the last use. */
export const CACHE_LIFETIMES_MS = { '5m': 300_000, '1h': 3_600_000 } as const;
export type CacheLifetime = keyof typeof CACHE_LIFETIMES_MS;

/** The pauses that are looked back on, and the share of them from which the dearer hour pays for itself. */
const RECENT = 8;
const SHARE = 1 / 4;

/**
 * How long the cache is to keep a path. By itself that follows from how long its person pauses before a message: an hour where
 * pauses outlast five minutes, but not the hour, often enough. It changes only behind a pause in which a cache of five minutes
 * was lost anyway.
 */
export function cacheLifetime(path: readonly Node[], choice: CacheChoice): CacheLifetime {
  if (choice !== 'auto') return choice;
  let lifetime: CacheLifetime = '5m';
  const pauses: number[] = [];
  for (const [index, { role, created_at_ms }] of path.entries()) {
    const before = path[index - 1];
    if (role !== 'user' || before === undefined) continue;
    const pauseMs = created_at_ms - before.created_at_ms;
    pauses.push(pauseMs);
    if (pauseMs > CACHE_LIFETIMES_MS['5m']) lifetime = lifetimeFor(pauses.slice(-RECENT));
  }
  return lifetime;
}

function lifetimeFor(pauses: readonly number[]): CacheLifetime {
  const saved = pauses.filter((ms) => ms > CACHE_LIFETIMES_MS['5m'] && ms <= CACHE_LIFETIMES_MS['1h']);
  return saved.length / pauses.length >= SHARE ? '1h' : '5m';
}
