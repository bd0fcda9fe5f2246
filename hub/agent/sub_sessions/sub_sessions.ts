import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { OWN_COPY } from '../../protocol/limits.js';
import { MarkName, NodeId, TreeId, TurnId } from '../../protocol/node.js';
import { type AgentEvent, SettingsChange, type ThinkingLevel, type TurnReason } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import { recordsWith } from '../model/caller_servers.js';
import { formatModelName, type ModelName, parseModelName } from '../model/model_names.js';
import { accessTo, isPending } from '../model/provider_access.js';
import { addRequest, limitReached } from '../request/spending.js';
import type { CallSurroundings } from '../tools/model_call.js';
import type { Errand, RunningTurn } from '../turn/running_turn.js';
import type { RunParams } from '../turn/turn_params.js';
import { grantsFor } from './child_grants.js';
import { modelFor, outsideFor } from './child_model.js';
import { limitsLeft } from './limits_left.js';
import { type OutputFile, openOutputFile } from './output_file.js';
import { progressOutput } from './progress_output.js';
import { createSlots } from './run_slots.js';
import type { EndedSubSession, SessionCall, SubSessions } from './session_call.js';
import { failureOf, type SessionEnd, sessionResult } from './session_result.js';

/** Sub-sessions of one turn that run at once; more wait. */
const AT_ONCE_MAX = 8;
/** Sub-sessions that one turn may begin. */
const SESSIONS_MAX = 100;
/** Characters of a task that are shown. */
const TASK_LENGTH_MAX = 80;

export interface SubSessionParts {
  reach: InternalCaller;
  /** The turn that they work for, and what it was begun with. */
  turn: RunningTurn;
  params: RunParams;
  project: string;
  model: ModelName;
  thinking: ThinkingLevel;
  /** Whether it reads pages: then they do, too. */
  web: boolean;
  agent: AgentParts;
  run(params: RunParams, errand: Errand): RunningTurn;
}

/** Opens what starts the sub-sessions of a turn; nothing is begun yet. */
export function openSubSessions(parts: SubSessionParts): SubSessions {
  const slots = createSlots(AT_ONCE_MAX);
  let begun = 0;
  const ask: SubSessions['ask'] = async (asking, around) => {
    if (begun >= SESSIONS_MAX) {
      throw new HubError('limit', `${asking.call.tool} was not run: a turn may begin ${SESSIONS_MAX} sub-sessions`);
    }
    begun += 1;
    const giveBack = await slots.acquire(around.signal);
    try {
      return await runSession(parts, asking, around);
    } finally {
      giveBack();
    }
  };
  return { ask, run: async (asking, around) => (await ask(asking, around)).result(null) };
}

async function runSession(
  parts: SubSessionParts,
  asking: SessionCall,
  around: CallSurroundings,
): Promise<EndedSubSession> {
  const { reach, turn, agent } = parts;
  const { call, input } = asking;
  const startedAtMs = agent.timers.nowMs();
  const planned = await planRun(parts, asking, around.signal);
  const isExposed = planned.params.transcript !== null;
  const file = await outputFile(parts, asking, { around, tree: planned.params.tree, isExposed });
  const task = firstWords(input.task);
  const named = await addTask(parts, asking, planned.params);
  const { tree } = planned.params;
  if (input.own === true) await makeCopy(parts, planned);
  const child = parts.run(planned.params, { parent: { turn: turn.id, call: call.call }, task });
  const about = { turn: turn.id, call: call.call, id: call.id, session: tree, session_turn: child.id };
  const attachable = input.attachable === true;
  turn.emit({ kind: 'session_started', ...about, task, model: planned.model, attachable });
  const { end, transcript } = await awaitChild(parts, child, around);
  if (named !== null) await callHub(reach, 'loom.mark_set', { tree, name: SESSION_MARK, node: end.tip });
  const remarks = [file === null ? null : await file.fill(transcript), named === null ? null : `session_id: ${named}`];
  const ended = {
    ...{ id: call.id, call: call.call, tool: call.tool, input: call.input, tree, model: planned.model, task },
    ...{ attachable, isOwn: input.own === true, durationMs: agent.timers.nowMs() - startedAtMs },
  };
  return {
    ...{ text: end.text, state: end.state, reason: failureOf(end, tree), place: { tree, node: end.tip } },
    result: (remark) =>
      sessionResult(
        reach,
        { ...ended, remark: [...remarks, remark].filter((one) => one !== null).join('; ') || null },
        end,
      ),
  };
}

/** Where a session of a project goes on. */
const SESSION_MARK = MarkName.parse('session');

/** Says the task: where an earlier one stands, in a session of the project, or in a tree of its own. The name of a session, if it has one. */
async function addTask(parts: SubSessionParts, asking: SessionCall, planned: RunParams): Promise<string | null> {
  const { reach, project, params } = parts;
  const { input, place = null, call } = asking;
  const wanted = input.session_id ?? null;
  if (place === null && wanted === null) {
    await createTree(parts, asking, planned);
    return null;
  }
  const opening = { id: planned.tree, project, session: wanted };
  const found = place ?? (await callHub(reach, 'history.session_open', opening));
  if (found.tree === params.tree) {
    throw new HubError('invalid_params', `${call.tool} was not run: ${wanted} is this conversation`);
  }
  planned.tree = found.tree;
  await callHub(reach, 'loom.node_create_text', {
    ...{ id: planned.node, tree: found.tree, parent: found.node, role: 'user', settings: null },
    blocks: [{ type: 'text', text: input.task }],
  });
  return wanted;
}

function outputFile(
  { reach, agent, params }: SubSessionParts,
  { input, policy, session, cwd }: SessionCall,
  { around, tree, isExposed }: { around: CallSurroundings; tree: TreeId; isExposed: boolean },
): Promise<OutputFile | null> {
  if (input.output_file === undefined) return Promise.resolve(null);
  const place = { tree: params.tree, node: around.parent };
  const wanted = { path: input.output_file, cwd, policy, session, place, newId: agent.newId, isExposed };
  return openOutputFile(reach, wanted, tree);
}

/** The parameters of a sub-session. What cannot work is refused before anything is created. */
async function planRun(
  { reach, turn, params, model: own, thinking, web, agent }: SubSessionParts,
  asking: SessionCall,
  signal: AbortSignal,
) {
  const { input, policy, cwd, level, call } = asking;
  const records = recordsWith(params.access);
  const { tool } = call;
  const outside = level === 'readonly' ? null : await outsideFor(reach, input, { records, policy, tool });
  const model = outside?.agent ?? modelFor(own, input.provider, { records, tool });
  if (outside === null) await requireAccess({ params, turn }, parseModelName(model, records), signal);
  const ofModel = outside === null ? { model, thinking, web: web ? true : null } : {};
  const change = SettingsChange.parse({ ...ofModel, level });
  const grants = await grantsFor({ reach, grants: params.grants, policy, cwd }, input.sandbox);
  const limits = limitsLeft(params.limits, turn.spending, agent.timers.nowMs() - turn.startedAtMs);
  // Its transcript lies beside that of whoever it works for, in a file of its own.
  const transcript = params.transcript !== null && 'folder' in params.transcript ? params.transcript : null;
  const planned: RunParams = {
    ...params,
    ...{ id: TurnId.parse(agent.newId()), tree: TreeId.parse(agent.newId()), node: NodeId.parse(agent.newId()) },
    ...{ change, usual_model: null, limits, cwd, grants, transcript, outside, stream: undefined },
    // It is over before a cache is.
    cache: 'auto',
    // What the person said of one model's window does not hold for another's.
    window: model === formatModelName(own) ? params.window : null,
  };
  return { params: planned, model };
}

/** Refuses a model that cannot be reached. A key that the caller of the turn gets is wanted once, and kept for the rest of it. */
async function requireAccess(
  { params, turn }: Pick<SubSessionParts, 'params' | 'turn'>,
  name: ModelName,
  signal: AbortSignal,
): Promise<void> {
  const entry = params.access[name.provider];
  const isWanted = params.gives_keys && entry !== undefined && isPending(entry);
  if (isWanted) entry.key = await turn.keys.want(name.provider, signal);
  accessTo(name, params.access);
}

/** The tree of a sub-session belongs to the node that asked for it. */
async function createTree(parts: SubSessionParts, { call, input }: SessionCall, { tree, node }: RunParams) {
  const { reach, project, params } = parts;
  const blocks = [{ type: 'text' as const, text: input.task }];
  const message = { id: node, tree, parent: NodeId.parse(tree), role: 'user' as const, blocks, settings: null };
  // Sent together they share one wait for the disk.
  await Promise.all([
    callHub(reach, 'loom.tree_create', { id: tree, name: null, project, owner: { tree: params.tree, node: call.id } }),
    callHub(reach, 'loom.node_create_text', message),
  ]);
}

/** The copy of the project that a sub-session works in alone. */
async function makeCopy({ reach, project, agent }: SubSessionParts, { params }: { params: RunParams }): Promise<void> {
  params.id ??= TurnId.parse(agent.newId());
  const { id: turn, tree, node } = params;
  const made = { label: OWN_COPY, check: null, as_recorded: false };
  await callHub(reach, 'files.copy_make', { project, tree, node, turn, ...made });
}

interface ChildEnd {
  end: SessionEnd;
  /** The file of its transcript; null when there is none. */
  transcript: string | null;
}

/** Awaits a sub-session: passes on its output, counts what it spends, and stops it with its parent turn. */
async function awaitChild(parts: SubSessionParts, child: RunningTurn, around: CallSurroundings): Promise<ChildEnd> {
  const { turn } = parts;
  const say = progressOutput(around.onOutput);
  let transcript: string | null = null;
  const emit = (event: AgentEvent): void => {
    say(event);
    if (event.kind === 'usage_counted') countSpending(parts, child, event);
    else if (event.kind === 'transcript_opened') transcript = event.file;
  };
  const unfollow = child.follow({ emit, hasRoom: () => true });
  const stop = (): void => child.stop(turn.stoppedBy() ?? 'asked');
  around.signal.addEventListener('abort', stop, { once: true });
  if (around.signal.aborted) stop();
  try {
    return { end: await child.outcome, transcript };
  } catch (error) {
    return { end: failedStart(parts, child, error), transcript };
  } finally {
    around.signal.removeEventListener('abort', stop);
    unfollow();
    // A request that nobody counted is told by no event.
    if (child.spending.unpriced > 0) turn.spending.unpriced += 1;
  }
}

type Counted = Extract<AgentEvent, { kind: 'usage_counted' }>;

/** Adds the usage of a sub-session to its parent turn, whose limits end it. */
function countSpending(
  { turn, params }: SubSessionParts,
  child: RunningTurn,
  { usage, price_microdollars }: Counted,
): void {
  addRequest(turn.spending, usage, price_microdollars);
  const reached: TurnReason | null = limitReached({ ...turn.spending, iterations: 0 }, params.limits);
  if (reached !== null) child.stop(reached);
}

/** A sub-session that could not begin has failed; its parent's model is told. */
function failedStart({ agent }: SubSessionParts, child: RunningTurn, error: unknown): SessionEnd {
  if (!(error instanceof HubError)) {
    agent.log('error', `a sub-session failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`);
  }
  const failure = error instanceof HubError ? error : new HubError('internal', 'it failed unexpectedly');
  return {
    ...{ turn: child.id, state: 'failed', why: 'failed', tip: child.node, text: '' },
    failure: { message: failure.message, data: failure.data },
  };
}

/** The first words of a task, on one line. */
function firstWords(task: string): string {
  const line = [
    ...task
      .slice(0, 8 * TASK_LENGTH_MAX)
      .replace(/\s+/g, ' ')
      .trim(),
  ];
  return line.length > TASK_LENGTH_MAX ? `${line.slice(0, TASK_LENGTH_MAX - 1).join('')}…` : line.join('');
}
