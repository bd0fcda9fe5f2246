import { HubError } from '../../hub/base/error.js';
import { cliCommand, rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { canonicalJson } from '../store/canonical_json.js';
import { requireTurn } from '../store/require_rows.js';
import { dashed, idBlob, type TurnRow, turnJson } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { QUESTION_COLUMNS, type QuestionRow, questionJson } from '../store/turn_rows.js';
import { requireAppendTarget } from './append_nodes.js';
import { encodeDraft } from './insert_node.js';
import { journalResult, readJournal } from './turn_journal.js';
import { conflict, invalid, type WriteOp } from './write_operation.js';

type ParkParams = ParsedOf<'loom.turn_park'>;
type QuestionAnswer = ParsedOf<'loom.turn_answer'>;

/** Parks a turn: its journal stays until a person answers or ends it. */
export const parkTurn: WriteOp<ParkParams> = (context, params) => {
  const { store } = context;
  const turn = requireTurn(store, params.turn);
  if (turn.state !== 'running')
    throw conflict(`turn ${params.turn} does not run (${turn.state})`, 'start another turn');
  const journal = readJournal(store, turn);
  for (const { call, ...question } of params.questions) {
    const callUnderWay = journal?.answer.calls.find((one) => one.call === call);
    if (callUnderWay === undefined) throw invalid(`turn ${params.turn} has no call ${call} under way`);
    if (journal?.results.has(call) === true) throw invalid(`the call ${call} has its result already`);
    const body = canonicalJson(question);
    store.run(
      'INSERT INTO questions (id, turn, call, body) VALUES (?, ?, ?, ?)',
      idBlob(callUnderWay.id),
      turn.turn,
      call,
      body,
    );
  }
  store.run("UPDATE turns SET state = 'waiting' WHERE turn = ?", turn.turn);
  return `{"questions":[${openQuestions(store, turn).map(questionJson).join(',')}]}`;
};

/** Stores an answer; after the last one the turn runs again, run by the caller who gave it. */
export const answerQuestion: WriteOp<QuestionAnswer> = (context, params) => {
  const { store } = context;
  const turn = requireTurn(store, params.turn);
  const question = requireQuestion(store, turn, params);
  if (question.answer === params.answer) return answerJson(turn, true);
  if (question.answer !== null) throw otherAnswerError(question.answer);
  if (turn.state !== 'waiting') {
    throw conflict(`the turn ${params.turn} has ended (${turn.state}) without an answer`, [
      'say it as a message: ',
      cliCommand('ask', '@', '"message"'),
    ]);
  }
  // The question stays open where nothing can be appended, because the turn would fail there.
  const parent = readJournal(store, turn)?.answer.parent;
  if (parent !== undefined) requireAppendTarget(store, { tree: dashed(turn.tree_id), parent });
  if (params.result !== null) {
    journalResult(store, turn, { turn: params.turn, call: question.call, ...params.result });
  }
  encodeDraft({
    id: '',
    role: 'user',
    step: null,
    settings: null,
    blocks: [{ type: 'text', text: params.answer }],
    external: null,
  });
  store.run('UPDATE questions SET answer = ? WHERE question = ?', params.answer, question.question);
  if (openQuestions(store, turn).length === 0) {
    store.run("UPDATE turns SET state = 'running' WHERE turn = ?", turn.turn);
  }
  return answerJson(requireTurn(store, params.turn), false);
};

/** Takes back what an answer permits beyond its own call; what has happened stays as it is. */
export const withdrawPermission: WriteOp<ParsedOf<'loom.question_withdraw'>> = ({ store }, { turn, question }) => {
  const { turn: row } = requireTurn(store, turn);
  const set = "UPDATE questions SET body = json_set(body, '$.withdrawn', json('true')) WHERE turn = ? AND id = ?";
  store.run(set, row, idBlob(question));
  return '{}';
};

function answerJson(turn: TurnRow, again: boolean): string {
  return `{"turn":${turnJson(turn)},"again":${again}}`;
}

function openQuestions(store: Store, turn: TurnRow): QuestionRow[] {
  const sql = `SELECT ${QUESTION_COLUMNS} FROM questions q WHERE q.turn = ? AND q.answer IS NULL ORDER BY q.question`;
  return store.all<QuestionRow>(sql, turn.turn);
}

/** A question by its own id, or the newest of the call that is named. */
function requireQuestion(store: Store, turn: TurnRow, { question }: QuestionAnswer): QuestionRow {
  const sql = `SELECT ${QUESTION_COLUMNS} FROM questions q WHERE q.turn = ? AND (q.id = ? OR q.call = ?)
    ORDER BY q.id = ? DESC, q.question DESC LIMIT 1`;
  const id = idBlob(question);
  const row = store.get<QuestionRow>(sql, turn.turn, id, question, id);
  if (row !== undefined) return row;
  throw new HubError('not_found', `the turn ${dashed(turn.id)} asks no question ${JSON.stringify(question)}`, {
    hint: ['see what is asked: ', rpcMethod('agent.status')],
  });
}

const SHOWN_LENGTH_MAX = 60;

function otherAnswerError(answer: string): HubError {
  const shown = answer.length > SHOWN_LENGTH_MAX ? `${answer.slice(0, SHOWN_LENGTH_MAX)}…` : answer;
  return conflict(`it was answered already: ${JSON.stringify(shown)}`, [
    'the first answer counts; to say more: ',
    cliCommand('ask', '@', '"message"'),
  ]);
}
