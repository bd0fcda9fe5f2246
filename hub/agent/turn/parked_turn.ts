import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { blocksOfType, textOf } from '../../base/node_blocks.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { Settings, TurnId } from '../../protocol/node.js';
import { type AgentEvent, SettingsChange, type TurnOutcome } from '../../protocol/turn.js';
import { priceOf, type Spending } from '../request/spending.js';
import { levelOf } from '../settings/settings.js';
import type { ModelCall } from '../tools/model_call.js';
import { answerResult, answerText, approvalsIn, deniedResult, isAllowed } from '../tools/person_questions.js';
import { type Beginning, beginTurn } from './begin_turn.js';
import { newStep } from './running_turn.js';
import { chooseModel, refuseUnknownPrice } from './turn_model.js';
import type { AnswerParams } from './turn_params.js';
import type { TurnWork } from './turn_work.js';

type TurnRecord = ResultOf<'loom.turn_get'>;
type Parked = NonNullable<TurnRecord['parked']>;

/** An answer that is stored, and its turn as it was before. */
export interface StoredAnswer {
  record: TurnRecord;
  question: Parked['questions'][number];
  words: string;
  /** False when the same was said before. */
  isNew: boolean;
  /** Whether this was the last one, so that the turn is to go on. */
  isLast: boolean;
  /** Whether its call is to be executed now. */
  isAllowed: boolean;
}

/**
 * Stores an answer, once: the same again changes nothing. The last one is stored only when the model can be reached.
 */
export async function storeAnswer(reach: InternalCaller, params: AnswerParams): Promise<StoredAnswer> {
  const found = await callHub(reach, 'loom.turn_get', { turn: params.turn });
  const { parked } = found;
  const open = parked?.questions.filter(({ answer }) => answer === null) ?? [];
  const question = open.find(({ call, id }) => call === params.call || id === params.call);
  if (question === undefined || parked === null) return storeAgain(reach, { params, found });
  if (question.kind !== 'question' && params.call !== question.id) throw needsNodeId(question);
  const words = answerText(question, params.answer);
  if (open.length === 1 && !parked.asks_only) await refuseUnreachableModel(reach, parked, params);
  const called = callIn(parked, question.call);
  const isPermission = isAllowed(question, words);
  const denied = question.kind !== 'question' ? deniedResult(called, words) : answerResult(called, words);
  const { again, turn } = await callHub(reach, 'loom.turn_answer', {
    ...{ turn: params.turn, question: question.id, answer: words, result: isPermission ? null : denied },
  });
  const isLast = !again && turn.state === 'running';
  return { record: found, question, words, isNew: !again, isLast, isAllowed: isPermission };
}

/** The next command may have the same call id: a permission must name the very command that was seen. */
function needsNodeId({ id }: StoredAnswer['question']): HubError {
  return new HubError('invalid_params', 'a command is allowed by the id that its node will have', {
    hint: `look at what it is, then give: ${id}`,
  });
}

/** Repeats an answer that was stored before; fails for another answer, and for an unknown question. */
async function storeAgain(
  reach: InternalCaller,
  { params, found }: { params: AnswerParams; found: TurnRecord },
): Promise<StoredAnswer> {
  const known = found.questions.findLast(({ call, id }) => call === params.call || id === params.call);
  const words = answerText(known ?? { options: [] }, params.answer);
  const { turn, call: question } = params;
  const kept = await callHub(reach, 'loom.turn_answer', { turn, question, answer: words, result: null });
  if (!kept.again) throw new HubError('internal', `the question ${question} was not open`);
  return {
    record: found,
    question: { call: question, id: found.turn.tip, kind: 'question', question: '', options: [], answer: words },
    words,
    ...{ isNew: false, isLast: false, isAllowed: false },
  };
}

function callIn({ blocks }: Parked, id: string) {
  const block = blocksOfType(blocks, 'call').find((one) => one.id === id);
  const { tool, input } = block ?? { tool: 'ask_user', input: null };
  return { call: id, tool, input };
}

async function refuseUnreachableModel(reach: InternalCaller, parked: Parked, params: AnswerParams): Promise<void> {
  const previous = await settingsOf(reach, parked);
  const chosen = chooseModel({ previous, change: null, usual: null, access: params.access });
  await refuseUnknownPrice(params, chosen);
}

/** A turn that goes on, and the calls of its step that are still to be executed. */
export interface Resumed {
  work: TurnWork;
  calls: ModelCall[];
}

/** Resumes a turn whose last question was answered: with its step still under way, and the settings of that step. */
export async function resumeTurn(
  beginning: Omit<Beginning, 'resumed'>,
  params: AnswerParams,
  kept: StoredAnswer,
): Promise<Resumed> {
  const { reach, turn } = beginning;
  const { record: found, question, words } = kept;
  const { parked } = found;
  try {
    if (parked === null) throw new HubError('internal', `the turn ${turn.id} did not wait`);
    const { tree } = turn;
    const change = SettingsChange.parse({ from: parked.settings });
    const run = {
      ...params,
      id: turn.id,
      tree,
      node: parked.parent,
      change,
      usual_model: null,
      usual_thinking: {},
      transcript: null,
      outside: null,
    };
    const approvals = approvalsIn([...found.questions, { ...question, answer: words }]);
    const work = await beginTurn({ ...beginning, resumed: { cwd: parked.cwd, approvals } }, run);
    turn.spending = { ...(await spendingOf(reach, turn.id)), shared: turn.spending.shared };
    turn.step = newStep(parked.step);
    turn.step.answer.blocks = parked.blocks;
    turn.activity = 'calling';
    const { model, level, tip } = turn;
    turn.emit({ kind: 'turn_resumed', turn: turn.id, tree, tip, model, level });
    const { call, id } = question;
    turn.emit({ kind: 'question_answered', turn: turn.id, call, id, answer: words });
    return { work, calls: remainingCalls(parked, kept) };
  } catch (error) {
    // Storage says that it runs, and nobody would ever end it.
    await callHub(reach, 'loom.turn_end', { turn: turn.id, state: 'failed' });
    throw error;
  }
}

/** The calls of the step without a result: of its questions, only the last one had none when the record was read. */
function remainingCalls(parked: Parked, { question, isAllowed: runs }: StoredAnswer): ModelCall[] {
  const left = parked.open_calls.filter(({ call }) => runs || call !== question.call);
  return left.map(({ call, id }) => ({ ...callIn(parked, call), id, problem: null }));
}

/** What a turn has spent since it began, from its account: limits count from there. */
async function spendingOf(reach: InternalCaller, turn: TurnId): Promise<Omit<Spending, 'shared'>> {
  const { total } = await callHub(reach, 'loom.cost_get', {
    ...{
      turn,
      tree: null,
      owner: null,
      node: null,
      since: null,
      from_ms: null,
      until_ms: null,
      by: 'none',
      utc_offset_minutes: 0,
    },
  });
  const { tokens_in, tokens_out, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h } = total;
  const usage = { tokens_in, tokens_out, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h };
  return {
    iterations: total.requests - total.failed - total.running,
    usage: total.unknown_usage === total.requests ? null : usage,
    price: total.price_microdollars,
    unpriced: total.unknown_price,
  };
}

/** The outcome so far of a turn that waits for a person. */
export async function parkedOutcome(reach: InternalCaller, { turn, parked }: TurnRecord): Promise<TurnOutcome> {
  const spending = await spendingOf(reach, turn.id);
  return {
    ...{
      turn: turn.id,
      tree: turn.tree,
      state: 'waiting',
      why: 'question',
      failure: null,
      tip: parked?.parent ?? turn.tip,
    },
    text: textOf(parked?.blocks ?? []),
    ...{ usage: spending.usage, price_microdollars: priceOf(spending), questions: parked?.questions ?? [] },
  };
}

/** The snapshot of a parked turn for new followers; its calls are those without a result. */
export async function parkedSnapshot(reach: InternalCaller, id: TurnId): Promise<AgentEvent | null> {
  const { turn, parked } = await callHub(reach, 'loom.turn_get', { turn: id });
  if (parked === null) return null;
  const calls = parked.open_calls.map(({ call, id: node }) => {
    const { tool, input } = callIn(parked, call);
    return { call, id: node, tool, input, state: 'waiting' as const };
  });
  return {
    ...{ kind: 'turn_snapshot', turn: id, tree: turn.tree, tip: parked.parent },
    model: (await settingsOf(reach, parked))?.model ?? '',
    step: { id: parked.step, blocks: parked.blocks, calls },
  };
}

async function settingsOf(
  reach: InternalCaller,
  { settings: sha256 }: Pick<Parked, 'settings'>,
): Promise<Settings | null> {
  return sha256 === null ? null : (await callHub(reach, 'loom.settings_get', { sha256 })).settings;
}

/** The most parked turns that a status lists: the newest. */
const PARKED_MAX = 100;

/** The turns that wait for a person, as a status lists them. */
export async function listParkedTurns(reach: InternalCaller, tree: ParsedOf<'agent.status'>['tree']) {
  const { turns } = await callHub(reach, 'loom.turn_list_waiting', { tree, cursor: null, limit: PARKED_MAX });
  return Promise.all(
    turns.map(async ({ turn, parked }) => {
      const settings = await settingsOf(reach, parked);
      const spending = await spendingOf(reach, turn.id);
      return {
        ...{ turn: turn.id, tree: turn.tree, node: turn.node, tip: parked.parent },
        ...{ model: settings?.model ?? '', level: levelOf(settings), activity: 'asking' as const },
        ...{ iterations: spending.iterations, usage: spending.usage },
        ...{ price_microdollars: priceOf(spending), started_at_ms: turn.started_at_ms },
        ...{ parent: null, task: null, questions: parked.questions },
      };
    }),
  );
}
