import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import { outputsOfBlock } from '../../hub/base/node_blocks.js';
import { NODE_BYTES_MAX } from '../../hub/protocol/limits.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { canonicalJson } from '../store/canonical_json.js';
import { requireTree, requireTurn } from '../store/require_rows.js';
import { dashed, idBlob, nodeJson, type TurnRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { INPUT_COLUMNS, type InputRow, inputJson } from '../store/turn_rows.js';
import { idTaken, requireNodeRow, requireSettledTarget, type WithId } from './append_nodes.js';
import { findNode } from './find_rows.js';
import { encodeDraft, hasContent, insertNode, type NodeDraft, requireStoredOutput } from './insert_node.js';
import { holdOutput } from './loose_files.js';
import { requireRunningTurn } from './turn_journal.js';
import { conflict, inSavepoint, invalid, type WriteContext, type WriteOp } from './write_operation.js';

/** The most pending inputs of one turn, and the most JSON of several; a single one may have any size. */
const PENDING_MAX = 100;
const PENDING_BYTES_MAX = NODE_BYTES_MAX;
/** The most JSON of the inputs that one call returns: pending ones always fit; taken and dropped ones may exceed it. */
const DROPPED_BYTES_MAX = 3 * NODE_BYTES_MAX;

type AddParams = WithId<ParsedOf<'loom.input_add'>>;
type TakeParams = ParsedOf<'loom.input_take'>;

export const addInput: WriteOp<AddParams> = (context, params) => {
  const { store } = context;
  const blocks = canonicalJson(params.blocks);
  const first = findInput(store, params.id);
  if (first !== undefined) {
    const same = dashed(first.turn_id) === params.turn && first.kind === params.kind && first.blocks === blocks;
    if (same) return inputJson(first);
    throw conflict(`the id ${params.id} belongs to another input already`, 'use a fresh random id for each new input');
  }
  const turn = requireOpenTurn(store, params.turn);
  refuseUnfit(context, params);
  refuseTooMany(store, turn, Buffer.byteLength(blocks));
  store.run(
    'INSERT INTO inputs (id, turn, kind, blocks, added_at_ms) VALUES (?, ?, ?, ?, ?)',
    ...[idBlob(params.id), turn.turn, params.kind, blocks, context.atMs],
  );
  for (const sha256 of params.blocks.flatMap(outputsOfBlock)) holdOutput(store, sha256);
  return inputJson(requireInput(store, params.id, params.turn));
};

function requireOpenTurn(store: Store, id: string): TurnRow {
  const turn = requireTurn(store, id);
  // A parked turn takes it after the answer.
  if (turn.state === 'running' || turn.state === 'waiting') return turn;
  throw conflict(
    `turn ${id} has ended (${turn.state}), so it takes nothing more`,
    'append a user node below its tip and start another turn there',
    { tip: dashed(turn.tip_id) },
  );
}

// An acknowledged input must become a node whatever happens, so whatever would prevent that is refused now.
function refuseUnfit(context: WriteContext, params: AddParams): void {
  if (!params.blocks.some(hasContent)) {
    throw invalid('a user message needs some text', 'give it at least one character that is not blank');
  }
  if (findNode(context.store, params.id) !== undefined) throw idTaken(params.id);
  encodeDraft(draftOf(params));
  for (const sha256 of params.blocks.flatMap(outputsOfBlock)) requireStoredOutput(context, sha256);
}

const PENDING = `SELECT count(*) AS inputs, coalesce(sum(octet_length(blocks)), 0) AS bytes FROM inputs
  WHERE turn = ? AND node IS NULL AND dropped_at_ms IS NULL`;

function refuseTooMany(store: Store, turn: TurnRow, bytes: number): void {
  const pending = store.get<{ inputs: number; bytes: number }>(PENDING, turn.turn) ?? { inputs: 0, bytes: 0 };
  const fits = pending.inputs === 0 || pending.bytes + bytes <= PENDING_BYTES_MAX;
  if (pending.inputs < PENDING_MAX && fits) return;
  throw new HubError(
    'limit',
    `${pending.inputs} inputs with ${pending.bytes} bytes wait for turn ${dashed(turn.id)} already; ` +
      `at most ${PENDING_MAX} with ${PENDING_BYTES_MAX} bytes may`,
    { hint: ['wait for the step under way, or take it back: ', rpcMethod('loom.input_drop')], retryable: true },
  );
}

// Pending inputs are few and have an index of their own, which an order by seq alone would not use.
export const ABANDONED_INPUTS = `SELECT ${INPUT_COLUMNS} FROM inputs i
  WHERE i.node IS NULL AND i.dropped_at_ms IS NULL
    AND (SELECT u.state FROM turns u WHERE u.turn = i.turn) NOT IN ('running', 'waiting')
  ORDER BY i.turn, i.seq`;

/**
 * Appends the pending inputs of turns that an earlier hub left running below the tips of those turns: they were acknowledged,
 * and no turn will take them.
 */
export function insertAbandonedInputs(context: WriteContext): void {
  for (const input of context.store.all<InputRow>(ABANDONED_INPUTS)) insertAbandonedInput(context, input);
}

// An input that cannot be placed any more stays pending, to be taken back.
function insertAbandonedInput(context: WriteContext, input: InputRow): void {
  const { store } = context;
  const keep = (): void => {
    const turn = requireTurn(store, dashed(input.turn_id));
    // A hub killed right after it had inserted the node had no time to note that.
    const node = findNode(store, dashed(input.id));
    if (node === undefined) insertInput(context, { input, turn, parent: dashed(turn.tip_id) });
    else store.run('UPDATE inputs SET node = ? WHERE seq = ?', node.seq, input.seq);
  };
  inSavepoint(context, keep, () => undefined);
}

export const takeInput: WriteOp<TakeParams> = (context, params) => {
  const { store } = context;
  const input = requireInput(store, params.input, params.turn);
  if (input.node !== null) return earlierTaking(store, input.node, params);
  if (input.dropped_at_ms !== null) throw conflict(`input ${params.input} was taken back`, 'leave it out');
  const turn = requireRunningTurn(store, params.turn);
  refuseStepUnderWay(store, turn);
  return `{"node":${insertInput(context, { input, turn, parent: params.parent })}}`;
};

/** Inserts an input as a user node, which becomes the tip of its turn. */
function insertInput(
  context: WriteContext,
  { input, turn, parent }: { input: InputRow; turn: TurnRow; parent: string },
) {
  const { store } = context;
  const id = dashed(input.id);
  // As for a step: work begun before the tree or branch was archived is kept.
  const target = requireSettledTarget(store, requireTree(store, dashed(turn.tree_id)), parent);
  if (findNode(store, id) !== undefined) throw idTaken(id);
  // addInput stored it after the schema had parsed it.
  const blocks: AddParams['blocks'] = JSON.parse(input.blocks);
  const node = insertNode(context, draftOf({ id, blocks }), {
    ...{ ...target, createdAtMs: context.atMs, outputs: 'later' as const, siblings: null, by: null },
  });
  store.run('UPDATE inputs SET node = ? WHERE seq = ?', node.seq, input.seq);
  store.run('UPDATE turns SET tip = ? WHERE turn = ?', node.seq, turn.turn);
  return node.json;
}

function earlierTaking(store: Store, seq: number, params: TakeParams): string {
  const row = requireNodeRow(store, seq);
  if (dashed(row.parent_id ?? '') === params.parent) return `{"node":${nodeJson(row)}}`;
  throw conflict(
    `input ${params.input} stands below ${dashed(row.parent_id ?? '')} already`,
    'it is taken once: go on from its node',
  );
}

function refuseStepUnderWay(store: Store, turn: TurnRow): void {
  if (store.get('SELECT 1 FROM turn_journal WHERE turn = ? LIMIT 1', turn.turn) === undefined) return;
  throw conflict(`turn ${dashed(turn.id)} has a step under way`, [
    'commit the step first: ',
    rpcMethod('loom.turn_commit_step'),
  ]);
}

export const dropInputs: WriteOp<ParsedOf<'loom.input_drop'>> = (context, params) => {
  const { store } = context;
  const ids = [...new Set(params.inputs)];
  let bytes = 0;
  const inputs = ids.map((id) => {
    const input = requireInput(store, id, params.turn);
    bytes += Buffer.byteLength(input.blocks);
    if (bytes > DROPPED_BYTES_MAX) throw tooMuchAtOnce(ids.length);
    return input;
  });
  for (const input of inputs) {
    if (input.node !== null || input.dropped_at_ms !== null) continue;
    store.run('UPDATE inputs SET dropped_at_ms = ? WHERE seq = ?', context.atMs, input.seq);
  }
  return `{"inputs":[${ids.map((id) => inputJson(requireInput(store, id, params.turn))).join(',')}]}`;
};

function tooMuchAtOnce(ids: number): HubError {
  return new HubError('limit', `the ${ids} inputs together are too large for one answer; none was taken back`, {
    hint: 'take them back one by one',
  });
}

function draftOf({ id, blocks }: { id: string; blocks: AddParams['blocks'] }): NodeDraft {
  return { id, role: 'user', step: null, settings: null, blocks, external: null };
}

function findInput(store: Store, id: string): InputRow | undefined {
  return store.get<InputRow>(`SELECT ${INPUT_COLUMNS} FROM inputs i WHERE i.id = ?`, idBlob(id));
}

function requireInput(store: Store, id: string, turn: string): InputRow {
  requireTurn(store, turn);
  const input = findInput(store, id);
  if (input !== undefined && dashed(input.turn_id) === turn) return input;
  throw new HubError('not_found', `turn ${turn} has no input ${id}`, {
    hint: ['list them: ', rpcMethod('loom.input_list')],
  });
}
