import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { refuseWholeHome } from '../../config/home_as_project.js';
import type { ErrorKind } from '../../protocol/errors.js';
import type { ParsedOf } from '../../protocol/methods/method_table.js';
import { type Node, NodeId } from '../../protocol/node.js';
import type { Fault, FaultKind, OutsideWork } from '../../protocol/outside_agent.js';
import { RequestId } from '../../protocol/usage.js';
import type { AgentParts } from '../agent_parts.js';
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
import type { RunningTurn } from './running_turn.js';
import type { RunParams } from './turn_params.js';
import type { TurnEnd } from './turn_work.js';

/** A turn in which an outside agent answers, once, instead of a model. */
export interface OutsideTurn extends OpenTurn {
  watch: ProjectWatch;
  newNodeId(): NodeId;
  account: ExchangeAccount;
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
  refuseAsking(level, work);
  const copy = await copyOf(reach, turn, grants);
  await callHub(reach, 'loom.turn_start', { id: turn.id, tree, node });
  const model = work.model === null ? work.agent : `${work.agent} ${work.model}`;
  Object.assign(turn, { node, tip: node, model, level });
  turn.emit({ kind: 'turn_started', turn: turn.id, tree, node, model, level, instructions: [], cut: [], refused: [] });
  const policy = policyFor({ level, grants, project, copy });
  return {
    ...{ reach, turn, path: [...path.nodes], limits },
    watch: createProjectWatch(reach, { turn, node, project, policy }),
    newNodeId: () => NodeId.parse(parts.newId()),
    account: openExchangeAccount({
      ...{ reach, turn, work, parent: node, environment: environment ?? {} },
      ...{ newId: parts.newId, nowMs: parts.timers.nowMs },
    }),
    call: {
      ...{ ...work, turn: turn.id, level, cwd, project, policy, environment },
      ...{ time_ms: limits.time_ms, idle_ms: IDLE_MS_MAX, turns_max: limits.iterations ?? TURNS_MAX },
    },
  };
}

const IDLE_MS_MAX = 600_000;
const TURNS_MAX = 200;

/** What an agent asks before a call cannot wait for a person yet. */
function refuseAsking(level: RunningTurn['level'], { agent }: OutsideWork): void {
  if (level !== 'ask') return;
  throw new HubError(
    'invalid_params',
    `at level ask nothing runs that was not permitted, and ${agent} cannot wait for that`,
    {
      hint: 'let it work at level readonly, or at level minimal in the sandbox',
    },
  );
}

/** Lets the agent work, and appends what it did and its answer. */
export async function runOutside(work: OutsideTurn): Promise<TurnEnd> {
  const { reach, turn, path, watch, call, account } = work;
  const [id, answer] = [work.newNodeId(), work.newNodeId()];
  await watch.begin();
  turn.activity = 'answering';
  turn.emit({ kind: 'request_started', turn: turn.id, request: RequestId.parse(answer), node: answer, attempt: 1 });
  const translate = createTranslation(turn, work.newNodeId, account.take);
  const around = { hub: reach.hub, context: { ...reach.context, signal: turn.signal, emit: translate } };
  const params = { ...call, id, place: { tree: turn.tree, node: turn.tip }, stream: id };
  const { node, text, fault } = await callHub(around, 'outside.run', params).catch((error: unknown) => {
    // The next process of the tools appends what it did, and tells it when it is asked again.
    if (!isToolsGone(error) || turn.signal.aborted) throw error;
    return callHub(around, 'outside.run', params);
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
  watch.stepEnded(turn.tip);
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
