import type { ErrorData } from '../../hub/protocol/errors.js';

/** One call to a storage thread. */
export interface WorkerCall {
  id: number;
  op: string;
  params: unknown;
  /** The hub's clock when the call arrived. */
  atMs: number;
}

/** An error as it crosses the thread boundary. */
export type WorkerError = ErrorData & { message: string };

/** The answer to one call: the result as JSON text, ready to be spliced into a response. */
export type WorkerReply = { id: number; json: string } | { id: number; error: WorkerError };

/** One event of the feed: its JSON is what a watch sends. */
export interface FeedEntry {
  seq: number;
  /** The id of the tree it belongs to. */
  tree: string;
  json: string;
}

/** What the writing thread is started with. */
export interface WriterOptions {
  database: string;
  outputs: string;
  /** The hub's clock at the start. */
  atMs: number;
  /** Names a database that is made now; another name means that its numbers mean nothing to old watchers. */
  newEpoch: string;
}

/** What the writing thread says: once how its start went, then the outcome of each commit. */
export type WriterMessage =
  | { started: { epoch: string; lastSeq: number } }
  | { failed: WorkerError }
  | { replies: WorkerReply[]; feed: FeedEntry[]; readOnly: boolean };
