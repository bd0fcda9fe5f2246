import type { SkeletonRow } from './rows.js';

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

/** A checksum (FNV-1a, 32 bits) of what lists show of a node: its hash is over the contents, which lists do not read. */
export function listingSum(row: ListedColumns): number {
  const { id, parent, parent_id, role, tool, preview, created_at_ms, step, step_index, step_size, exit_code } = row;
  const place = `${id} ${parent} ${parent_id} ${step} ${step_index} ${step_size}`;
  const text = `${place} ${role} ${tool} ${created_at_ms} ${exit_code} ${preview}`;
  let sum = FNV_START;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), FNV_PRIME);
  return sum;
}

/** Whether what lists show of a node is what was written. */
export function isAsListed(row: ListedColumns & Pick<SkeletonRow, 'listing_sum'>): boolean {
  return row.listing_sum === null || row.listing_sum === listingSum(row);
}
