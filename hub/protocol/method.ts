import type { z } from 'zod';
import { CALL_FACTS, type CallFacts } from './call_facts.js';

/**
 * One remote call. Types, validation, tool schemas, docs/protocol.md and `rpc.discover` all come from it.
 */
export interface MethodSpec extends CallFacts {
  params: z.ZodType;
  result: z.ZodType;
  /** What arrives on the caller's stream while the call runs; null for a call that does not stream. */
  event: z.ZodType | null;
  /** One sentence. */
  description: string;
  /** Whether a model may be given this method as a tool. */
  forModels: boolean;
  /** `internal` methods are for the hub's own plugins and refused to every connection. */
  access: 'client' | 'internal';
  /** What becomes of a running call when its caller goes away. */
  callerGone: 'cancel' | 'finish';
  /** Where it is served: in the hub itself, or in the process of the tools. */
  host: 'hub' | 'tools';
}

const FACTS = new Map<string, CallFacts>(Object.entries(CALL_FACTS));
const USUAL = { event: null, forModels: false, access: 'client', callerGone: 'finish', host: 'hub' } as const;

type Stated = Pick<MethodSpec, 'params' | 'result' | 'description'> &
  Partial<Omit<MethodSpec, keyof CallFacts>> & { [K in keyof CallFacts]?: never };

type Filled<T> = { [M in keyof T]: Omit<MethodSpec, keyof T[M]> & T[M] };

/**
 * Fills in the facts of each method, and what most of them share: for clients, not for models, not streaming, finished when the
 * caller goes.
 */
export function methods<T extends { [M in keyof T]: M extends keyof typeof CALL_FACTS ? Stated : never }>(
  stated: T,
): Filled<T> {
  const filled = Object.entries<Stated>(stated).map(([name, spec]) => [
    name,
    { ...USUAL, ...FACTS.get(name), ...spec },
  ]);
  return Object.fromEntries(filled) as Filled<T>; // the same keys, each with what is missing
}
