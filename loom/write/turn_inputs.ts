import { HubError } from '../../hub/base/error.js';
import { outputsOfBlock } from '../../hub/base/node_blocks.js';
import { NODE_BYTES_MAX } from '../../hub/protocol/limits.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { canonicalJson } from '../store/canonical_json.js';
import { dashed, idBlob, nodeJson, type TurnRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { INPUT_COLUMNS, type InputRow, inputJson } from '../store/turn_rows.js';
import { idTaken, settledPlace, storedRow, type WithId } from './append_nodes.js';
import { hasContent, insertNode, type NodeDraft, requireOutput, storable } from './insert_node.js';
import { knownTree, storedNode } from './stored_rows.js';
import { salvage } from './try_or_else.js';
import { knownTurn, runningTurn } from './turn_journal.js';
import { conflict, invalid, type WriteOp, type Writing } from './write_operation.js';

/** The most inputs of one turn that wait to be taken, and the most JSON of several; a single one may be any text. */
const PENDING_MAX = 100;
const PENDING_BYTES_MAX = NODE_BYTES_MAX;
/** The most JSON of the inputs that one call returns: what waits fits, and what was taken or dropped may be more. */
const DROPPED_BYTES_MAX = 3 * NODE_BYTES_MAX;

type Addition = WithId<ParsedOf<'loom.input_add'>>;
type Taking = ParsedOf<'loom.input_take'>;

export const addInput: WriteOp<Addition> = (writing, params) => {
  const { store } = writing;
  const blocks = canonicalJson(params.blocks);
  const first = inputRow(store, params.id);
  if (first !== undefined) {
    const same = dashed(first.turn_id) === params.turn && first.kind === params.kind && first.blocks === blocks;
    if (same) return inputJson(first);
    throw conflict(`the id ${params.id} belongs to another input already`, 'use a fresh random id for each new input');
  }
  const turn = takingTurn(store, params.turn);
  refuseUnfit(writing, params);
  refuseTooMany(store, turn, Buffer.byteLength(blocks));
  store.run(
    'INSERT INTO inputs (id, turn, kind, blocks, added_at_ms) VALUES (?, ?, ?, ?, ?)',
    ...[idBlob(params.id), turn.turn, params.kind, blocks, writing.atMs],
  );
  return inputJson(knownInput(store, params.id, params.turn));
};

function takingTurn(store: Store, id: string): TurnRow {
  const turn = knownTurn(store, id);
  // One that waits for a person takes it after the answer.
  if (turn.state === 'running' || turn.state === 'waiting') return turn;
  throw conflict(
    `turn ${id} has ended (${turn.state}), so it takes nothing more`,
    'append a user node below its tip and start another turn there',
    { tip: dashed(turn.tip_id) },
  );
}

// What is acknowledged must become a node whatever happens: what would keep it from that is refused while it can be.
function refuseUnfit(writing: Writing, params: Addition): void {
  if (!params.blocks.some(hasContent)) {
    throw invalid('a user message needs some text', 'give it at least one character that is not blank');
  }
  if (storedNode(writing.store, params.id) !== undefined) throw idTaken(params.id);
  storable(draftOf(params));
  for (const sha256 of params.blocks.flatMap(outputsOfBlock)) requireOutput(writing, sha256);
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
    { hint: 'wait for the step under way, or take some back: loom.input_drop', retryable: true },
  );
}

// Few wait at any time, and they have an index of their own; in the order of all inputs it would not be used.
export const LEFT_INPUTS = `SELECT ${INPUT_COLUMNS} FROM inputs i
  WHERE i.node IS NULL AND i.dropped_at_ms IS NULL
    AND (SELECT u.state FROM turns u WHERE u.turn = i.turn) NOT IN ('running', 'waiting')
  ORDER BY i.turn, i.seq`;

/**
 * Makes messages of what people said to turns that a hub left behind, below their ends: it was acknowledged, and nobody
 * is there any more who would take it.
 */
export function keepLeftInputs(writing: Writing): void {
  for (const input of writing.store.all<InputRow>(LEFT_INPUTS)) keepLeftInput(writing, input);
}

// What has no place any more goes on waiting, to be taken back.
function keepLeftInput(writing: Writing, input: InputRow): void {
  const { store } = writing;
  const keep = (): void => {
    const turn = knownTurn(store, dashed(input.turn_id));
    // A hub that was killed right after it had made the node had no time to note that.
    const made = storedNode(store, dashed(input.id));
    if (made === undefined) insertInput(writing, { input, turn, parent: dashed(turn.tip_id) });
    else store.run('UPDATE inputs SET node = ? WHERE seq = ?', made.seq, input.seq);
  };
  salvage(writing, keep, () => undefined);
}

export const takeInput: WriteOp<Taking> = (writing, params) => {
  const { store } = writing;
  const input = knownInput(store, params.input, params.turn);
  if (input.node !== null) return takenBefore(store, input.node, params);
  if (input.dropped_at_ms !== null) throw conflict(`input ${params.input} was taken back`, 'leave it out');
  const turn = runningTurn(store, params.turn);
  refuseStepUnderWay(store, turn);
  return `{"node":${insertInput(writing, { input, turn, parent: params.parent })}}`;
};

/** Makes a message of an input, which becomes the tip of its turn. */
function insertInput(writing: Writing, { input, turn, parent }: { input: InputRow; turn: TurnRow; parent: string }) {
  const { store } = writing;
  const id = dashed(input.id);
  // Like a step: what was begun before the tree or branch was archived is kept.
  const place = settledPlace(store, knownTree(store, dashed(turn.tree_id)), parent);
  if (storedNode(store, id) !== undefined) throw idTaken(id);
  // What addInput wrote, which was given it by the schema.
  const blocks: Addition['blocks'] = JSON.parse(input.blocks);
  const made = insertNode(writing, draftOf({ id, blocks }), {
    ...{ ...place, createdAtMs: writing.atMs, outputs: 'later' as const, siblings: null },
  });
  store.run('UPDATE inputs SET node = ? WHERE seq = ?', made.seq, input.seq);
  store.run('UPDATE turns SET tip = ? WHERE turn = ?', made.seq, turn.turn);
  return made.json;
}

function takenBefore(store: Store, seq: number, params: Taking): string {
  const row = storedRow(store, seq);
  if (dashed(row.parent_id ?? '') === params.parent) return `{"node":${nodeJson(row)}}`;
  throw conflict(
    `input ${params.input} stands below ${dashed(row.parent_id ?? '')} already`,
    'it is taken once: go on from its node',
  );
}

function refuseStepUnderWay(store: Store, turn: TurnRow): void {
  if (store.get('SELECT 1 FROM turn_journal WHERE turn = ? LIMIT 1', turn.turn) === undefined) return;
  throw conflict(`turn ${dashed(turn.id)} has a step under way`, 'commit the step first: loom.turn_commit_step');
}

export const dropInputs: WriteOp<ParsedOf<'loom.input_drop'>> = (writing, params) => {
  const { store } = writing;
  const asked = [...new Set(params.inputs)];
  let bytes = 0;
  const found = asked.map((id) => {
    const input = knownInput(store, id, params.turn);
    bytes += Buffer.byteLength(input.blocks);
    if (bytes > DROPPED_BYTES_MAX) throw tooMuchAtOnce(asked.length);
    return input;
  });
  for (const input of found) {
    if (input.node !== null || input.dropped_at_ms !== null) continue;
    store.run('UPDATE inputs SET dropped_at_ms = ? WHERE seq = ?', writing.atMs, input.seq);
  }
  return `{"inputs":[${asked.map((id) => inputJson(knownInput(store, id, params.turn))).join(',')}]}`;
};

function tooMuchAtOnce(asked: number): HubError {
  return new HubError('limit', `the ${asked} inputs together are too large for one answer; none was taken back`, {
    hint: 'take them back one by one',
  });
}

function draftOf({ id, blocks }: { id: string; blocks: Addition['blocks'] }): NodeDraft {
  return { id, role: 'user', step: null, settings: null, blocks, external: null };
}

function inputRow(store: Store, id: string): InputRow | undefined {
  return store.get<InputRow>(`SELECT ${INPUT_COLUMNS} FROM inputs i WHERE i.id = ?`, idBlob(id));
}

function knownInput(store: Store, id: string, turn: string): InputRow {
  knownTurn(store, turn);
  const input = inputRow(store, id);
  if (input !== undefined && dashed(input.turn_id) === turn) return input;
  throw new HubError('not_found', `turn ${turn} has no input ${id}`, { hint: 'list them: loom.input_list' });
}
