import type { MethodName, ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { Handle, Output } from '../protocol/node.js';

/**
 * A result that is JSON text already. Storage builds rows as text, and the server splices them into the
 * response: parsing and printing them again would cost more than reading them.
 */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Who asks: a connection by its number, or the hub's own parts. */
export type Caller = { kind: 'client'; connection: number } | { kind: 'internal' };

/** What a handler knows of the call it serves. */
export interface CallContext {
  /** Aborted when the call is cancelled, or when its caller goes away and the method says `cancel`. */
  signal: AbortSignal;
  caller: Caller;
  /** Sends an event on the caller's stream; it is dropped when the call has none. */
  emit(event: object | RawJson): void;
  /** False while the caller is behind with reading. */
  hasRoom(): boolean;
  /** Resolves when what was emitted has left the hub, so that a slow reader slows its own call only. */
  drained(): Promise<void>;
}

export type Handler<M extends MethodName> = (
  params: ParsedOf<M>,
  context: CallContext,
) => Promise<ResultOf<M> | RawJson>;

export type Handlers = { [M in MethodName]?: Handler<M> };

/** A handle whose content somebody wants. */
export interface Resolving {
  handle: Handle;
  /** What was stored of it when its node was made; null for nothing. */
  output: Output | null;
  /** Whether to look again instead of telling what was seen then. */
  fresh: boolean;
  /** The most bytes of text that are wanted: head and tail of what is longer. */
  bytes_max: number;
}

/** What a handle became. */
export interface Resolved {
  /** As a reader sees it. */
  text: string;
  /** Bytes of the whole, and how many of them are missing in the middle of the text. */
  total_bytes: number;
  left_out_bytes: number;
  /** What differs from what the node recorded; null when nothing does or nobody looked. */
  changed: string | null;
}

/** Writes one line to the hub's log: what happened, never what was said. */
export type Log = (level: 'info' | 'warn' | 'error', message: string) => void;

/** One part of the hub: handlers for the methods of its name, and what its handles stand for. */
export interface Plugin {
  name: string;
  version: string;
  methods: Handlers;
  /** For a fresh look, and for what was stored nowhere; what was stored needs no plugin. */
  resolve?(wanted: Resolving, context: CallContext): Promise<Resolved>;
  /** Ends what it runs; called once, after the last call was answered. */
  close?(): Promise<void>;
}

/** What plugins reach each other through. */
export interface HubCalls {
  call<M extends MethodName>(method: M, params: ParsedOf<M>, context: CallContext): Promise<ResultOf<M> | RawJson>;
}

/** How the hub's own parts resolve a handle. */
export interface HubResolve {
  /** Null when no plugin knows the handle's source. */
  resolve(wanted: Resolving, context: CallContext): Promise<Resolved> | null;
}
