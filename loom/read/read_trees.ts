import { HubError } from '../../hub/base/error.js';
import { cursorNumber, limitedPageJson, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { checkedMarkJson, checkedTreeJson } from '../store/damaged_row.js';
import { requireTree } from '../store/require_rows.js';
import { isTreeAsWritten } from '../store/row_sums.js';
import { HAS_META, idBlob, MARK_COLUMNS, type MarkRow, TREE_COLUMNS, type TreeRow } from '../store/rows.js';
import { checkedSettings } from '../store/settings_row.js';
import type { ReadParams } from './read_methods.js';

export function getTree(context: ReadContext, params: ReadParams['loom.tree_get']): string {
  return checkedTreeJson(requireTree(context.store, params.tree));
}

/** Newest activity first: `last_seq` orders it, and no two trees have the same. */
export function* listTrees(context: ReadContext, params: ReadParams['loom.tree_list']): Slices<string> {
  const trees: TreeRow[] = [];
  let before: number | null = cursorNumber(params.cursor, Number.MAX_SAFE_INTEGER);
  while (before !== null && trees.length < params.limit) {
    const slice: ListedRow[] = treesBefore(context, params, before);
    trees.push(...slice.filter((tree) => isListed(tree, params) && hasMeta(context, tree, params)));
    before = slice.length < SLICE_ROWS ? null : (slice.at(-1)?.last_seq ?? null);
    yield;
  }
  const page = trees.slice(0, params.limit);
  const hasMore = before !== null || trees.length > page.length;
  const last = page.at(-1);
  return pageJson('trees', page.map(checkedTreeJson), hasMore && last !== undefined ? last.last_seq : null);
}

/** A tree, and whether its owner is in this home: that of an imported tree may be elsewhere. */
type ListedRow = TreeRow & { is_owned: number };

const HAS_OWNER = 'EXISTS (SELECT 1 FROM trees o WHERE o.id = t.owner_tree AND o.importing = 0) AS is_owned';
const UNOWNED_BEFORE = `SELECT ${TREE_COLUMNS}, ${HAS_OWNER} FROM trees t
  WHERE t.last_seq < ? ORDER BY t.last_seq DESC LIMIT ${SLICE_ROWS}`;
const FORKS_BEFORE = `SELECT ${TREE_COLUMNS}, ${HAS_OWNER} FROM trees t
  WHERE t.fork_tree = ? AND t.last_seq < ? ORDER BY t.last_seq DESC LIMIT ${SLICE_ROWS}`;

type ListParams = ReadParams['loom.tree_list'];

function treesBefore(context: ReadContext, { owner, forked_from: origin }: ListParams, before: number): ListedRow[] {
  if (owner === null) {
    if (origin !== null) return context.store.all<ListedRow>(FORKS_BEFORE, idBlob(origin), before);
    return context.store.all<ListedRow>(UNOWNED_BEFORE, before);
  }
  const sql = `SELECT ${TREE_COLUMNS}, 1 AS is_owned FROM trees t WHERE t.owner_tree = ? AND t.last_seq < ?
    ORDER BY t.last_seq DESC LIMIT ${SLICE_ROWS}`;
  return context.store.all<ListedRow>(sql, idBlob(owner), before);
}

function isListed(tree: ListedRow, params: ReadParams['loom.tree_list']): boolean {
  return (
    tree.importing === 0 &&
    // What would hide one is believed only in a row that is as it was written.
    ((tree.archived_at_ms !== null) === params.archived || !isTreeAsWritten(tree)) &&
    (params.owner !== null || tree.is_owned === 0) &&
    (params.project === null || tree.project === params.project) &&
    (params.forked_from === null || tree.fork_tree === params.forked_from.replaceAll('-', ''))
  );
}

const TREE_WITH_META = `SELECT 1 FROM nodes n INDEXED BY nodes_with_meta
  WHERE n.tree = ? AND n.meta IS NOT NULL AND ${HAS_META} LIMIT 1`;

function hasMeta({ store }: ReadContext, { tree }: ListedRow, { meta }: ListParams): boolean {
  if (meta === null) return true;
  const wanted = JSON.stringify(meta);
  return store.get(TREE_WITH_META, tree, wanted, wanted) !== undefined;
}

export function listMarks(context: ReadContext, params: ReadParams['loom.mark_list']): string {
  const { tree } = requireTree(context.store, params.tree);
  const { store, sound } = context;
  const rows = store.all<MarkRow>(
    `SELECT ${MARK_COLUMNS} FROM marks m WHERE m.tree = ? AND m.name > ? ORDER BY m.name LIMIT ?`,
    tree,
    params.cursor ?? '',
    params.limit + 1,
  );
  const damaged = sound.damagedAmong(
    store,
    rows.map((row) => row.node),
  );
  return limitedPageJson('marks', rows, {
    limit: params.limit,
    json: (mark) => checkedMarkJson(mark, damaged.has(mark.node)),
    cursorOf: (mark) => mark.name,
  });
}

export function getSettings(context: ReadContext, params: ReadParams['loom.settings_get']): string {
  const { sha256 } = params;
  const sql = 'SELECT body, untrusted FROM settings WHERE sha256 = ?';
  const row = context.store.get<{ body: string; untrusted: number }>(sql, idBlob(sha256));
  if (row !== undefined)
    return `{"settings":${checkedSettings({ sha256, body: row.body })},"untrusted":${row.untrusted === 1}}`;
  throw new HubError('not_found', `there are no settings ${params.sha256}`, {
    hint: 'the hash is in the `settings` field of a node that was made with them',
    details: { settings: params.sha256 },
  });
}
