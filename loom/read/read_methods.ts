import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { FeedEntry, LongReply, WorkerReply } from '../store/thread_messages.js';

/** The methods that the reading thread answers. */
export const READ_METHODS = [
  'loom.tree_get',
  'loom.tree_find',
  'loom.tree_get_skeleton',
  'loom.tree_get_shape',
  'loom.tree_get_near',
  'loom.tree_get_lines',
  'loom.tree_list',
  'loom.mark_list',
  'loom.tree_export',
  'loom.node_get',
  'loom.node_get_many',
  'loom.node_read_children',
  'loom.node_find',
  'loom.node_get_children',
  'loom.context_get_path',
  'loom.context_list_leaves',
  'loom.context_get_handles',
  'loom.context_get_place',
  'loom.context_get_settings',
  'loom.settings_get',
  'loom.search',
  'loom.fsck',
  'loom.turn_list',
  'loom.turn_get',
  'loom.turn_list_waiting',
  'loom.input_list',
  'loom.request_list',
  'loom.cost_shape',
  'loom.cost_get',
  'loom.snapshot_find',
  'loom.snapshot_list',
  'loom.snapshot_roots',
  'loom.snapshot_folders',
  'loom.copy_list',
  'loom.share_list',
  'loom.share_read',
  'loom.share_files_read',
  'loom.share_check',
] as const;
export type ReadMethod = (typeof READ_METHODS)[number];

/** The part of the feed with `since < seq <= until`, of one tree or of all (null). */
export interface FeedParams {
  tree: string | null;
  since: number;
  until: number;
  limit: number;
}

/** The next page begins after `seq`. */
export interface FeedPage {
  events: FeedEntry[];
  seq: number;
}

/** The operations of the reading thread: the methods, and the feed for watchers. */
export type ReadParams = { [M in ReadMethod]: ParsedOf<M> } & { feed: FeedParams };
export type ReadOpName = keyof ReadParams;

/** One call to the reading thread, for a caller by its connection. */
export type ReadRequest<O extends ReadOpName = ReadOpName> = {
  [K in O]: { id: number; caller: number; op: K; params: ReadParams[K] };
}[O];

/** `forget` clears the caches of nodes, which only a purge invalidates. */
export type ReaderMessage = ReadRequest | { cancel: number } | { forget: true };

/** What the reading thread is started with. */
export interface ReaderOptions {
  database: string;
  searchIndex: string;
  outputs: string;
  /** Whether it serves only what takes long. */
  isForChecks: boolean;
}

/** The answer to one call; events of the feed come separately, since each is sent by itself. */
export type ReaderReply = WorkerReply | LongReply | { id: number; feed: FeedPage };
