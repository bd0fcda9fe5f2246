import { blocksOfType } from '../../hub/base/node_blocks.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Block, External } from '../../hub/protocol/node.js';
import { dashed, nodeJson } from '../store/rows.js';
import { creationTime, idTaken, isDraft, requireAppendTarget, requireNodeRow } from './append_nodes.js';
import { findNode, type StoredNode, type TreeKey } from './find_rows.js';
import { type Above, type Inserted, insertNode, type NodeDraft, type Placement, wasBranched } from './insert_node.js';
import { invalid, type WriteContext, type WriteOp } from './write_operation.js';

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

export const createStep: WriteOp<StepParamsWithIds> = (context, params) => {
  refuseUnpaired(params);
  const drafts = stepNodes(params);
  const first = findNode(context.store, params.id);
  if (first !== undefined) return firstResult(context, drafts, params);
  const target = requireAppendTarget(context.store, params);
  const createdAtMs = creationTime(context, params.created_at_ms);
  const nodes = insertStep(context, { ...target, outputs: 'present', createdAtMs }, params);
  return stepJson(
    nodes.map((node) => node.json),
    nodes[0]?.branched ?? false,
  );
};

interface StepPlacement {
  tree: TreeKey;
  above: Above;
  outputs: Placement['outputs'];
  /** Undefined for now. */
  createdAtMs?: number;
}

/** Inserts all nodes of a step below a target that has been checked. */
export function insertStep(context: WriteContext, target: StepPlacement, step: StepDraft): Inserted[] {
  let { above } = target;
  return stepNodes(step).map((draft) => {
    if (findNode(context.store, draft.id) !== undefined) throw idTaken(draft.id);
    const nodes = insertNode(context, draft, {
      ...{
        tree: target.tree,
        above,
        createdAtMs: target.createdAtMs ?? context.atMs,
        outputs: target.outputs,
        ...{ siblings: null, by: null },
      },
    });
    above = nodes;
    return nodes;
  });
}

function stepNodes(step: StepDraft): NodeDraft[] {
  const size = step.calls.length + 1;
  const target = (index: number) => ({ id: step.id, index, size });
  return [
    ...[
      {
        id: step.id,
        role: 'assistant' as const,
        step: target(0),
        settings: step.settings,
        blocks: step.blocks,
        external: null,
      },
    ],
    ...step.calls.map((call, index) => ({
      ...{ id: call.id, role: 'tool' as const, step: target(index + 1), settings: null },
      ...{ blocks: call.blocks, external: call.external },
    })),
  ];
}

// Models refuse a conversation with results that answer no call, so such a step must never be stored.
function refuseUnpaired(step: StepDraft): void {
  const callIds = blocksOfType(step.blocks, 'call').map(({ id }) => id);
  let from = 0;
  for (const [index, call] of step.calls.entries()) {
    const answered = call.external.call.id;
    const at = answered === null ? -1 : callIds.indexOf(answered, from);
    if (at < 0) {
      throw invalid(
        `calls.${index} answers ${answered ?? 'nothing'}, but the message makes no such call at that place`,
        'give the results in the order of the call blocks, each with the id of its block',
      );
    }
    from = at + 1;
  }
}

function firstResult(context: WriteContext, drafts: readonly NodeDraft[], params: StepParamsWithIds): string {
  const stored = drafts.map((draft) => {
    const node = findNode(context.store, draft.id);
    if (node === undefined || !isDraft(context, node, draft)) throw idTaken(draft.id);
    return node;
  });
  const rows = stored.map((node) => requireNodeRow(context.store, node.seq));
  const [top] = rows;
  const same =
    top !== undefined &&
    dashed(top.tree_id) === params.tree &&
    dashed(top.parent_id ?? '') === params.parent &&
    (params.created_at_ms === undefined || top.created_at_ms === params.created_at_ms);
  if (!same) throw idTaken(params.id);
  return stepJson(
    rows.map(nodeJson),
    stored.slice(0, 1).some((node: StoredNode) => wasBranched(context, node)),
  );
}

function stepJson(nodes: readonly string[], branched: boolean): string {
  return `{"nodes":[${nodes.join(',')}],"branched":${branched}}`;
}
