import type { z } from 'zod';

/**
 * One remote call. Types, validation, tool schemas, docs/protocol.md and `rpc.discover` all come from it.
 */
export interface MethodSpec {
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

type Stated<P, R> = { params: P; result: R; description: string } & Partial<MethodSpec>;

/** Fills in what most methods share: for clients, not for models, not streaming, finished when the caller goes. */
export function method<P extends z.ZodType, R extends z.ZodType, S extends Stated<P, R>>(
  stated: S & Stated<P, R>,
): Omit<MethodSpec, keyof S> & S {
  return { event: null, forModels: false, access: 'client', callerGone: 'finish', host: 'hub', ...stated };
}
