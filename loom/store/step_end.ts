import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { dashed, idBlob, type NodeRow } from './rows.js';
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
  const end = store.get<{ id: string }>(STEP_END, node.seq);
  // By the index of ids as well: a damaged id would name another node, or none.
  if (end !== undefined && store.get('SELECT 1 FROM nodes WHERE id = ?', idBlob(end.id)) !== undefined)
    return dashed(end.id);
  throw new HubError('storage_failed', `the step of node ${dashed(node.id)} is damaged`, {
    hint: ['see what is damaged: ', cliCommand('fsck')],
  });
}
