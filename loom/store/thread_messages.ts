import type { WorkerError } from './worker_error.js';

/** One call to a storage thread. */
export interface WorkerCall {
  id: number;
  op: string;
  params: unknown;
  /** The hub's clock when the call arrived. */
  atMs: number;
}

/** The longest text of a call that shares its commit with others. */
export const LARGE_LENGTH = 256 * 1024;

/** A call for the writing thread. */
export interface PostedCall extends WorkerCall {
  /** The length of its texts. */
  length: number;
}

/** The answer to one call: the result as JSON text, ready to be spliced into a response. */
export type WorkerReply = { id: number; json: string } | { id: number; error: WorkerError };

/** A longer result, which crosses to the main thread as bytes of UTF-8: these are passed on, not copied. */
export interface LongReply {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** One event of the feed: its JSON is what a watch sends. */
export interface FeedEntry {
  seq: number;
  /** The id of the tree it belongs to. */
  tree: string;
  json: string;
}

/** The same as the writing thread tells of it: without the JSON of a large one, which watchers read from the disk. */
export type PublishedEntry = Omit<FeedEntry, 'json'> & { json: string | null };

/** The start options of the writing thread. */
export interface WriterOptions {
  database: string;
  outputs: string;
  logs: string;
  searchIndex: string;
  /** The hub's clock at the start. */
  atMs: number;
  /** The epoch of a database that is created now; watchers of another epoch must begin again. */
  newEpoch: string;
}

/** A message from the writing thread: once the outcome of its start, then that of each commit. */
export type WriterMessage =
  | { started: { epoch: string; lastSeq: number } }
  | { failed: WorkerError }
  | { replies: (WorkerReply | LongReply)[]; feed: PublishedEntry[]; readOnly: boolean };
