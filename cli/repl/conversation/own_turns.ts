import { HubError } from '../../../hub/base/error.js';
import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../../hub/protocol/turn.js';
import { exitCodeOf } from '../../output/failure.js';
import { newTurnId } from '../../position/ids.js';
import { makeCopyOfBranch } from '../../race/own_copy.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import { forgetPrintedKeys, withCommandKey } from '../../turn/key_command.js';
import type { AgentChoice } from '../../turn/outside_agent.js';
import { showAll } from './chat_display.js';
import { beginningOf, broughtBy, type ChatTurnOptions, commandKeys, reachOf } from './chat_turn_options.js';
import type { ConversationParts } from './conversation_parts.js';
import type { Verdict } from './exit_code.js';
import { countTokens, type TokenCount } from './token_totals.js';
import { type Answering, createTurnInputs, type TurnInputs, type TypedMessage } from './turn_inputs.js';
import { endOf, exitCodeOfEnd, failureWords, lateWords, partedWords } from './turn_notes.js';

/** The turn that the person of this REPL follows: at most one at a time. */
export interface OwnTurns {
  /** The running turn; null when there is none. */
  current(): TurnId | null;
  /** The node where it began; null without a turn, or when unknown. */
  start(): NodeId | null;
  /** Runs a turn from a node, in which a model answers, or an agent. */
  begin(node: NodeId, agent?: AgentChoice): void;
  /** Follows a turn that runs already, in the hub of `by` if that is another. */
  join(turn: TurnId, by: string | null): void;
  /** Answers a question of a parked turn, and follows it again. */
  answer(params: Answering): void;
  /** Summarises the path to the position, or the branch to a node that was left. */
  compact(instructions: string | null, left?: NodeId | null): void;
  /** Sends an input to it; false when it has ended meanwhile. */
  steer(said: TypedMessage, kind: 'steer' | 'after'): Promise<boolean>;
  /** Stops it and keeps its nodes; false when there is none. */
  stop(): Promise<boolean>;
  /** Brings what it has not heard yet back into the editor. */
  takeBack(): Promise<void>;
  /** A node has come that may be an input to it: what another hub has heard is told by that alone. */
  heard(node: NodeId): void;
  /** Takes an event of the tree's turns. */
  take(event: AgentEvent): void;
  /** Resolves when no turn runs. */
  idle(): Promise<void>;
  /** Stops following it: only its end is shown. */
  part(): void;
  /** Shows nothing any more, not even its end; the turn itself goes on. */
  leave(): void;
}

interface Current {
  id: TurnId;
  /** Whose hub has it; null for this one. */
  by: string | null;
  isStopping: boolean;
  ended: Promise<void>;
  start: NodeId | null;
  /** The command that continues it after an interruption. */
  goOn: string;
  change: ChatTurnOptions['change'] | null;
  agent: AgentChoice | null;
}

interface TurnState {
  parts: ConversationParts;
  turnOptions: ChatTurnOptions;
  verdict: Verdict;
  current: Current | null;
  inputs: TurnInputs;
  /** The last one of another hub. */
  atHub: { turn: TurnId; by: string } | null;
  isLeft: boolean;
  counted: TokenCount;
}

export function createTurns(parts: ConversationParts, turnOptions: ChatTurnOptions, verdict: Verdict): OwnTurns {
  const state: TurnState = {
    parts,
    turnOptions,
    verdict,
    current: null,
    inputs: createTurnInputs(parts, () => showStatus(state)),
    ...{ isLeft: false, atHub: null },
    counted: countTokens(),
  };
  return {
    current: () => state.current?.id ?? null,
    start: () => state.current?.start ?? null,
    begin: (node, agent) => begin(state, node, agent),
    join: (turn, by) => join(state, turn, by),
    answer: (params) => answer(state, params),
    compact: (instructions, left = null) => compact(state, instructions, left),
    steer: (said, kind) => steer(state, said, kind),
    stop: () => stop(state),
    takeBack: async () => (state.current?.by === null ? state.inputs.takeBack(state.current.id) : undefined),
    heard(node) {
      if (state.current?.by != null) state.inputs.taken(node);
    },
    take: (event) => take(state, event),
    async idle() {
      while (state.current !== null) await state.current.ended;
    },
    part() {
      state.current = null;
      state.inputs.clear();
      showStatus(state);
    },
    leave() {
      state.isLeft = true;
    },
  };
}

function begin(state: TurnState, node: NodeId, agent: AgentChoice | null = null): void {
  const { parts, turnOptions } = state;
  const [id, isOwn, { place, client, context }] = [newTurnId(), parts.place.isOwn(), parts];
  place.advance(node, id);
  const taken = { ...reachOf(turnOptions), ...broughtBy(turnOptions, context), ...beginningOf(turnOptions) };
  const params = { id, tree: place.tree, node, gives_keys: true, ...taken, ...agent };
  const run = () => client.call('agent.run', params);
  const copied = () => makeCopyOfBranch(context, { tree: place.tree, node, turn: id }).then(run);
  follow(state, { id, start: node, goOn: '/retry', agent, by: null }, isOwn ? copied : run);
}

function join(state: TurnState, turn: TurnId, by: string | null): void {
  const { client } = state.parts;
  follow(state, { id: turn, start: null, goOn: '/retry', agent: null, by }, async () => {
    // Its events come with those of the whole tree.
    const { outcome } = await client.stream('agent.follow', { turn }, { onEvent: () => undefined });
    if (outcome === null) throw new HubError('internal', `the turn ${turn} has no outcome`);
    return outcome;
  });
}

function answer(state: TurnState, { turn, call, answer: text, by = null }: Answering): void {
  const { parts, turnOptions } = state;
  const { place, client, context } = parts;
  place.advance(place.position(), turn);
  const { access, route } = turnOptions;
  const params = { turn, call, answer: text, gives_keys: true, access, route, ...broughtBy(turnOptions, context) };
  follow(state, { id: turn, start: null, goOn: '/retry', agent: null, by }, () => client.call('agent.answer', params));
}

function compact(state: TurnState, instructions: string | null, left: NodeId | null): void {
  const { parts, turnOptions } = state;
  const { place, client } = parts;
  const [id, here] = [newTurnId(), place.position()];
  place.advance(here, id);
  const { window, cache } = turnOptions;
  const what = left === null ? { node: here } : { node: left, into: here };
  const params = { id, tree: place.tree, ...what, instructions, window, cache, ...reachOf(turnOptions) };
  const goOn = left === null ? '/compact' : `/goto ${shortId(left)}, and /switch ${shortId(here)} --summary`;
  // What is left is told to the model where one goes.
  const start = left === null ? null : here;
  follow(state, { id, start, goOn, agent: null, by: null }, () => client.call('agent.compact', params));
}

/** Awaits the end of a turn, and moves the position there unless the person went elsewhere. */
function follow(
  state: TurnState,
  options: Pick<Current, 'id' | 'start' | 'goOn' | 'agent' | 'by'>,
  outcome: () => Promise<TurnOutcome>,
): void {
  const change = Object.keys(state.turnOptions.change).length === 0 ? null : state.turnOptions.change;
  const current: Current = { ...options, isStopping: false, ended: Promise.resolve(), change };
  state.current = current;
  if (options.by !== null) state.atHub = { turn: options.id, by: options.by };
  state.counted.begin();
  state.parts.front.update({ retryAtMs: null });
  showStatus(state);
  current.ended = awaitOutcome(state, current, outcome).then((late) => {
    if (state.current !== current) return;
    state.current = null;
    showStatus(state);
    if (late !== null) begin(state, late, current.agent);
  });
}

/** Resolves with a message that came too late for the turn and needs another one; null when there is none. */
async function awaitOutcome(
  state: TurnState,
  current: Current,
  outcome: () => Promise<TurnOutcome>,
): Promise<NodeId | null> {
  try {
    const ended = await withCommandKey(commandKeys(state.parts, state.turnOptions), outcome);
    if (state.current === current) return await end(state, ended);
    if (!state.isLeft) await state.parts.front.show({ kind: 'note', text: partedWords(ended) });
  } catch (error) {
    if (state.current === current) await fail(state, error);
  }
  return null;
}

async function end(state: TurnState, outcome: TurnOutcome): Promise<NodeId | null> {
  const { parts, inputs, current } = state;
  const { place, front } = parts;
  place.advance(outcome.tip, outcome.state === 'waiting' ? outcome.turn : null);
  if (outcome.failure?.data.details.reason === 'key') forgetPrintedKeys(state.turnOptions.access);
  if (state.isLeft) return null;
  // The inputs of an interrupted turn come as nodes.
  if (outcome.state !== 'waiting' && outcome.state !== 'interrupted') await parts.display.take({ kind: 'turn_lost' });
  state.verdict.failed(exitCodeOfEnd(outcome));
  // An answer to the last question must not answer this one.
  front.update({ asks: null, ended: outcome.why });
  await showAll(front, endOf(outcome, current?.goOn ?? '/retry'));
  for (const { id } of outcome.questions) parts.shownQuestions.add(id);
  const late = await inputs.late(outcome);
  if (late === null || current?.by == null) return late;
  await front.show({ kind: 'note', text: lateWords(current.by) });
  return null;
}

function showStatus({ parts, current, inputs, isLeft }: TurnState): void {
  if (isLeft) return;
  const state = current?.isStopping === true ? 'stopping' : 'running';
  parts.front.update({ turn: current === null ? null : state, queued: inputs.queued() });
}

/** The turn did not begin, or its end is unknown: the position stays where it was to begin. */
async function fail({ parts, isLeft, verdict, current, inputs }: TurnState, error: unknown): Promise<void> {
  const { place, front, display } = parts;
  // Leaving ends the wait, not the turn.
  if (isLeft) return;
  place.advance(place.position(), null);
  // Its inputs come as messages when there is a hub again.
  inputs.clear();
  verdict.failed(exitCodeOf(error));
  await display.take({ kind: 'turn_lost' });
  await showAll(front, failureWords(error, current?.goOn ?? '/retry'));
}

async function steer({ current, inputs }: TurnState, said: TypedMessage, kind: 'steer' | 'after'): Promise<boolean> {
  if (current === null) return false;
  if (await inputs.send(current.id, said, kind)) return true;
  // The turn has ended: the input is sent as a message.
  await current.ended;
  return false;
}

async function stop(state: TurnState): Promise<boolean> {
  const { parts, current, inputs } = state;
  if (current === null) return false;
  if (current.isStopping) return true;
  current.isStopping = true;
  showStatus(state);
  try {
    if (current.by === null) await inputs.takeBack(current.id);
    await parts.client.call('agent.stop', { turn: current.id });
  } catch (error) {
    // The turn runs on; /stop can be tried again.
    current.isStopping = false;
    showStatus(state);
    throw error;
  }
  return true;
}

function take(state: TurnState, event: AgentEvent): void {
  const { parts, turnOptions, inputs, current } = state;
  const { place, front } = parts;
  if (event.kind === 'input_taken') inputs.taken(event.input);
  if (event.turn !== place.following()) return;
  switch (event.kind) {
    case 'request_failed':
      if (event.retry_in_ms !== null) front.update({ retryAtMs: Date.now() + event.retry_in_ms });
      break;
    case 'request_started':
      front.update({ retryAtMs: null });
      break;
    case 'question_answered':
      // Perhaps by another terminal.
      front.update({});
      break;
    case 'turn_resumed':
      // Answered elsewhere: follow it, to show its next question.
      if (current === null) join(state, event.turn, state.atHub?.turn === event.turn ? state.atHub.by : null);
      front.update({ model: event.model });
      break;
    case 'turn_started':
    case 'turn_snapshot':
      front.update({ model: event.model });
      break;
    case 'usage_counted':
      front.update({ tokens: state.counted.add(event.usage) });
      break;
    case 'step_committed':
    case 'context_compacted':
    case 'input_taken':
      place.advance(event.tip, event.turn);
      // From here on the path holds the changed settings.
      if (event.kind === 'step_committed' && turnOptions.change === current?.change) turnOptions.change = {};
      break;
    case 'transcript_opened':
      turnOptions.transcriptFile = event.file;
  }
}
