import { asked, type Reach } from '../context/reach.js';
import type { HubError } from '../error.js';
import type { Block, Node, NodeId, Sha256 } from '../protocol/node.js';
import type { TurnLimits, TurnOutcome, TurnReason } from '../protocol/turn.js';
import type { Account, RequestCost, RequestId } from './account.js';
import type { Answer } from './answer.js';
import { askModel, type ModelReply } from './asking.js';
import { cacheMarks } from './cache_marks.js';
import { callsIn, executeCalls, keptOf, refusedOf } from './calling.js';
import type { Executor } from './executor.js';
import type { Journal, StepRecord } from './journal.js';
import { type ModelName, outputTokensMax } from './models.js';
import { promptOf } from './prompt.js';
import type { LoadImage, ModelEvent, ModelRequest, Provider, ProviderParts } from './provider.js';
import { newStep, type RunningTurn } from './running.js';
import { type StoredSettings, thinkingOf, toolsIn } from './settings.js';
import { addRequest, limitReached } from './spending.js';

/** All that a turn works with. */
export interface TurnWork {
  reach: Reach;
  turn: RunningTurn;
  journal: Journal;
  executor: Executor;
  account: Account;
  provider: Provider;
  model: ModelName;
  /** How the provider is reached; the key is held here, and nowhere that outlives the turn. */
  access: { baseUrl: string | null; key: string | null };
  settings: StoredSettings;
  /** The nodes of the path that are sent, growing with each step. */
  path: Node[];
  /** The models that signed something on the path. */
  models: Map<Sha256, string>;
  limits: TurnLimits;
  loadImage: LoadImage;
  timers: ProviderParts;
  random(): number;
  newNodeId(): NodeId;
}

/** How a turn came to its end. */
export interface TurnEnd {
  state: Exclude<TurnOutcome['state'], 'running'>;
  why: TurnReason;
  failure: HubError | null;
}

/** Steps until the model has answered, a limit is reached, or somebody stops it. */
export async function runSteps(work: TurnWork): Promise<TurnEnd> {
  const { turn, limits } = work;
  for (;;) {
    const stopped = stopOf(turn);
    if (stopped !== null) return stopped;
    const reached = limitReached(turn.spending, limits);
    if (reached !== null) return ended('stopped', reached);
    const id = work.newNodeId();
    turn.step = newStep(id);
    const counted: Promise<void>[] = [];
    const reply = await ask(work, id, counted);
    turn.spending.iterations += 1;
    const end = await settle(work, id, reply);
    // What was spent decides whether there is another request.
    await Promise.all(counted);
    if (end !== null) return end;
  }
}

function ended(state: TurnEnd['state'], why: TurnReason): TurnEnd {
  return { state, why, failure: null };
}

/** How a turn ends that was told to: by a limit it is stopped, otherwise interrupted. */
function stopOf(turn: RunningTurn): TurnEnd | null {
  const why = turn.stoppedBy();
  return why === null ? null : ended(why === 'time' ? 'stopped' : 'interrupted', why);
}

/** Asks the model for the path as it is; what it says is told while it comes. */
function ask(work: TurnWork, node: NodeId, counted: Promise<void>[]): Promise<ModelReply> {
  const { turn, account, provider, timers, random } = work;
  const request = requestFor(work);
  let current: RequestId | null = null;
  return askModel(
    {
      ...{ provider, request, timers, random },
      on: {
        sent(attempt, answer) {
          const id = account.begin(turn.tip);
          current = id;
          turn.activity = 'waiting';
          if (turn.step !== null) turn.step.answer = answer;
          turn.tell({ kind: 'request_started', turn: turn.id, request: id, node, attempt });
          return (ending) => void counted.push(count(turn, id, account.end(id, node, ending)));
        },
        heard: (event) => tellHeard(turn, event),
        failed({ message, data }, retry_in_ms) {
          turn.activity = 'retrying';
          if (current === null) return;
          turn.tell({ kind: 'request_failed', turn: turn.id, request: current, message, data, retry_in_ms });
        },
        restarted: (attempt) => turn.tell({ kind: 'answer_restarted', turn: turn.id, attempt }),
      },
    },
    turn.signal,
  );
}

async function count(turn: RunningTurn, request: RequestId, cost: Promise<RequestCost>): Promise<void> {
  const { usage, price } = await cost;
  addRequest(turn.spending, usage, price);
  if (usage !== null) turn.tell({ kind: 'usage_counted', turn: turn.id, request, usage, price_microdollars: price });
}

function requestFor(work: TurnWork): ModelRequest {
  const { settings, model, access, loadImage } = work;
  const { system_prompt, messages } = promptOf(work.path, { current: settings.settings, models: work.models });
  return {
    model: model.model,
    systemPrompt: system_prompt,
    tools: toolsIn(settings.settings),
    messages,
    outputTokensMax: outputTokensMax(model),
    thinking: thinkingOf(settings.settings),
    cache: { messages: cacheMarks(messages), lifetime: '5m' },
    loadImage,
    baseUrl: access.baseUrl,
    key: access.key,
  };
}

function tellHeard(turn: RunningTurn, event: ModelEvent): void {
  turn.activity = 'answering';
  if (event.kind === 'text') turn.tell({ kind: 'text_added', turn: turn.id, text: event.text });
  else if (event.kind === 'thinking') turn.tell({ kind: 'thinking_added', turn: turn.id, text: event.text });
  else if (event.kind === 'call_begun') {
    turn.tell({ kind: 'call_announced', turn: turn.id, call: event.id, tool: event.tool });
  }
}

/** Makes a step of what the model said; null when the turn goes on. */
async function settle(work: TurnWork, id: NodeId, { answer, failure }: ModelReply): Promise<TurnEnd | null> {
  if (failure !== null) {
    await keep(work, id, keptOf(answer));
    return stopOf(work.turn) ?? { state: 'failed', why: 'failed', failure };
  }
  switch (answer.end) {
    case 'refused':
      await keep(work, id, refusedOf(answer));
      return ended('stopped', 'refused');
    case 'max_tokens':
    case 'context_too_long':
      // Its last call may be cut off, and the others may only have made sense together with that.
      await keep(work, id, answer.blocks);
      return ended('stopped', answer.end);
    case 'empty':
    case null:
      await keep(work, id, answer.blocks);
      return ended('stopped', 'empty');
    case 'answered':
    case 'calls':
      return settleAnswer(work, id, answer);
  }
}

async function settleAnswer(work: TurnWork, id: NodeId, answer: Answer): Promise<TurnEnd | null> {
  const calls = callsIn(answer, work.newNodeId);
  if (calls.length === 0) {
    await keep(work, id, answer.blocks);
    return (await takeInputs(work, ['steer', 'after'])) ? null : ended('done', 'answered');
  }
  const { turn, journal, executor } = work;
  const parent = turn.tip;
  if (turn.step !== null) {
    turn.step.calls = calls.map(({ call, id: node, tool, input }) => ({
      call,
      id: node,
      tool,
      input,
      state: 'waiting',
    }));
  }
  await journal.recordAnswer({ ...recordOf(work, id, answer.blocks), calls });
  try {
    await executeCalls({ turn, executor, journal, parent, calls });
  } finally {
    committed(work, await journal.commit());
  }
  if (!turn.signal.aborted) await takeInputs(work, ['steer']);
  return null;
}

function recordOf({ turn, settings }: TurnWork, id: NodeId, blocks: Block[]): StepRecord {
  return { parent: turn.tip, id, blocks, settings: settings.sha256, calls: [] };
}

/** Commits an answer whose calls, if it has any, are not executed. */
async function keep(work: TurnWork, id: NodeId, blocks: Block[]): Promise<void> {
  if (blocks.length === 0) return;
  committed(work, await work.journal.commitAnswer(recordOf(work, id, blocks)));
}

function committed({ turn, path }: TurnWork, nodes: Node[]): void {
  path.push(...nodes);
  turn.tip = nodes.at(-1)?.id ?? turn.tip;
  turn.step = null;
  turn.tell({ kind: 'step_committed', turn: turn.id, nodes: nodes.map(({ id }) => id), tip: turn.tip });
}

/** Makes user nodes of what people said meanwhile; true when there was anything. */
async function takeInputs({ reach, turn, path }: TurnWork, kinds: readonly ('steer' | 'after')[]): Promise<boolean> {
  const { inputs } = await asked(reach, 'loom.turn_get', { turn: turn.id });
  const wanted = inputs.filter(({ kind }) => kinds.includes(kind));
  for (const { id: input } of wanted) {
    const { node } = await asked(reach, 'loom.input_take', { turn: turn.id, input, parent: turn.tip });
    path.push(node);
    turn.tip = node.id;
    turn.tell({ kind: 'input_taken', turn: turn.id, input, tip: turn.tip });
  }
  return wanted.length > 0;
}
