import { noteGarbage } from '../../hub/base/memory/free_garbage.js';
import { cursorNumber, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { skeletonRow } from '../read/read_nodes.js';
import { DAMAGED } from '../store/damaged_row.js';
import { newestSeq } from '../store/newest_seq.js';
import { requireTree } from '../store/require_rows.js';
import { isAsListed } from '../store/row_sums.js';
import { dashed, HAS_META } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { searchableText } from './indexed_text.js';
import type { Range } from './terms.js';
import { finderOf, type TextFinder } from './text_finder.js';

/** How many candidates are read first; each batch without a hit doubles the next. */
const CANDIDATES = 200;
const CANDIDATES_MAX = 3_200;
/** How much text one slice searches; a single node may be larger. */
const SLICE_BYTES = 256 * 1024;
/** How often a text is there on the way: as JSON, parsed, in folded case. */
const COPIES = 3;

// CROSS JOIN keeps the order of the list and looks each node up by its number.
export const TEXTS_AT = `
  SELECT n.seq, n.tree, lower(hex(n.id)) AS id, n.role, n.tool, n.created_at_ms, n.external, n.blocks,
    lower(hex(t.id)) AS tree_id, t.name AS tree_name
  FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value CROSS JOIN trees t ON t.tree = n.tree
  WHERE t.importing = 0 AND (? IS NULL OR n.tree = ?) AND (? OR t.archived_at_ms IS NULL)
    AND (? IS NULL OR n.role = ?) AND ${HAS_META}`;
export const SIZES_AT = `
  SELECT n.seq, octet_length(n.blocks) + coalesce(octet_length(n.external), 0) AS bytes
  FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value WHERE ? IS NULL OR n.tree = ?`;
export const NEWEST_BEFORE = `SELECT n.seq FROM nodes n WHERE n.seq < ? ORDER BY n.seq DESC LIMIT ?`;
export const NEWEST_OF_BEFORE = `
  SELECT n.seq FROM nodes n WHERE n.tree = ? AND n.seq < ? ORDER BY n.seq DESC LIMIT ?`;

interface MatchCandidate {
  seq: number;
  tree: number;
  id: string;
  role: string;
  tool: string | null;
  created_at_ms: number;
  external: string | null;
  blocks: string;
  tree_id: string;
  tree_name: string | null;
}

interface Search {
  finder: TextFinder;
  role: string | null;
  /** The JSON of what a node must have; null for anything. */
  meta: string | null;
  tree: number | null;
  archived: boolean;
  limit: number;
  /** Nodes appended after the search began are ignored. */
  newest: number;
}

/** Finds hits with the index and checks each against the node itself. */
export function* searchNodes(context: ReadContext, params: ReadParams['loom.search']): Slices<string> {
  const { store } = context;
  const search: Search = {
    finder: finderOf(params),
    role: params.role,
    meta: params.meta === null ? null : JSON.stringify(params.meta),
    tree: params.tree === null ? null : requireTree(store, params.tree).tree,
    archived: params.archived,
    limit: params.limit,
    newest: newestSeq(store),
  };
  const before = cursorNumber(params.cursor, search.newest + 1);
  try {
    return yield* hitsBefore(context, search, before);
  } catch (error) {
    // The index is derived: rebuild it, once.
    if (!context.search.isDamaged()) throw error;
    context.search.reset();
    return yield* hitsBefore(context, search, before);
  }
}

function* hitsBefore(context: ReadContext, search: Search, first: number): Slices<string> {
  const hits: string[] = [];
  let before = first;
  let count = CANDIDATES;
  for (;;) {
    const seqs = yield* nextCandidates(context, search, { before, count });
    const countBefore = hits.length;
    for (const slice of slicesOf(context.store, search, seqs)) {
      // One more shows that there are more.
      const most = search.limit - hits.length + 1;
      for (const hit of yield* hitsAmong(context, search, { slice, most })) {
        if (hits.length === search.limit) return pageJson('hits', hits, before);
        hits.push(hit.json);
        before = hit.seq;
      }
      yield;
    }
    if (seqs.length < count) return pageJson('hits', hits, null);
    before = seqs.at(-1) ?? 0;
    // Each query of the index has a fixed cost, whatever the number of candidates.
    count = hits.length > countBefore ? CANDIDATES : Math.min(CANDIDATES_MAX, count * 2);
  }
}

/** Words that are too short for the index are searched in every node, newest first. */
function* nextCandidates(
  context: ReadContext,
  search: Search,
  { before, count }: { before: number; count: number },
): Slices<number[]> {
  const query = search.finder.indexQuery;
  if (query === null) return newestBefore(context.store, search.tree, { before, count });
  yield* context.search.catchUp(context.store, search.newest);
  return context.search.candidates(query, before, count);
}

function newestBefore(
  store: Store,
  tree: number | null,
  { before, count }: { before: number; count: number },
): number[] {
  const rows =
    tree === null
      ? store.all<{ seq: number }>(NEWEST_BEFORE, before, count)
      : store.all<{ seq: number }>(NEWEST_OF_BEFORE, tree, before, count);
  return rows.map((row) => row.seq);
}

/** The candidates in slices of bounded size. Their texts are not read yet: many searches wait between two slices. */
function* slicesOf(store: Store, search: Search, seqs: readonly number[]): Generator<number[], void> {
  const sizes = store.all<{ seq: number; bytes: number }>(SIZES_AT, JSON.stringify(seqs), search.tree, search.tree);
  let piece: number[] = [];
  let bytes = 0;
  for (const row of sizes) {
    piece.push(row.seq);
    bytes += row.bytes;
    if (bytes < SLICE_BYTES) continue;
    yield piece;
    piece = [];
    bytes = 0;
  }
  yield piece;
}

function readCandidates(store: Store, search: Search, seqs: readonly number[]): MatchCandidate[] {
  return store.all<MatchCandidate>(
    TEXTS_AT,
    JSON.stringify(seqs),
    search.tree,
    search.tree,
    search.archived ? 1 : 0,
    search.role,
    search.role,
    search.meta,
    search.meta,
  );
}

/** Whether its role and its tool are what was stored. */
function isListed(store: Store, seq: number): boolean {
  const row = skeletonRow(store, seq);
  return row !== undefined && isAsListed(row);
}

const DAMAGED_SNIPPET = { snippet: DAMAGED, matches: [] };

interface Hit {
  seq: number;
  json: string;
}

function* hitsAmong(
  context: ReadContext,
  search: Search,
  { slice, most }: { slice: readonly number[]; most: number },
): Slices<Hit[]> {
  const hits: Hit[] = [];
  const rows = readCandidates(context.store, search, slice);
  const length = rows.reduce((sum, { blocks }) => sum + blocks.length, 0);
  if (length > SLICE_BYTES) noteGarbage(length * COPIES);
  const texts = rows.map((row) => searchableText(row.blocks, row.external));
  const found = yield* search.finder.find(texts);
  for (const [at, row] of rows.entries()) {
    if (hits.length === most) break;
    const ranges = found[at] ?? null;
    const json = ranges === null ? null : yield* hitJson(context, search, { row, text: texts[at] ?? '', ranges });
    if (json !== null) hits.push({ seq: row.seq, json });
  }
  return hits;
}

interface Found {
  row: MatchCandidate;
  text: string;
  ranges: readonly Range[];
}

function* hitJson(context: ReadContext, search: Search, { row, text, ranges }: Found): Slices<string | null> {
  const isDamaged = context.sound.damagedAmong(context.store, [row.seq]).size > 0 || !isListed(context.store, row.seq);
  if (!search.archived && (yield* context.hidden.nodesOf(context.store, row.tree)).has(row.seq)) return null;
  const { snippet, matches } = isDamaged ? DAMAGED_SNIPPET : search.finder.snippet(text, ranges);
  return (
    `{"tree":"${dashed(row.tree_id)}","tree_name":${JSON.stringify(row.tree_name)},"node":"${dashed(row.id)}","seq":${row.seq},` +
    `"role":${JSON.stringify(row.role)},"tool":${JSON.stringify(row.tool)},"created_at_ms":${row.created_at_ms},` +
    `"snippet":${JSON.stringify(snippet)},"matches":${JSON.stringify(matches)}}`
  );
}
