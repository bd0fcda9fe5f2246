import { cursorNumber, limitedPageJson, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { PAGE_BYTES_MAX, type Slices } from '../paging/slices.js';
import { requireTree, requireTurn } from '../store/require_rows.js';
import { TURN_COLUMNS, type TurnRow, turnJson } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { type InputRow, inputJson, QUESTION_COLUMNS, type QuestionRow, questionJson } from '../store/turn_rows.js';
import { PENDING_OF } from './list_inputs.js';
import type { ReadParams } from './read_methods.js';

/** The questions of the step at which a turn is parked: earlier ones have become nodes. */
export const QUESTIONS_AT = `SELECT ${QUESTION_COLUMNS} FROM questions q
  WHERE q.turn = ? AND q.id IN (SELECT unhex(value, '-') FROM json_each(?)) ORDER BY q.question`;
/** More questions than one step can ask. */
const QUESTIONS_MAX = 200;
export const NEWEST_QUESTIONS = `SELECT ${QUESTION_COLUMNS} FROM questions q
  WHERE q.turn = ? ORDER BY q.question DESC LIMIT ${QUESTIONS_MAX}`;
export const NEXT_WAITING = `SELECT ${TURN_COLUMNS} FROM turns u
  WHERE u.state = 'waiting' AND u.turn < ? AND (? IS NULL OR u.tree = ?) ORDER BY u.turn DESC LIMIT 1`;
const RESULTS_OF = `SELECT call, json_extract(body, '$.external.cwd') AS cwd FROM turn_journal
  WHERE turn = ? AND call <> ''`;
const STEP_OF = "SELECT body FROM turn_journal WHERE turn = ? AND call = ''";

export function getTurn({ store }: ReadContext, params: ReadParams['loom.turn_get']): string {
  const turn = requireTurn(store, params.turn);
  const pending = store.all<InputRow>(PENDING_OF, turn.turn);
  const questions = store.all<QuestionRow>(NEWEST_QUESTIONS, turn.turn).reverse().map(questionJson).join(',');
  const step = turn.state === 'waiting' ? findStep(store, turn) : null;
  const parked = step === null ? 'null' : parkedJsonWithResults(store, turn, step);
  return `{"turn":${turnJson(turn)},"inputs":[${pending.map(inputJson).join(',')}],"questions":[${questions}],"parked":${parked}}`;
}

export function listTurns({ store }: ReadContext, params: ReadParams['loom.turn_list']): string {
  const { tree } = requireTree(store, params.tree);
  const rows = store.all<TurnRow>(
    `SELECT ${TURN_COLUMNS} FROM turns u WHERE u.tree = ? AND u.turn < ? ORDER BY u.turn DESC LIMIT ?`,
    tree,
    cursorNumber(params.cursor, Number.MAX_SAFE_INTEGER),
    params.limit + 1,
  );
  return limitedPageJson('turns', rows, { limit: params.limit, json: turnJson, cursorOf: ({ turn }) => turn });
}

export function* listWaiting({ store }: ReadContext, params: ReadParams['loom.turn_list_waiting']): Slices<string> {
  const tree = params.tree === null ? null : requireTree(store, params.tree).tree;
  const turns: string[] = [];
  let bytes = 0;
  let before = cursorNumber(params.cursor, Number.MAX_SAFE_INTEGER);
  while (turns.length < params.limit && bytes < PAGE_BYTES_MAX) {
    const turn = store.get<TurnRow>(NEXT_WAITING, before, tree, tree);
    if (turn === undefined) return pageJson('turns', turns, null);
    before = turn.turn;
    const step = findStep(store, turn);
    if (step !== null) {
      const json = `{"turn":${turnJson(turn)},"parked":${parkedJson(store, turn, step)}}`;
      turns.push(json);
      bytes += json.length;
    }
    yield;
  }
  const hasMore = store.get<TurnRow>(NEXT_WAITING, before, tree, tree) !== undefined;
  return pageJson('turns', turns, hasMore ? before : null);
}

/** A parked step with its open calls and the folder that its finished calls left. */
function parkedJsonWithResults(store: Store, turn: TurnRow, step: StepUnderWay): string {
  const results = store.all<{ call: string; cwd: string | null }>(RESULTS_OF, turn.turn);
  const done = new Map(results.map(({ call, cwd }) => [call, cwd]));
  const open_calls = step.calls.filter(({ call }) => !done.has(call));
  const cwd = step.calls.findLast(({ call }) => done.get(call) != null)?.call;
  const withResults = { blocks: step.blocks, open_calls, cwd: cwd === undefined ? null : done.get(cwd) };
  return `${JSON.stringify(withResults).slice(0, -1)},${parkedJson(store, turn, step).slice(1)}`;
}

/** The parts of a journalled answer that are returned; recordAnswer stored it after the schema had parsed it. */
interface StepUnderWay {
  parent: string;
  id: string;
  settings: string | null;
  /** Absent in what an earlier version stored. */
  asks_only?: boolean;
  blocks: unknown;
  calls: { call: string; id: string }[];
}

function findStep(store: Store, { turn }: TurnRow): StepUnderWay | null {
  const row = store.get<{ body: string }>(STEP_OF, turn);
  if (row === undefined) return null;
  const step: StepUnderWay = JSON.parse(row.body);
  return step;
}

function parkedJson(store: Store, { turn }: TurnRow, step: StepUnderWay): string {
  const { id, parent, settings, calls, asks_only = false } = step;
  const questions = store.all<QuestionRow>(QUESTIONS_AT, turn, JSON.stringify(calls.map((call) => call.id)));
  const settingsJson = settings === null ? 'null' : `"${settings}"`;
  return `{"step":"${id}","parent":"${parent}","settings":${settingsJson},"asks_only":${asks_only},"questions":[${questions.map(questionJson).join(',')}]}`;
}
