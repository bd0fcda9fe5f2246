import { blocksOfType } from '../../hub/base/node_blocks.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Block, External } from '../../hub/protocol/node.js';
import { dashed, nodeJson } from '../store/rows.js';
import { idTaken, isDraft, placeBelow, storedRow } from './append_nodes.js';
import { type Above, type Inserted, insertNode, type NodeDraft, type Placing, wasBranched } from './insert_node.js';
import { type StoredNode, storedNode, type TreeKey } from './stored_rows.js';
import { invalid, type WriteOp, type Writing } from './write_operation.js';

/** An assistant message and its calls, every id given. */
export interface StepDraft {
  id: string;
  blocks: readonly Block[];
  settings: string | null;
  calls: readonly { id: string; blocks: readonly Block[]; external: External }[];
}

type StepParams = ParsedOf<'loom.step_create'>;
type StepCall = StepParams['calls'][number];

/** The plugin makes the ids that a caller left out. */
export type StepParamsWithIds = Omit<StepParams, 'id' | 'calls'> & {
  id: NonNullable<StepParams['id']>;
  calls: (Omit<StepCall, 'id'> & { id: NonNullable<StepCall['id']> })[];
};

export const createStep: WriteOp<StepParamsWithIds> = (writing, params) => {
  refuseUnpaired(params);
  const drafts = stepNodes(params);
  const first = storedNode(writing.store, params.id);
  if (first !== undefined) return firstResult(writing, drafts, params);
  const place = placeBelow(writing.store, params.tree, params.parent);
  const made = insertStep(writing, { ...place, outputs: 'present' }, params);
  return stepJson(
    made.map((node) => node.json),
    made[0]?.branched ?? false,
  );
};

interface StepPlacing {
  tree: TreeKey;
  above: Above;
  outputs: Placing['outputs'];
}

/** Writes all nodes of a step below a place that has been checked. */
export function insertStep(writing: Writing, place: StepPlacing, step: StepDraft): Inserted[] {
  let { above } = place;
  return stepNodes(step).map((draft) => {
    if (storedNode(writing.store, draft.id) !== undefined) throw idTaken(draft.id);
    const made = insertNode(writing, draft, {
      ...{ tree: place.tree, above, createdAtMs: writing.atMs, outputs: place.outputs, siblings: null },
    });
    above = made;
    return made;
  });
}

function stepNodes(step: StepDraft): NodeDraft[] {
  const size = step.calls.length + 1;
  const place = (index: number) => ({ id: step.id, index, size });
  return [
    ...[
      {
        id: step.id,
        role: 'assistant' as const,
        step: place(0),
        settings: step.settings,
        blocks: step.blocks,
        external: null,
      },
    ],
    ...step.calls.map((call, index) => ({
      ...{ id: call.id, role: 'tool' as const, step: place(index + 1), settings: null },
      ...{ blocks: call.blocks, external: call.external },
    })),
  ];
}

// A model refuses a conversation whose results answer no call, so such a step must never come to be.
function refuseUnpaired(step: StepDraft): void {
  const asked = blocksOfType(step.blocks, 'call').map(({ id }) => id);
  let from = 0;
  for (const [index, call] of step.calls.entries()) {
    const answered = call.external.call.id;
    const at = answered === null ? -1 : asked.indexOf(answered, from);
    if (at < 0) {
      throw invalid(
        `calls.${index} answers ${answered ?? 'nothing'}, but the message makes no such call at that place`,
        'give the results in the order of the call blocks, each with the id of its block',
      );
    }
    from = at + 1;
  }
}

function firstResult(writing: Writing, drafts: readonly NodeDraft[], params: StepParamsWithIds): string {
  const stored = drafts.map((draft) => {
    const node = storedNode(writing.store, draft.id);
    if (node === undefined || !isDraft(writing, node, draft)) throw idTaken(draft.id);
    return node;
  });
  const rows = stored.map((node) => storedRow(writing.store, node.seq));
  const [top] = rows;
  const same =
    top !== undefined && dashed(top.tree_id) === params.tree && dashed(top.parent_id ?? '') === params.parent;
  if (!same) throw idTaken(params.id);
  return stepJson(
    rows.map(nodeJson),
    stored.slice(0, 1).some((node: StoredNode) => wasBranched(writing, node)),
  );
}

function stepJson(nodes: readonly string[], branched: boolean): string {
  return `{"nodes":[${nodes.join(',')}],"branched":${branched}}`;
}
