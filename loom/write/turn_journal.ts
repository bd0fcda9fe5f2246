import { rpcMethod } from '../../hub/base/hint.js';
import { blocksOfType, outputsOf } from '../../hub/base/node_blocks.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Block, External } from '../../hub/protocol/node.js';
import { canonicalJson } from '../store/canonical_json.js';
import { findTurn, requireTree, requireTurn } from '../store/require_rows.js';
import { dashed, idBlob, TURN_COLUMNS, type TurnRow, turnJson } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { idTaken, requireAppendTarget, requireSettledTarget, type WithId } from './append_nodes.js';
import { insertStep, type StepDraft } from './create_step.js';
import { findNode, requireSettings } from './find_rows.js';
import { encodeDraft } from './insert_node.js';
import { holdOutput } from './loose_files.js';
import { conflict, inSavepoint, invalid, type WriteContext, type WriteOp } from './write_operation.js';

type EndState = ParsedOf<'loom.turn_end'>['state'];
type AnswerRecord = ParsedOf<'loom.turn_record_answer'>;
type Result = ParsedOf<'loom.turn_record_result'>;

export const startTurn: WriteOp<WithId<ParsedOf<'loom.turn_start'>>> = (context, params) => {
  const { store } = context;
  const first = findTurn(store, params.id);
  if (first !== undefined) {
    if (dashed(first.tree_id) === params.tree && dashed(first.node_id) === params.node) return turnJson(first);
    throw conflict(`the id ${params.id} belongs to another turn already`, 'use a fresh random id for each new turn');
  }
  const { tree, above } = requireAppendTarget(store, { tree: params.tree, parent: params.node });
  store.run(
    "INSERT INTO turns (id, tree, node, tip, state, started_at_ms) VALUES (?, ?, ?, ?, 'running', ?)",
    ...[idBlob(params.id), tree.tree, above.seq, above.seq, context.atMs],
  );
  return turnJson(requireTurn(store, params.id));
};

export const recordAnswer: WriteOp<AnswerRecord> = (context, params) => {
  const { store } = context;
  const turn = requireRunningTurn(store, params.turn);
  // Not an append target: the answer of a turn that began before the tree was archived has been paid for.
  requireSettledTarget(store, requireTree(store, dashed(turn.tree_id)), params.parent);
  const callIds = new Set(blocksOfType(params.blocks, 'call').map(({ id }) => id));
  for (const { call } of params.calls) {
    if (!callIds.delete(call)) throw invalid(`the message makes no call ${call}, or it is named twice`);
  }
  const ids = [params.id, ...params.calls.map(({ id }) => id)];
  refuseUnfit(store, params, ids);
  writeJournalRow(store, turn, { call: '', body: canonicalJson(params) });
  return '{}';
};

/** A journal must become a step whatever happens, so whatever would prevent that is refused now. */
function refuseUnfit(
  store: Store,
  { blocks, settings }: Pick<AnswerRecord, 'blocks' | 'settings'>,
  ids: string[],
): void {
  const duplicate = ids.find((id, at) => ids.indexOf(id) !== at || findNode(store, id) !== undefined);
  if (duplicate !== undefined) throw idTaken(duplicate);
  requireSettings(store, settings);
  encodeDraft({ id: '', role: 'assistant', step: null, settings, blocks, external: null });
}

export const recordResult: WriteOp<Result> = (context, params) => {
  const turn = requireRunningTurn(context.store, params.turn);
  journalResult(context.store, turn, params);
  return '{}';
};

/** Journals the result of a call of the step under way. */
export function journalResult(store: Store, turn: TurnRow, result: Result): void {
  const { call, blocks, external } = result;
  const answer = readJournal(store, turn)?.answer;
  if (!answer?.calls.some((under) => under.call === call)) {
    throw invalid(`turn ${dashed(turn.id)} has no call ${call} under way`);
  }
  if (external.call.id !== call) throw invalid(`external.call.id must be ${call}`);
  encodeDraft({ id: '', role: 'tool', step: null, settings: null, blocks, external });
  writeJournalRow(store, turn, { call, body: canonicalJson(result) });
  for (const sha256 of outputsOf({ blocks, external })) holdOutput(store, sha256);
}

export const commitStep: WriteOp<ParsedOf<'loom.turn_commit_step'>> = (context, params) => {
  unparkAsker(context.store, requireTurn(context.store, params.turn));
  const nodes = commitJournal(context, requireRunningTurn(context.store, params.turn));
  return `{"nodes":[${nodes.join(',')}]}`;
};

/** Who asked by a journal of which no node is made goes on whenever it wants. */
function unparkAsker(store: Store, turn: TurnRow): void {
  if (turn.state !== 'waiting' || !onlyAsks(readJournal(store, turn))) return;
  store.run("UPDATE turns SET state = 'running' WHERE turn = ?", turn.turn);
}

function onlyAsks(journal: Journal | null): boolean {
  return journal?.answer.asks_only === true;
}

export const endTurn: WriteOp<ParsedOf<'loom.turn_end'>> = (context, params) => {
  const turn = requireTurn(context.store, params.turn);
  if (turn.state === 'running' || turn.state === 'waiting') close(context, turn, params.state);
  return turnJson(requireTurn(context.store, params.turn));
};

/** Closes the turns that an earlier hub left running and commits their journals. Parked turns stay parked, unless who asked has ended. */
export function closeAbandonedTurns(context: WriteContext): void {
  const { store } = context;
  const turns = store.all<TurnRow>(`SELECT ${TURN_COLUMNS} FROM turns u WHERE u.state IN ('running', 'waiting')`);
  const isOver = (turn: TurnRow): boolean => turn.state === 'running' || onlyAsks(readJournal(store, turn));
  for (const turn of turns) if (isOver(turn)) closeAbandonedTurn(context, turn);
}

// A journal that cannot become a step any more stays, and fsck reports it.
function closeAbandonedTurn(context: WriteContext, turn: TurnRow): void {
  const fail = "UPDATE turns SET state = 'failed', ended_at_ms = ? WHERE turn = ?";
  inSavepoint(
    context,
    () => close(context, turn, 'interrupted'),
    () => {
      context.store.run(fail, context.atMs, turn.turn);
    },
  );
}

function close(context: WriteContext, turn: TurnRow, state: EndState): void {
  commitJournal(context, turn);
  const sql = 'UPDATE turns SET state = ?, ended_at_ms = ? WHERE turn = ?';
  context.store.run(sql, state, context.atMs, turn.turn);
}

/** Commits the journal as one step and empties it. Without a journal it does nothing. */
function commitJournal(context: WriteContext, turn: TurnRow): string[] {
  const { store } = context;
  const journal = readJournal(store, turn);
  if (journal === null) return [];
  if (onlyAsks(journal)) {
    store.run('DELETE FROM turn_journal WHERE turn = ?', turn.turn);
    return [];
  }
  const { answer, results } = journal;
  const step: StepDraft = {
    ...{ id: answer.id, blocks: answer.blocks, settings: answer.settings },
    calls: answer.calls.map(({ call, id }) => ({ id, ...(results.get(call) ?? interrupted(answer, call)) })),
  };
  const target = requireSettledTarget(store, requireTree(store, dashed(turn.tree_id)), answer.parent);
  const nodes = insertStep(context, { ...target, outputs: 'later' }, step);
  store.run('DELETE FROM turn_journal WHERE turn = ?', turn.turn);
  store.run('UPDATE turns SET tip = ? WHERE turn = ?', nodes.at(-1)?.seq ?? null, turn.turn);
  return nodes.map((node) => node.json);
}

interface Journal {
  answer: AnswerRecord;
  results: Map<string, Result>;
}

export function readJournal(store: Store, turn: TurnRow): Journal | null {
  const rows = store.all<{ call: string; body: string }>(
    'SELECT call, body FROM turn_journal WHERE turn = ? ORDER BY call',
    turn.turn,
  );
  const [first, ...rest] = rows;
  if (first === undefined) return null;
  // recordAnswer and recordResult stored it after the schema had parsed it.
  const answer: AnswerRecord = JSON.parse(first.body);
  return { answer, results: new Map(rest.map((row) => [row.call, JSON.parse(row.body)])) };
}

function interrupted(answer: AnswerRecord, call: string): { blocks: Block[]; external: External } {
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

/** Writes one journal row. The same body again is a retry, another body a conflict. */
function writeJournalRow(store: Store, turn: TurnRow, entry: { call: string; body: string }): void {
  const existing = store.get<{ body: string }>(
    'SELECT body FROM turn_journal WHERE turn = ? AND call = ?',
    turn.turn,
    entry.call,
  );
  if (existing?.body === entry.body) return;
  if (existing !== undefined) {
    throw conflict(
      `turn ${dashed(turn.id)} has ${entry.call === '' ? 'a step under way' : `a result of ${entry.call}`} already`,
      ['commit the step first: ', rpcMethod('loom.turn_commit_step')],
    );
  }
  store.run('INSERT INTO turn_journal (turn, call, body) VALUES (?, ?, ?)', turn.turn, entry.call, entry.body);
}

export function requireRunningTurn(store: Store, id: string): TurnRow {
  const turn = requireTurn(store, id);
  if (turn.state === 'running') return turn;
  if (turn.state === 'waiting')
    throw conflict(`turn ${id} waits for a person`, ['answer its questions: ', rpcMethod('agent.answer')]);
  throw conflict(`turn ${id} has ended (${turn.state})`, ['start another turn: ', rpcMethod('loom.turn_start')]);
}
