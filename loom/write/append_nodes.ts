import { HubError } from '../../hub/base/error.js';
import { cliCommand, rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { canonicalJson } from '../store/canonical_json.js';
import { findNodeRow } from '../store/require_rows.js';
import { dashed, idBlob, type NodeRow, nodeJson } from '../store/rows.js';
import { stepEnd } from '../store/step_end.js';
import type { Store } from '../store/store.js';
import {
  findArchivedTop,
  findClearTarget,
  findContents,
  findNode,
  requireAppendableTree,
  requireNodeInTree,
  requireSettings,
  type StoredNode,
  type TreeKey,
} from './find_rows.js';
import { hasContent, type Inserted, insertNode, metaJson, type NodeDraft, wasBranched } from './insert_node.js';
import { conflict, invalid, type WriteContext, type WriteOp } from './write_operation.js';

/** The plugin makes the ids that a caller left out. */
export type WithId<Params extends { id?: unknown }> = Params & { id: NonNullable<Params['id']> };

export const createText: WriteOp<WithId<ParsedOf<'loom.node_create_text'>>> = (context, params) => {
  if (params.role !== 'assistant' && !params.blocks.some(hasContent)) {
    throw invalid(`a ${params.role} message needs some text`, 'give it at least one character that is not blank');
  }
  const draft: NodeDraft = {
    ...{ id: params.id, role: params.role, step: null, external: null },
    ...{ settings: params.settings, blocks: params.blocks, meta: params.meta },
  };
  const isOfTurn = params.turn !== undefined && belongsToTurn(context.store, { ...params, turn: params.turn });
  const begunAtMs = isOfTurn ? BEFORE_ALL : null;
  const place = { tree: params.tree, parent: params.parent, createdAtMs: params.created_at_ms };
  const json = append(context, { ...place, draft, begunAtMs });
  if (params.turn !== undefined) moveTip(context.store, { turn: params.turn, from: params.parent, to: params.id });
  return json;
};

const seqOf = '(SELECT seq FROM nodes WHERE id = ?)';
/** Earlier than anything was archived. */
const BEFORE_ALL = 0;

/** Whether an open turn goes on with this node, or it is what a person said to a turn that has ended meanwhile. */
function belongsToTurn(
  store: Store,
  { id, tree, parent, turn }: Record<'id' | 'tree' | 'parent' | 'turn', string>,
): boolean {
  const row = store.get(
    `SELECT 1 FROM turns u CROSS JOIN trees t ON t.tree = u.tree AND t.id = ? WHERE u.id = ? AND (
       u.state IN ('running', 'waiting') AND u.tip = ${seqOf} OR EXISTS (
         SELECT 1 FROM inputs i WHERE i.turn = u.turn AND i.id = ? AND i.node IS NULL AND i.dropped_at_ms IS NULL))`,
    ...[idBlob(tree), idBlob(turn), idBlob(parent), idBlob(id)],
  );
  return row !== undefined;
}

/** The tip of an open turn is where work continues when its hub ends. */
function moveTip(store: Store, { turn, from, to }: { turn: string; from: string; to: string }): void {
  store.run(
    `UPDATE turns SET tip = ${seqOf} WHERE id = ? AND state IN ('running', 'waiting') AND tip = ${seqOf}`,
    ...[idBlob(to), idBlob(turn), idBlob(from)],
  );
}

export const createExternal: WriteOp<WithId<ParsedOf<'loom.node_create_external'>>> = (context, params) => {
  if (params.external.call.id !== null) {
    throw invalid('external.call.id must be null outside a step: it would answer a call that no message made', [
      'append calls of a model together with its message: ',
      rpcMethod('loom.step_create'),
    ]);
  }
  const draft: NodeDraft = {
    ...{ id: params.id, role: 'tool' as const, step: null, settings: null },
    ...{ blocks: params.blocks, external: params.external, meta: params.meta },
  };
  const place = { tree: params.tree, parent: params.parent, createdAtMs: params.created_at_ms };
  const json = append(context, { ...place, draft, begunAtMs: params.begun_at_ms });
  if (params.turn !== null) moveTip(context.store, { turn: params.turn, from: params.parent, to: params.id });
  return json;
};

/** Refuses what an append there would refuse, before somebody begins the work that the node is to tell of. */
export const checkNode: WriteOp<ParsedOf<'loom.node_check'>> = ({ store, atMs }, { tree, node }) => {
  requireAppendTarget(store, { tree, parent: node });
  return `{"begun_at_ms":${atMs}}`;
};

interface Append {
  tree: string;
  parent: string;
  draft: NodeDraft;
  /** When the work that it tells of began; null for now. */
  begunAtMs: number | null;
  /** When it was said; undefined for now. */
  createdAtMs: number | undefined;
}

function append(context: WriteContext, params: Append): string {
  const { store } = context;
  const { tree, parent, draft, begunAtMs } = params;
  const atMs = creationTime(context, params.createdAtMs);
  const clear = findClearTarget(store, { tree, parent, id: draft.id });
  if (clear !== null) {
    const siblings = { isAny: clear.hasChild, isAnyVisible: clear.hasChild };
    return createdJson(
      insertNode(context, draft, {
        tree: clear.tree,
        above: clear.above,
        createdAtMs: atMs,
        ...{ outputs: 'present', by: null },
        siblings,
      }),
    );
  }
  const first = findNode(store, draft.id);
  if (first !== undefined) return firstResult(context, first, params);
  const target = requireAppendTarget(store, { tree, parent, begunAtMs });
  return createdJson(
    insertNode(context, draft, { ...target, createdAtMs: atMs, outputs: 'present', siblings: null, by: null }),
  );
}

/** What a program brings from elsewhere keeps its time; nothing was said in the future. */
export function creationTime({ atMs }: WriteContext, given: number | undefined): number {
  if (given === undefined || given <= atMs) return given ?? atMs;
  throw invalid(
    `created_at_ms is later than now: ${given} > ${atMs}`,
    'give milliseconds since 1970, or leave it out for now',
  );
}

function createdJson(node: Inserted): string {
  return `{"node":${node.json},"branched":${node.branched}}`;
}

interface AppendTarget {
  tree: TreeKey;
  above: StoredNode;
}

/** The target of an append: a settled node in a tree and branch that are not archived, or were not when its work began. */
export function requireAppendTarget(
  store: Store,
  { tree, parent, begunAtMs = null }: { tree: string; parent: string; begunAtMs?: number | null },
): AppendTarget {
  const target = requireSettledTarget(store, requireAppendableTree(store, tree, begunAtMs), parent);
  const top = findArchivedTop(store, target.above, begunAtMs);
  if (top !== null) {
    throw new HubError('archived', `node ${parent} is in an archived branch, so nothing can be added below it`, {
      hint: ['run: ', cliCommand('restore', tree.slice(0, 8), top.slice(0, 8))],
      details: { top },
    });
  }
  return target;
}

/** The same for work begun before the tree or branch was archived. */
export function requireSettledTarget(store: Store, tree: TreeKey, parentId: string): AppendTarget {
  const above = requireNodeInTree(store, tree, parentId);
  refuseInsideStep(store, above);
  return { tree, above };
}

function refuseInsideStep(store: Store, node: StoredNode): void {
  if (node.step === null || node.step_index === null || node.step_size === null) return;
  if (node.step_index === node.step_size - 1) return;
  const end = stepEnd(store, node);
  throw new HubError('inside_step', `node ${dashed(node.id)} is inside a step: its calls and results stay together`, {
    hint: `append below the last node of the step, ${end}`,
    details: { step_end: end },
  });
}

/** A retry with the same arguments gets the first result; other arguments under the same id are a conflict. */
function firstResult(context: WriteContext, first: StoredNode, { tree, parent, draft, createdAtMs }: Append): string {
  const row = requireNodeRow(context.store, first.seq);
  const same =
    dashed(row.tree_id) === tree &&
    row.parent_id !== null &&
    dashed(row.parent_id) === parent &&
    (createdAtMs === undefined || row.created_at_ms === createdAtMs) &&
    isDraft(context, first, draft);
  if (!same) throw idTaken(draft.id);
  return `{"node":${nodeJson(row)},"branched":${wasBranched(context, first)}}`;
}

/** Whether a stored node has the contents of a draft. */
export function isDraft(context: WriteContext, stored: StoredNode, draft: NodeDraft): boolean {
  const contents = findContents(context.store, stored.seq);
  return (
    contents?.role === draft.role &&
    stored.step === (draft.step?.id.replaceAll('-', '') ?? null) &&
    stored.step_index === (draft.step?.index ?? null) &&
    stored.step_size === (draft.step?.size ?? null) &&
    contents.settings === requireSettings(context.store, draft.settings) &&
    contents.blocks === canonicalJson(draft.blocks) &&
    contents.external === (draft.external === null ? null : canonicalJson(draft.external)) &&
    contents.meta === metaJson(draft)
  );
}

export function requireNodeRow(store: Store, seq: number): NodeRow {
  const row = findNodeRow(store, seq);
  if (row === undefined) throw new HubError('internal', `node ${seq} vanished inside a transaction`);
  return row;
}

export function idTaken(id: string): HubError {
  return conflict(`the id ${id} belongs to another node already`, 'use a fresh random id for each new node', { id });
}
