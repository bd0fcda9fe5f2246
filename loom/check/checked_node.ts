import { outputsOf } from '../../hub/base/node_blocks.js';
import type { Block, External } from '../../hub/protocol/node.js';
import { hashMatches } from '../store/node_hash.js';
import { previewOf } from '../store/node_preview.js';
import { isAsListed } from '../store/row_sums.js';
import { NODE_COLUMNS, type NodeRow } from '../store/rows.js';

/** A node with the columns of related rows that its checks need. */
export interface CheckedRow extends NodeRow {
  tree: number;
  parent: number | null;
  tool: string | null;
  exit_code: number | null;
  preview: string;
  /** Null in rows of earlier versions. */
  listing_sum: number | null;
  parent_tree: number | null;
  parent_step: string | null;
  parent_step_index: number | null;
  parent_step_size: number | null;
  /** Children that go on with its step. */
  step_children: number;
  output_links: number;
  /** 0 when it names settings that are not there. */
  has_settings: number;
  /** 0 when there is no tree that it belongs to; `tree_id` is null then. */
  has_tree: number;
}

/** What to select from `nodes AS n LEFT JOIN nodes AS p ON p.seq = n.parent` for a `CheckedRow`. */
export const CHECKED_COLUMNS = `${NODE_COLUMNS}, n.tree, n.parent, n.tool, n.exit_code, n.preview,
  n.listing_sum, p.tree AS parent_tree,
  nullif(lower(hex(p.step)), '') AS parent_step, p.step_index AS parent_step_index, p.step_size AS parent_step_size,
  CASE WHEN n.step IS NULL THEN 0
    ELSE (SELECT count(*) FROM nodes c WHERE c.parent = n.seq AND c.step = n.step) END AS step_children,
  (SELECT count(*) FROM node_outputs o WHERE o.node = n.seq) AS output_links,
  n.settings IS NULL OR EXISTS (SELECT 1 FROM settings s WHERE s.settings = n.settings) AS has_settings,
  EXISTS (SELECT 1 FROM trees t WHERE t.tree = n.tree) AS has_tree`;

/** The problems of a node; empty when it is as it was written. */
export function problemsOf(row: CheckedRow): string[] {
  const damage = damageOf(row);
  return damage.length > 0 ? damage : derivedProblems(row);
}

/** The problems of a node's own data: its contents, its parent, its step. */
export function damageOf(row: CheckedRow): string[] {
  if (row.has_tree === 0) return ['its tree is missing'];
  const problems = [...placeProblems(row), ...stepProblems(row)];
  if (row.has_settings === 0) return [...problems, 'its settings are missing'];
  return hashMatches(row) ? problems : [...problems, 'its contents do not match its hash'];
}

function placeProblems(row: CheckedRow): string[] {
  if (row.parent === null) {
    return row.role === 'root' && row.id === row.tree_id ? [] : ['it has no parent and is not the root'];
  }
  if (row.parent_tree === null) return ['its parent is missing'];
  const problems: string[] = [];
  if (row.role === 'root') problems.push('it is a root with a parent');
  if (row.parent_tree !== row.tree) problems.push('its parent is in another tree');
  if (row.parent >= row.seq) problems.push('it is older than its parent');
  return problems;
}

function stepProblems(row: CheckedRow): string[] {
  const problems: string[] = [];
  if (!fitsBelowParent(row)) problems.push('it does not stand where its step, or its parent’s, allows it');
  const { step_index: index, step_size: size } = row;
  const isLast = index === null || size === null || index === size - 1;
  if (!isLast && row.step_children !== 1) problems.push('the rest of its step is missing');
  return problems;
}

/** The first node of a step, and a node outside steps, has a settled parent; the others follow the node before. */
function fitsBelowParent(row: CheckedRow): boolean {
  const { step_index: index, parent_step_index: above, parent_step_size: size } = row;
  if (index !== null && index > 0) return row.parent_step === row.step && above === index - 1 && size === row.step_size;
  const belowSettled = above === null || size === null || above === size - 1;
  return belowSettled && (row.step === null || row.step === row.id);
}

/** Checks the columns that are derived from the hashed ones, which parse, since the hash matches. */
function derivedProblems(row: CheckedRow): string[] {
  const blocks: Block[] = JSON.parse(row.blocks);
  const external: External | null = row.external === null ? null : JSON.parse(row.external);
  const problems: string[] = [];
  const derives =
    row.preview === previewOf(blocks, external) &&
    row.tool === (external?.call.tool ?? null) &&
    row.exit_code === (external?.exit_code ?? null) &&
    isAsListed(row);
  const depth = row.parent_depth === null ? 0 : row.parent_depth + 1;
  if (row.depth !== depth) problems.push('its depth is not one more than its parent’s');
  if (!derives) problems.push('its preview does not match its contents');
  if (row.output_links !== outputsOf({ blocks, external }).size)
    problems.push('its stored outputs are not linked to it');
  return problems;
}
