import type { MarkRow, SkeletonRow, TreeRow } from './rows.js';

export type ListedColumns = Pick<
  SkeletonRow,
  | 'id'
  | 'parent_id'
  | 'step'
  | 'parent'
  | 'role'
  | 'tool'
  | 'preview'
  | 'created_at_ms'
  | 'step_index'
  | 'step_size'
  | 'exit_code'
>;

const FNV_PRIME = 0x01000193;
const FNV_START = 0x811c9dc5;

/** What lists show of a node: its hash is over the contents, which lists do not read. */
export function listingSum(row: ListedColumns): number {
  const { id, parent, parent_id, role, tool, preview, created_at_ms, step, step_index, step_size, exit_code } = row;
  const place = `${id} ${parent} ${parent_id} ${step} ${step_index} ${step_size}`;
  return checksum(`${place} ${role} ${tool} ${created_at_ms} ${exit_code} ${preview}`);
}

/** What a tree's row says, which no hash covers. */
export function treeSum(row: Omit<TreeRow, 'row_sum'>): number {
  const { id, name, title, project, owner_tree, owner_node, fork_tree, fork_node } = row;
  const texts = JSON.stringify([id, name, title, project, owner_tree, owner_node, fork_tree, fork_node]);
  const { tree, created_at_ms, updated_at_ms, archived_at_ms, importing } = row;
  const { node_count, message_count, branch_count, last_seq } = row;
  const times = `${tree} ${created_at_ms} ${updated_at_ms} ${archived_at_ms} ${importing}`;
  return checksum(`${texts} ${times} ${node_count} ${message_count} ${branch_count} ${last_seq}`);
}

/** Where a mark points, and since when. */
export function markSum({ tree_id, name, node_id, node, set_at_ms }: Omit<MarkRow, 'row_sum'>): number {
  return checksum(`${tree_id} ${node_id} ${node} ${set_at_ms} ${name}`);
}

/** A change as the feed tells it. */
export interface ChangeRow {
  seq: number;
  /** In hex. */
  tree_id: string;
  body: string;
  /** Null in rows of earlier versions. */
  row_sum: number | null;
}

export function changeSum({ seq, tree_id, body }: Omit<ChangeRow, 'row_sum'>): number {
  return checksum(`${seq} ${tree_id} ${body}`);
}

/** FNV-1a, 32 bits. */
function checksum(text: string): number {
  let sum = FNV_START;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), FNV_PRIME);
  return sum;
}

/** Whether what lists show of a node is what was written. */
export function isAsListed(row: ListedColumns & Pick<SkeletonRow, 'listing_sum'>): boolean {
  return row.listing_sum === null || row.listing_sum === listingSum(row);
}

/** Whether a tree's row is what was written. */
export function isTreeAsWritten(row: TreeRow): boolean {
  return row.row_sum === null || row.row_sum === treeSum(row);
}

/** Whether a change is what was told. */
export function isChangeAsTold(row: ChangeRow): boolean {
  return row.row_sum === null || row.row_sum === changeSum(row);
}

/** Whether a mark is what was set. */
export function isMarkAsSet(row: MarkRow): boolean {
  return row.row_sum === null || row.row_sum === markSum(row);
}
/**
 * The checksum of a row of `archived_rows`, as SQL: what hides a branch is believed only as it was written. The prime is the largest below
 * 2^32, so that no flipped bit of a number goes unseen.
 */
const sumOf = (row: string): string =>
  `((${row}node % 4294967291) * 40503 + (${row}tree % 4294967291) * 30011 + (${row}archived_at_ms % 4294967291) * 20011 + 1) % 4294967291`;

/** A row that is not what was written. */
export const IS_DAMAGED_ARCHIVED = `row_sum IS NOT NULL AND row_sum <> ${sumOf('')}`;

/** Hides a branch, by its first node, its tree and the time; what was damaged of it is written anew. */
export const ARCHIVE_BRANCH = `INSERT INTO archived_rows (node, tree, archived_at_ms) VALUES (?, ?, ?)
  ON CONFLICT (node) DO UPDATE SET tree = excluded.tree, archived_at_ms = excluded.archived_at_ms WHERE ${IS_DAMAGED_ARCHIVED}`;

export const ARCHIVED_STEP = `
  -- What hides work is read through a view of the rows that are as they were written; rows of earlier versions have no checksum.
  ALTER TABLE archived_branches RENAME TO archived_rows;
  ALTER TABLE archived_rows ADD COLUMN row_sum INTEGER;
  CREATE VIEW archived_branches AS
    SELECT node, tree, archived_at_ms FROM archived_rows WHERE row_sum IS NULL OR row_sum = ${sumOf('')};
  CREATE TRIGGER archived_added AFTER INSERT ON archived_rows
  BEGIN
    UPDATE archived_rows SET row_sum = ${sumOf('new.')} WHERE node = new.node;
  END;
  CREATE TRIGGER archived_again AFTER UPDATE OF node, tree, archived_at_ms ON archived_rows
  BEGIN
    UPDATE archived_rows SET row_sum = ${sumOf('new.')} WHERE node = new.node;
  END;
`;
