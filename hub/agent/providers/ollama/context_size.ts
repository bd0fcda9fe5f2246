import type { ModelFacts } from './model_facts.js';

/** The share of the machine's memory that the cache of a context may take. */
const MEMORY_SHARE = 1 / 4;
const STEP = 4_096;
const LEAST = 8_192;
/** More is loaded only when a person says so: all of it is allocated at once. */
const MOST = 131_072;
/** Where the server is another machine, or does not tell what a token takes. */
const USUAL = 32_768;

export interface ContextLimits {
  /** What the person says. */
  stated: number | null;
  /** Of the server's machine; null when that is another one. */
  memoryBytes: number | null;
}

/**
 * The context that a model is asked to be loaded with: what the person says, else what its Modelfile says, else what its
 * cache has room for in a quarter of the memory, and no less than it is loaded with. Never more than the model can do.
 * Null leaves it to the server.
 */
export function contextSize(facts: ModelFacts, { stated, memoryBytes }: ContextLimits): number | null {
  const most = facts.contextMax ?? Number.POSITIVE_INFINITY;
  if (stated !== null) return Math.min(stated, most);
  if (facts.isElsewhere) return facts.contextMax;
  if (facts.contextSet !== null) return Math.min(facts.contextSet, most);
  return Math.min(Math.max(fitting(facts.tokenBytes, memoryBytes), facts.contextLoaded ?? 0), most);
}

function fitting(tokenBytes: number | null, memoryBytes: number | null): number {
  if (tokenBytes === null || memoryBytes === null) return USUAL;
  const tokens = (memoryBytes * MEMORY_SHARE) / tokenBytes;
  return Math.min(MOST, Math.max(LEAST, Math.floor(tokens / STEP) * STEP));
}
