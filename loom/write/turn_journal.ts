import { HubError } from '../../hub/base/error.js';
import { blocksOfType } from '../../hub/base/node_blocks.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Block, External } from '../../hub/protocol/node.js';
import { canonicalJson } from '../store/canonical_json.js';
import { dashed, idBlob, TURN_COLUMNS, type TurnRow, turnJson } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { idTaken, placeBelow, settledPlace, type WithId } from './append_nodes.js';
import { insertStep, type StepDraft } from './create_step.js';
import { storable } from './insert_node.js';
import { knownTree, settingsRow, storedNode } from './stored_rows.js';
import { salvage } from './try_or_else.js';
import { conflict, invalid, type WriteOp, type Writing } from './write_operation.js';

type Ended = ParsedOf<'loom.turn_end'>['state'];
type Answer = ParsedOf<'loom.turn_record_answer'>;
type Result = ParsedOf<'loom.turn_record_result'>;

export const startTurn: WriteOp<WithId<ParsedOf<'loom.turn_start'>>> = (writing, params) => {
  const { store } = writing;
  const first = turnRow(store, params.id);
  if (first !== undefined) {
    if (dashed(first.tree_id) === params.tree && dashed(first.node_id) === params.node) return turnJson(first);
    throw conflict(`the id ${params.id} belongs to another turn already`, 'use a fresh random id for each new turn');
  }
  const { tree, above } = placeBelow(store, params.tree, params.node);
  store.run(
    "INSERT INTO turns (id, tree, node, tip, state, started_at_ms) VALUES (?, ?, ?, ?, 'running', ?)",
    ...[idBlob(params.id), tree.tree, above.seq, above.seq, writing.atMs],
  );
  return turnJson(knownTurn(store, params.id));
};

export const recordAnswer: WriteOp<Answer> = (writing, params) => {
  const { store } = writing;
  const turn = runningTurn(store, params.turn);
  placeBelow(store, dashed(turn.tree_id), params.parent);
  const asked = new Set(blocksOfType(params.blocks, 'call').map(({ id }) => id));
  for (const { call } of params.calls) {
    if (!asked.delete(call)) throw invalid(`the message makes no call ${call}, or it is named twice`);
  }
  const ids = [params.id, ...params.calls.map(({ id }) => id)];
  refuseUnfit(store, params, ids);
  record(store, turn, { call: '', body: canonicalJson(params) });
  return '{}';
};

/** What is journalled must become a step whatever happens: what would keep it from that is refused while it can be. */
function refuseUnfit(store: Store, { blocks, settings }: Pick<Answer, 'blocks' | 'settings'>, ids: string[]): void {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at || storedNode(store, id) !== undefined);
  if (twice !== undefined) throw idTaken(twice);
  settingsRow(store, settings);
  storable({ id: '', role: 'assistant', step: null, settings, blocks, external: null });
}

export const recordResult: WriteOp<Result> = (writing, params) => {
  const turn = runningTurn(writing.store, params.turn);
  keepResult(writing.store, turn, params);
  return '{}';
};

/** Journals what a call of the step under way came to. */
export function keepResult(store: Store, turn: TurnRow, result: Result): void {
  const { call, blocks, external } = result;
  const answer = journalOf(store, turn)?.answer;
  if (!answer?.calls.some((under) => under.call === call)) {
    throw invalid(`turn ${dashed(turn.id)} has no call ${call} under way`);
  }
  if (external.call.id !== call) throw invalid(`external.call.id must be ${call}`);
  storable({ id: '', role: 'tool', step: null, settings: null, blocks, external });
  record(store, turn, { call, body: canonicalJson(result) });
}

export const commitStep: WriteOp<ParsedOf<'loom.turn_commit_step'>> = (writing, params) => {
  const nodes = commitJournal(writing, runningTurn(writing.store, params.turn));
  return `{"nodes":[${nodes.join(',')}]}`;
};

export const endTurn: WriteOp<ParsedOf<'loom.turn_end'>> = (writing, params) => {
  const turn = knownTurn(writing.store, params.turn);
  if (turn.state === 'running' || turn.state === 'waiting') close(writing, turn, params.state);
  return turnJson(knownTurn(writing.store, params.turn));
};

/** Closes the turns that a hub left behind, keeping what their journals hold. Those that wait for a person go on waiting. */
export function closeLeftTurns(writing: Writing): void {
  const left = writing.store.all<TurnRow>(`SELECT ${TURN_COLUMNS} FROM turns u WHERE u.state = 'running'`);
  for (const turn of left) closeLeftTurn(writing, turn);
}

// A journal that cannot become a step any more stays for fsck to name.
function closeLeftTurn(writing: Writing, turn: TurnRow): void {
  const fail = "UPDATE turns SET state = 'failed', ended_at_ms = ? WHERE turn = ?";
  salvage(
    writing,
    () => close(writing, turn, 'interrupted'),
    () => void writing.store.run(fail, writing.atMs, turn.turn),
  );
}

function close(writing: Writing, turn: TurnRow, state: Ended): void {
  commitJournal(writing, turn);
  const sql = 'UPDATE turns SET state = ?, ended_at_ms = ? WHERE turn = ?';
  writing.store.run(sql, state, writing.atMs, turn.turn);
}

/** Makes the journal a step, whole, and empties it. Without a journal there is nothing to do. */
function commitJournal(writing: Writing, turn: TurnRow): string[] {
  const { store } = writing;
  const journal = journalOf(store, turn);
  if (journal === null) return [];
  const { answer, results } = journal;
  const step: StepDraft = {
    ...{ id: answer.id, blocks: answer.blocks, settings: answer.settings },
    calls: answer.calls.map(({ call, id }) => ({ id, ...(results.get(call) ?? interrupted(answer, call)) })),
  };
  const place = settledPlace(store, knownTree(store, dashed(turn.tree_id)), answer.parent);
  const made = insertStep(writing, { ...place, outputs: 'later' }, step);
  store.run('DELETE FROM turn_journal WHERE turn = ?', turn.turn);
  store.run('UPDATE turns SET tip = ? WHERE turn = ?', made.at(-1)?.seq ?? null, turn.turn);
  return made.map((node) => node.json);
}

interface Journal {
  answer: Answer;
  results: Map<string, Result>;
}

export function journalOf(store: Store, turn: TurnRow): Journal | null {
  const rows = store.all<{ call: string; body: string }>(
    'SELECT call, body FROM turn_journal WHERE turn = ? ORDER BY call',
    turn.turn,
  );
  const [first, ...rest] = rows;
  if (first === undefined) return null;
  // What recordAnswer and recordResult wrote, which were given it by the schema.
  const answer: Answer = JSON.parse(first.body);
  return { answer, results: new Map(rest.map((row) => [row.call, JSON.parse(row.body)])) };
}

function interrupted(answer: Answer, call: string): { blocks: Block[]; external: External } {
  const block = blocksOfType(answer.blocks, 'call').find(({ id }) => id === call);
  const { tool, input } = block ?? { tool: 'unknown', input: null };
  return {
    blocks: [{ type: 'text', text: 'interrupted: this call did not finish, and what it did is not known' }],
    external: {
      call: { tool, input, id: call },
      handle: { source: 'interrupted', source_version: '1.0.0', identifier: call, metadata: { tool } },
      ...{ output: null, exit_code: null, signal: null, duration_ms: null, cwd: null },
    },
  };
}

/** Writes one journal row; the same again is a retry, another under its name a conflict. */
function record(store: Store, turn: TurnRow, entry: { call: string; body: string }): void {
  const before = store.get<{ body: string }>(
    'SELECT body FROM turn_journal WHERE turn = ? AND call = ?',
    turn.turn,
    entry.call,
  );
  if (before?.body === entry.body) return;
  if (before !== undefined) {
    throw conflict(
      `turn ${dashed(turn.id)} has ${entry.call === '' ? 'a step under way' : `a result of ${entry.call}`} already`,
      'commit the step first: loom.turn_commit_step',
    );
  }
  store.run('INSERT INTO turn_journal (turn, call, body) VALUES (?, ?, ?)', turn.turn, entry.call, entry.body);
}

function turnRow(store: Store, id: string): TurnRow | undefined {
  return store.get<TurnRow>(`SELECT ${TURN_COLUMNS} FROM turns u WHERE u.id = ?`, idBlob(id));
}

export function knownTurn(store: Store, id: string): TurnRow {
  const turn = turnRow(store, id);
  if (turn !== undefined) return turn;
  throw new HubError('not_found', `there is no turn ${id}`, { hint: 'list them: loom.turn_list' });
}

export function runningTurn(store: Store, id: string): TurnRow {
  const turn = knownTurn(store, id);
  if (turn.state === 'running') return turn;
  if (turn.state === 'waiting') throw conflict(`turn ${id} waits for a person`, 'answer its questions: agent.answer');
  throw conflict(`turn ${id} has ended (${turn.state})`, 'start another turn: loom.turn_start');
}
