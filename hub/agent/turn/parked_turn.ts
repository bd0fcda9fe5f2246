import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { blocksOfType, textOf } from '../../base/node_blocks.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { Settings, TurnId } from '../../protocol/node.js';
import { type AgentEvent, SettingsChange, type TurnOutcome } from '../../protocol/turn.js';
import { priceOf, type Spending } from '../request/spending.js';
import { levelOf } from '../settings/settings.js';
import type { ModelCall } from '../tools/model_call.js';
import { answeredResult, approvalsIn, deniedResult, isAllowed, wordsOf } from '../tools/person_questions.js';
import { type Beginning, beginTurn } from './begin_turn.js';
import { newStep } from './running_turn.js';
import { chooseModel, refuseUnknownPrice } from './turn_model.js';
import type { AnswerParams } from './turn_params.js';
import type { TurnWork } from './turn_work.js';

type Found = ResultOf<'loom.turn_get'>;
type Parked = NonNullable<Found['parked']>;

/** An answer that is kept, and where its turn stood before. */
export interface KeptAnswer {
  found: Found;
  question: Pick<Parked['questions'][number], 'call' | 'id' | 'kind'>;
  words: string;
  /** False when the same was said before. */
  isNew: boolean;
  /** Whether this was the last one, so that the turn is to go on. */
  isLast: boolean;
  /** Whether its call is to be executed now. */
  isAllowed: boolean;
}

/**
 * Keeps an answer, once: the same again changes nothing. Before the last one is kept it is known that the model can be asked.
 */
export async function keepAnswer(reach: InternalCaller, params: AnswerParams): Promise<KeptAnswer> {
  const found = await callHub(reach, 'loom.turn_get', { turn: params.turn });
  const { parked } = found;
  const open = parked?.questions.filter(({ answer }) => answer === null) ?? [];
  const question = open.find(({ call, id }) => call === params.call || id === params.call);
  if (question === undefined || parked === null) return keepAgain(reach, { params, found });
  if (question.kind === 'approval' && params.call !== question.id) throw unnamed(question);
  const words = wordsOf(question, params.answer);
  if (open.length === 1) await refuseUnaskable(reach, parked, params);
  const called = calledIn(parked, question.call);
  const isPermission = question.kind === 'approval' && isAllowed(words);
  const denied = question.kind === 'approval' ? deniedResult(called, words) : answeredResult(called, words);
  const { again, turn } = await callHub(reach, 'loom.turn_answer', {
    ...{ turn: params.turn, question: question.id, answer: words, result: isPermission ? null : denied },
  });
  const isLast = !again && turn.state === 'running';
  return { found, question, words, isNew: !again, isLast, isAllowed: isPermission };
}

/** The next command may have the same call id: whoever allows one must have seen that one. */
function unnamed({ id }: KeptAnswer['question']): HubError {
  return new HubError('invalid_params', 'a command is allowed by the id that its node will have', {
    hint: `look at what it is, then give: ${id}`,
  });
}

/** What is no open question has an answer, which may be this one; or is none at all. */
async function keepAgain(
  reach: InternalCaller,
  { params, found }: { params: AnswerParams; found: Found },
): Promise<KeptAnswer> {
  const known = found.questions.findLast(({ call, id }) => call === params.call || id === params.call);
  const words = wordsOf(known ?? { options: [] }, params.answer);
  const { turn, call: question } = params;
  const kept = await callHub(reach, 'loom.turn_answer', { turn, question, answer: words, result: null });
  if (!kept.again) throw new HubError('internal', `the question ${question} was not open`);
  return {
    found,
    question: { call: question, id: found.turn.tip, kind: 'question' },
    words,
    ...{ isNew: false, isLast: false, isAllowed: false },
  };
}

function calledIn({ blocks }: Parked, id: string) {
  const block = blocksOfType(blocks, 'call').find((one) => one.id === id);
  const { tool, input } = block ?? { tool: 'ask_user', input: null };
  return { call: id, tool, input };
}

async function refuseUnaskable(reach: InternalCaller, parked: Parked, params: AnswerParams): Promise<void> {
  const known = await settingsOf(reach, parked);
  const chosen = chooseModel({ known, change: null, usual: null, access: params.access });
  await refuseUnknownPrice(params, chosen);
}

/** A turn that goes on, and the calls of its step that are still to be executed. */
export interface Resumed {
  work: TurnWork;
  calls: ModelCall[];
}

/** Takes a turn up again whose last question has its answer: with its step still under way, and the settings of that. */
export async function resumeTurn(
  beginning: Omit<Beginning, 'resumed'>,
  params: AnswerParams,
  kept: KeptAnswer,
): Promise<Resumed> {
  const { reach, turn } = beginning;
  const { found, question, words } = kept;
  const { parked } = found;
  try {
    if (parked === null) throw new HubError('internal', `the turn ${turn.id} did not wait`);
    const { tree } = turn;
    const change = SettingsChange.parse({ from: parked.settings });
    const run = { ...params, id: turn.id, tree, node: parked.parent, change, usual_model: null, transcript: null };
    const approvals = approvalsIn([...found.questions, { ...question, answer: words }]);
    const work = await beginTurn({ ...beginning, resumed: { cwd: parked.cwd, approvals } }, run);
    turn.spending = await spentBy(reach, turn.id);
    turn.step = newStep(parked.step);
    turn.step.answer.blocks = parked.blocks;
    turn.activity = 'calling';
    const { model, level, tip } = turn;
    turn.tell({ kind: 'turn_resumed', turn: turn.id, tree, tip, model, level });
    const { call, id } = question;
    turn.tell({ kind: 'question_answered', turn: turn.id, call, id, answer: words });
    return { work, calls: callsLeft(parked, kept) };
  } catch (error) {
    // It runs as far as anybody knows, and nobody would ever end it.
    await callHub(reach, 'loom.turn_end', { turn: turn.id, state: 'failed' });
    throw error;
  }
}

/** What of the step has no result: of the questions, only the last one had none when it was looked at. */
function callsLeft(parked: Parked, { question, isAllowed: runs }: KeptAnswer): ModelCall[] {
  const left = parked.open_calls.filter(({ call }) => runs || call !== question.call);
  return left.map(({ call, id }) => ({ ...calledIn(parked, call), id, problem: null }));
}

/** What a turn has used in all, from its account: limits count from its beginning. */
async function spentBy(reach: InternalCaller, turn: TurnId): Promise<Spending> {
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

/** What a turn has come to that waits for a person. */
export async function parkedOutcome(reach: InternalCaller, { turn, parked }: Found): Promise<TurnOutcome> {
  const spending = await spentBy(reach, turn.id);
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

/** Where a turn stands that waits for a person, for who comes later; its calls are those that have no result yet. */
export async function parkedSnapshot(reach: InternalCaller, id: TurnId): Promise<AgentEvent | null> {
  const { turn, parked } = await callHub(reach, 'loom.turn_get', { turn: id });
  if (parked === null) return null;
  const calls = parked.open_calls.map(({ call, id: node }) => {
    const { tool, input } = calledIn(parked, call);
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

/** How many turns that wait are told of at once: the newest. */
const PARKED_MAX = 100;

/** The turns that wait for a person, as a status tells of them. */
export async function parkedTurns(reach: InternalCaller, tree: ParsedOf<'agent.status'>['tree']) {
  const { turns } = await callHub(reach, 'loom.turn_list_waiting', { tree, cursor: null, limit: PARKED_MAX });
  return Promise.all(
    turns.map(async ({ turn, parked }) => {
      const settings = await settingsOf(reach, parked);
      const { iterations, usage, price } = await spentBy(reach, turn.id);
      return {
        ...{ turn: turn.id, tree: turn.tree, node: turn.node, tip: parked.parent },
        ...{ model: settings?.model ?? '', level: levelOf(settings), activity: 'asking' as const, iterations, usage },
        ...{ price_microdollars: usage === null ? null : price, started_at_ms: turn.started_at_ms },
        ...{ parent: null, task: null, questions: parked.questions },
      };
    }),
  );
}
