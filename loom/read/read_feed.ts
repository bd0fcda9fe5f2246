import type { ReadContext } from '../paging/read_context.js';
import { PAGE_BYTES_MAX, SLICE_ROWS, type Slices } from '../paging/slices.js';
import { damagedNodeJson } from '../store/damaged_row.js';
import { hashMatches } from '../store/node_hash.js';
import { withTrueDepth } from '../store/require_rows.js';
import { type ChangeRow, isChangeAsTold } from '../store/row_sums.js';
import { dashed, idBlob, NODE_COLUMNS, type NodeRow, nodeJson } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { FeedEntry } from '../store/thread_messages.js';
import { endOfSlice, rowsWithin } from './node_rows.js';
import type { FeedPage, FeedParams } from './read_methods.js';

// Includes the nodes of an unfinished import, as live watchers get them: a reader who continues from here would never see
// them otherwise.
export const FEED_NODES = `SELECT ${NODE_COLUMNS}, n.parent FROM nodes n WHERE n.seq > ? AND n.seq <= ? ORDER BY n.seq`;
export const FEED_NODES_OF_TREE = `SELECT ${NODE_COLUMNS}, n.parent FROM nodes n
  WHERE n.tree = ? AND n.seq > ? AND n.seq <= ? ORDER BY n.seq`;
const FEED_CHANGES = `SELECT seq, lower(hex(tree_id)) AS tree_id, body, row_sum FROM changes
  WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${SLICE_ROWS}`;

/** The tree that a watch follows, by row and by id; null for all. */
type Followed = { tree: number; id: string } | null;

/** Nodes and changes in the order of the feed, from after `since` to the end of the page. */
export function* readFeed({ store }: ReadContext, params: FeedParams): Slices<FeedPage> {
  const followed = followedTree(store, params.tree);
  const events: FeedEntry[] = [];
  let seq = params.since;
  let bytes = 0;
  while (seq < params.until && events.length < params.limit && bytes < PAGE_BYTES_MAX) {
    const slice = readSlice(store, followed, {
      after: seq,
      to: params.until,
      bytesMax: PAGE_BYTES_MAX - bytes,
    });
    const taken = slice.events.slice(0, params.limit - events.length);
    for (const event of taken) {
      events.push(event);
      bytes += event.json.length;
    }
    seq = taken.length < slice.events.length ? (taken.at(-1)?.seq ?? seq) : slice.end;
    yield;
  }
  return { events, seq };
}

/** A purged tree has no row any more, but its purge is in the feed. */
function followedTree(store: Store, id: string | null): Followed {
  if (id === null) return null;
  const row = store.get<{ tree: number }>('SELECT tree FROM trees WHERE id = ?', idBlob(id));
  return { tree: row?.tree ?? 0, id };
}

function readSlice(
  store: Store,
  followed: Followed,
  { after, to, bytesMax }: { after: number; to: number; bytesMax: number },
): { events: FeedEntry[]; end: number } {
  const tree = followed?.tree ?? null;
  const nodesEnd = endOfSlice(store, { tree, after, to }, bytesMax);
  const changes = store.all<ChangeRow>(FEED_CHANGES, after, nodesEnd);
  const end = changes.length < SLICE_ROWS ? nodesEnd : (changes.at(-1)?.seq ?? nodesEnd);
  const sql = { all: FEED_NODES, ofTree: FEED_NODES_OF_TREE };
  const rows = rowsWithin<FeedRow>(store, { tree, after, to: end }, sql);
  const events = rows.map((row) => nodeEvent(withTrueDepth(store, row)));
  for (const row of changes) {
    const entry = { seq: row.seq, tree: dashed(row.tree_id), json: changeJson(row) };
    // A damaged one is left out: what it told of is read from the rows that it changed.
    const isTold = isChangeAsTold(row) && (followed === null || followed.id === entry.tree);
    if (isTold) events.push(entry);
  }
  return { events: events.sort((left, right) => left.seq - right.seq), end };
}

type FeedRow = NodeRow & { parent: number | null };

function nodeEvent(row: FeedRow): FeedEntry {
  // Rows that were found by an index are checked each time: what is taken from the index is not in the row.
  const node = hashMatches(row) ? nodeJson(row) : damagedNodeJson(row);
  const json = `{"kind":"node_created","seq":${row.seq},"parent_seq":${row.parent},"node":${node}}`;
  return { seq: row.seq, tree: dashed(row.tree_id), json };
}

/** The stored body is the event without its number. */
function changeJson(row: { seq: number; body: string }): string {
  return row.body.replace(/^\{"kind":"[a-z_]+"/u, (kind) => `${kind},"seq":${row.seq}`);
}
