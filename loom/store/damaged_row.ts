import type { Role } from '../../hub/protocol/node.js';
import { isAsListed, isMarkAsSet, isTreeAsWritten } from './row_sums.js';
import {
  dashed,
  type MarkRow,
  markJson,
  type NodeRow,
  type SkeletonRow,
  skeletonJson,
  type TreeRow,
  treeJson,
} from './rows.js';

/** What is shown in place of what was stored. */
export const DAMAGED = '[damaged: what the disk has here is not what was stored; see cognition fsck]';

/** The preview of a listed node, unless its row is damaged. */
export const listedPreview = (row: SkeletonRow): string => (isAsListed(row) ? row.preview : DAMAGED);

/** The JSON of a `SkeletonNode`; of a damaged one only where it stands. */
export function listedJson(row: SkeletonRow): string {
  if (isAsListed(row)) return skeletonJson(row);
  return JSON.stringify({
    ...{ id: uuid(row.id), parent: idOf(row.parent_id), seq: row.seq, role: roleOf(row.role), tool: null },
    ...{ preview: DAMAGED, created_at_ms: count(row.created_at_ms), step: null, exit_code: null },
    archived: row.archived === 1,
  });
}

/** The JSON of a `Node` that is not what its hash says: where it stands, and nothing of its contents. */
export function damagedNodeJson(row: NodeRow): string {
  const role = roleOf(row.role);
  const isExternal = row.external !== null || role === 'tool';
  const kind = isExternal ? { kind: 'external', role: 'tool', external: NOTHING } : { kind: 'text', role };
  return JSON.stringify({
    ...{ id: uuid(row.id), tree: uuid(row.tree_id), parent: idOf(row.parent_id) },
    ...{ created_at_ms: count(row.created_at_ms), step: null, settings: null },
    ...{ blocks: [{ type: 'text', text: DAMAGED }], hash: row.hash.padEnd(64, '0').slice(0, 64) },
    ...{ seq: row.seq, depth: count(row.depth), ...kind, damaged: true },
  });
}

/** The JSON of a `Tree`; the names of one whose row is damaged say so, and stay. */
export function checkedTreeJson(row: TreeRow): string {
  if (isTreeAsWritten(row)) return treeJson(row);
  const name = row.name === null ? null : `${DAMAGED} ${row.name}`;
  const { created_at_ms, updated_at_ms, archived_at_ms, node_count, message_count, branch_count, last_seq } = row;
  return treeJson({
    ...{ ...row, name, title: `${DAMAGED} ${row.title}` },
    ...{ created_at_ms: count(created_at_ms), updated_at_ms: count(updated_at_ms), last_seq: count(last_seq) },
    archived_at_ms: archived_at_ms === null ? null : count(archived_at_ms),
    ...{ node_count: count(node_count), message_count: count(message_count), branch_count: count(branch_count) },
  });
}

/** The JSON of a `Mark`; the name of one that is damaged, or stands at a damaged node, says so. */
export function checkedMarkJson(row: MarkRow, isNodeDamaged: boolean): string {
  if (!isNodeDamaged && isMarkAsSet(row)) return markJson(row);
  const node_id = (row.node_id ?? '').padEnd(32, '0');
  return markJson({ ...row, node_id, name: `${row.name} ${DAMAGED}`, set_at_ms: count(row.set_at_ms) });
}

const NOTHING = {
  call: { tool: 'damaged', input: {}, id: null },
  handle: { source: 'damaged', source_version: '1.0.0', identifier: 'damaged', metadata: {} },
  ...{ output: null, exit_code: null, signal: null, duration_ms: null, cwd: null },
};

const ROLES: readonly Role[] = ['root', 'user', 'assistant', 'summary', 'tool'];

const roleOf = (text: string): Role => ROLES.find((role) => role === text) ?? 'assistant';
const uuid = (hex: string | null): string => dashed((hex ?? '').padEnd(32, '0').slice(0, 32));
const idOf = (hex: string | null): string | null => (hex === null ? null : uuid(hex));
const count = (value: number): number => (Number.isSafeInteger(value) && value >= 0 ? value : 0);
