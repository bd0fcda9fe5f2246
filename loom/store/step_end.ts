import { dashed, type NodeRow } from './rows.js';
import type { Store } from './store.js';

export const STEP_END = `
  WITH RECURSIVE down (seq, id, step, has_next) AS (
    SELECT seq, id, step, step_index + 1 < step_size FROM nodes WHERE seq = ?
    UNION ALL
    SELECT n.seq, n.id, n.step, n.step_index + 1 < n.step_size
    FROM down CROSS JOIN nodes n ON n.parent = down.seq AND n.step = down.step WHERE down.has_next
  )
  SELECT lower(hex(id)) AS id FROM down WHERE NOT has_next`;

/** The id of the last node of a node's step; that of the node itself outside steps. */
export function stepEnd(store: Store, node: Pick<NodeRow, 'seq' | 'id' | 'step_index' | 'step_size'>): string {
  if (node.step_index === null || node.step_size === null || node.step_index + 1 === node.step_size) {
    return dashed(node.id);
  }
  return dashed(store.get<{ id: string }>(STEP_END, node.seq)?.id ?? node.id);
}
