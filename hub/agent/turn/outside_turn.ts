import { onAbort } from '../../base/abort.js';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { blocksOfType } from '../../base/node_blocks.js';
import { refuseWholeHome } from '../../config/home_as_project.js';
import type { ErrorKind } from '../../protocol/errors.js';
import type { ParsedOf } from '../../protocol/methods/method_table.js';
import { type Node, NodeId } from '../../protocol/node.js';
import type { ExchangeEvent, Fault, FaultKind, OutsideWork } from '../../protocol/outside_agent.js';
import { RequestId } from '../../protocol/usage.js';
import type { AgentParts } from '../agent_parts.js';
import { agentQuestion, allowsSame, allowsTurn, refusalWords, TOO_LONG } from '../outside/agent_question.js';
import { type AgentQuestion, beginExchange, type LiveExchange } from '../outside/live_exchange.js';
import { sentNodes, settingsOf } from '../request/model_context.js';
import { firstSettings, levelOf } from '../settings/settings.js';
import { refuseNesting } from '../settings/sub_session_nesting.js';
import { policyFor } from '../tools/executor.js';
import { readProject } from '../tools/project_folders.js';
import { createProjectWatch, type ProjectWatch } from '../tools/project_watch.js';
import { copyOf } from './copy_of_turn.js';
import type { OpenTurn } from './end_turn.js';
import { type ExchangeAccount, openExchangeAccount } from './exchange_account.js';
import { createTranslation } from './exchange_events.js';
import { stopEnd } from './loop.js';
import type { StoredAnswer } from './parked_turn.js';
import { newStep, type RunningTurn } from './running_turn.js';
import type { RunParams } from './turn_params.js';
import type { TurnEnd, TurnParking } from './turn_work.js';

/** A turn in which an outside agent answers, once, instead of a model. */
export interface OutsideTurn extends OpenTurn {
  watch: ProjectWatch;
  newNodeId(): NodeId;
  account: ExchangeAccount;
  /** What the agent does, and what it answers, become these nodes. */
  id: NodeId;
  answer: NodeId;
  /** Null until it has begun. */
  exchange: LiveExchange | null;
  /** The question that it waits with, by its own id. */
  openQuestion: string | null;
  questions: number;
  /** Whether the person has allowed whatever it asks, and the questions that need not be asked again. */
  allowsAll: boolean;
  allowed: Set<string>;
  call: Omit<ParsedOf<'outside.run'>, 'id' | 'place'>;
}

/** Gathers what the exchange needs and opens the turn. */
export async function beginOutside(
  { reach, parts, turn }: { reach: InternalCaller; parts: AgentParts; turn: RunningTurn },
  params: RunParams,
  work: OutsideWork,
): Promise<OutsideTurn> {
  const { tree, node, change, limits, grants, environment } = params;
  const [path, { project: treeProject, owner }, place] = await Promise.all([
    sentNodes(reach, node),
    callHub(reach, 'loom.tree_get', { tree }),
    callHub(reach, 'loom.context_get_place', { node }),
    callHub(reach, 'loom.node_check', { tree, node }),
  ]);
  await refuseNesting(reach, owner, change);
  const content = await readProject(reach, {
    ...{ project: treeProject, branch: place.model_cwd, caller: params.cwd, parts: [] },
  });
  const { project, cwd } = content;
  refuseWholeHome(project, grants);
  const { current } = await settingsOf(reach, path);
  const level = change?.level ?? levelOf(current ?? (await firstSettings(reach, tree)));
  const copy = await copyOf(reach, turn, grants);
  await callHub(reach, 'loom.turn_start', { id: turn.id, tree, node });
  const model = work.model === null ? work.agent : `${work.agent} ${work.model}`;
  Object.assign(turn, { node, tip: node, model, level });
  turn.emit({ kind: 'turn_started', turn: turn.id, tree, node, model, level, instructions: [], cut: [], refused: [] });
  const policy = policyFor({ level, grants, project, copy });
  const newNodeId = (): NodeId => NodeId.parse(parts.newId());
  const made: OutsideTurn = {
    ...{ reach, turn, path: [...path.nodes], limits, newNodeId, id: newNodeId(), answer: newNodeId() },
    ...{ exchange: null, openQuestion: null, questions: 0, allowsAll: false, allowed: new Set() },
    watch: createProjectWatch(reach, { turn, node, project, policy }),
    account: openExchangeAccount({
      ...{ reach, turn: () => made.turn, work, parent: node, environment: environment ?? {} },
      ...{ newId: parts.newId, nowMs: parts.timers.nowMs },
    }),
    call: {
      ...{ ...work, turn: turn.id, level, cwd, project, policy, environment },
      ...{ time_ms: limits.time_ms, idle_ms: IDLE_MS_MAX, turns_max: limits.iterations ?? TURNS_MAX },
    },
  };
  return made;
}

/** The end of a long text: all of it is in the run. */
const SAID_LENGTH_MAX = 20_000;
const IDLE_MS_MAX = 600_000;
const TURNS_MAX = 200;

/** Lets the agent work until it has answered, or asks the person something. */
export async function runOutside(work: OutsideTurn): Promise<TurnEnd | TurnParking> {
  await work.watch.begin();
  tellBeginning(work);
  work.exchange = begin(work);
  return followExchange(work, work.exchange);
}

/** Goes on with an agent that waited; without an answer it has ended meanwhile, or is to end. */
export async function resumeOutside(
  work: OutsideTurn,
  said: Pick<StoredAnswer, 'question' | 'words' | 'isAllowed'> | null,
): Promise<TurnEnd | TurnParking> {
  const { reach, turn, exchange, openQuestion } = work;
  const { id, tree, tip, model, level } = turn;
  turn.emit({ kind: 'turn_resumed', turn: id, tree, tip, model, level });
  if (said !== null) {
    const { call, id: question } = said.question;
    turn.emit({ kind: 'question_answered', turn: id, call, id: question, answer: said.words });
  }
  tellBeginning(work);
  await callHub(reach, 'loom.turn_commit_step', { turn: id });
  if (exchange === null) throw new HubError('internal', `no agent works for the turn ${turn.id}`);
  if (said !== null && openQuestion !== null) {
    work.allowsAll = said.isAllowed && allowsTurn(said.words);
    if (said.isAllowed && allowsSame(said.words)) work.allowed.add(said.question.question);
    await exchange.answer(openQuestion, { allow: said.isAllowed, words: refusalWords(said.words) });
  }
  work.openQuestion = null;
  return followExchange(work, exchange);
}

function tellBeginning({ turn, answer }: OutsideTurn): void {
  turn.activity = 'answering';
  turn.step = newStep(answer);
  turn.emit({ kind: 'request_started', turn: turn.id, request: RequestId.parse(answer), node: answer, attempt: 1 });
}

function begin(work: OutsideTurn): LiveExchange {
  const { reach, turn, call, id, account } = work;
  const hear = createTranslation(
    () => work.turn,
    work.newNodeId,
    (event) => {
      account.take(event);
      keepText(work.turn.step, event);
    },
  );
  return beginExchange(reach, { ...call, id, place: { tree: turn.tree, node: turn.tip }, stream: id }, hear);
}

/** Keeps what was said since the last call, for those who follow later. */
function keepText(step: RunningTurn['step'], event: ExchangeEvent): void {
  if (step === null) return;
  if (event.kind === 'call_started') step.answer.blocks = [];
  if (event.kind !== 'text') return;
  const [said] = blocksOfType(step.answer.blocks, 'text');
  step.answer.blocks = [{ type: 'text', text: `${said?.text ?? ''}${event.text}`.slice(-SAID_LENGTH_MAX) }];
}

async function followExchange(work: OutsideTurn, exchange: LiveExchange): Promise<TurnEnd | TurnParking> {
  const stopListening = onAbort(work.turn.signal, exchange.stop);
  try {
    for (;;) {
      const question = await exchange.next();
      if (question === null) return await finish(work, exchange);
      const parking = work.turn.signal.aborted ? null : await ask(work, exchange, question);
      if (parking !== null) return parking;
    }
  } finally {
    stopListening();
  }
}

/** Parks the turn by a question of its agent; null for one that needs no person. */
async function ask(work: OutsideTurn, exchange: LiveExchange, raised: AgentQuestion): Promise<TurnParking | null> {
  const { reach, turn, call, newNodeId } = work;
  work.questions += 1;
  const id = `question-${work.questions}`;
  const about = { agent: call.agent, isSandboxed: call.policy.kind === 'contained' };
  const question = agentQuestion(id, raised, about);
  const isAllowed = work.allowsAll || (question !== null && work.allowed.has(question.question));
  if (isAllowed || question === null) {
    await exchange.answer(raised.question, { allow: isAllowed, words: TOO_LONG });
    return null;
  }
  const blocks = [{ type: 'call' as const, id, tool: raised.tool, input: raised.input }];
  await callHub(reach, 'loom.turn_record_answer', {
    ...{ turn: turn.id, parent: turn.tip, id: newNodeId(), blocks, settings: null },
    ...{ calls: [{ call: id, id: newNodeId() }], asks_only: true },
  });
  work.openQuestion = raised.question;
  const { questions } = await callHub(reach, 'loom.turn_park', { turn: turn.id, questions: [question] });
  return { state: 'parked', questions };
}

/** Appends what the agent did and its answer. */
async function finish(work: OutsideTurn, exchange: LiveExchange): Promise<TurnEnd> {
  const { reach, turn, path, account, id, answer } = work;
  const { node, text, fault } = await exchange.result.catch((error: unknown) => {
    // The next process of the tools appends what it did, and tells it when it is asked again.
    if (!isToolsGone(error) || turn.signal.aborted) throw error;
    return begin(work).result;
  });
  if (node !== null) addNode(work, node);
  // The count of an answer would be taken for that of its path.
  await account.end(node?.id ?? id, fault);
  if (text.trim() !== '') {
    const made = await callHub(reach, 'loom.node_create_text', {
      ...{ id: answer, tree: turn.tree, parent: turn.tip, role: 'assistant', blocks: [{ type: 'text', text }] },
      ...{ settings: null, turn: turn.id },
    });
    addNode(work, made.node);
  }
  const nodes = path.slice(-2).flatMap((one) => (one.id === id || one.id === answer ? [one.id] : []));
  turn.emit({ kind: 'step_committed', turn: turn.id, nodes, tip: turn.tip });
  work.watch.stepEnded(turn.tip);
  return stopEnd(turn) ?? endOf(fault);
}

function isToolsGone(error: unknown): boolean {
  return error instanceof HubError && error.kind === 'unreachable' && error.retryable;
}

function addNode({ turn, path }: OutsideTurn, node: Node): void {
  path.push(node);
  turn.tip = node.id;
}

function endOf(fault: Fault | null): TurnEnd {
  if (fault === null) return { state: 'done', why: 'answered', failure: null };
  if (fault.kind === 'timeout') return { state: 'stopped', why: 'time', failure: null };
  const { kind, message, hint, retryable } = fault;
  const failure = new HubError(ERROR_KINDS[kind], message, {
    ...(hint === null ? {} : { hint }),
    ...{ retryable, details: { fault: kind } },
  });
  return { state: 'failed', why: 'failed', failure };
}

const ERROR_KINDS: Readonly<Record<FaultKind, ErrorKind>> = {
  not_installed: 'not_found',
  not_logged_in: 'no_key',
  rate_limited: 'rate_limited',
  overloaded: 'overloaded',
  refused: 'rejected',
  session_lost: 'not_found',
  session_switched: 'conflict',
  too_long: 'context_too_long',
  timeout: 'limit',
  idle: 'limit',
  killed: 'unreachable',
  cancelled: 'cancelled',
  protocol: 'unreachable',
  empty: 'unreachable',
  failed: 'unreachable',
};
