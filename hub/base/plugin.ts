import type { MethodName, ParsedOf, ResultOf } from '../protocol/methods/method_table.js';
import type { Handle, Output } from '../protocol/node.js';

/**
 * A result that is JSON text already. Storage builds rows as text, and the server splices them into the
 * response: parsing and printing them again would cost more than reading them.
 */
export class RawJson {
  /** The text, or for a long one its bytes in UTF-8, which go to the caller as they are. */
  readonly content: string | Uint8Array;
  constructor(content: string | Uint8Array) {
    this.content = content;
  }
  get text(): string {
    const { content } = this;
    if (typeof content === 'string') return content;
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8');
  }
}

/** The caller: a connection by its number, or a part of the hub itself. */
export type Caller = { kind: 'client'; connection: number } | { kind: 'internal' };

/** The context of a call, for its handler. */
export interface CallContext {
  /** Aborted when the call is cancelled, or when its caller goes away and the method says `cancel`. */
  signal: AbortSignal;
  caller: Caller;
  /** Sends an event on the caller's stream; it is dropped when the call has none. */
  emit(event: object | RawJson): void;
  /** False while the caller is behind with reading. */
  hasRoom(): boolean;
  /** Resolves when the emitted events have been sent, so that a slow reader slows only its own call. */
  drained(): Promise<void>;
}

export type Handler<M extends MethodName> = (
  params: ParsedOf<M>,
  context: CallContext,
) => Promise<ResultOf<M> | RawJson>;

export type Handlers = { [M in MethodName]?: Handler<M> };

/** What was appended to a tree; the JSON of a large entry is left out. */
export interface Appended {
  tree: string;
  json: string | null;
}

/** The request to resolve a handle. */
export interface Resolving {
  handle: Handle;
  /** The output stored when its node was created; null for none. */
  output: Output | null;
  /** Whether to read the source again instead of what was stored. */
  fresh: boolean;
  /** The most bytes of text: longer content is cut to its head and tail. */
  bytes_max: number;
}

/** The content of a resolved handle. */
export interface Resolved {
  /** As text for a reader. */
  text: string;
  /** Bytes of the whole, and how many of them are missing in the middle of the text. */
  total_bytes: number;
  left_out_bytes: number;
  /** How it differs from what the node recorded; null when it does not or was not checked. */
  changed: string | null;
}

/** Writes one line to the hub's log: what happened, never the content of a conversation. */
export type Log = (level: 'info' | 'warn' | 'error', message: string) => void;

/** One part of the hub: handlers for the methods with its name, and the resolution of its handles. */
export interface Plugin {
  name: string;
  version: string;
  methods: Handlers;
  /** For fresh content, and for content that was not stored; stored content needs no plugin. */
  resolve?(wanted: Resolving, context: CallContext): Promise<Resolved>;
  /** Stops its work; called once, after the last call was answered. */
  close?(): Promise<void>;
}

/** How plugins call each other. */
export interface HubCalls {
  call<M extends MethodName>(method: M, params: ParsedOf<M>, context: CallContext): Promise<ResultOf<M> | RawJson>;
}

/** How the hub's own parts resolve a handle. */
export interface HubResolve {
  /** Null when no plugin knows the handle's source. */
  resolve(wanted: Resolving, context: CallContext): Promise<Resolved> | null;
}
