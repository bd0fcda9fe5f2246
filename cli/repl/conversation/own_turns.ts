import { HubError } from '../../../hub/base/error.js';
import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../../hub/protocol/turn.js';
import { exitCodeOf } from '../../output/failure.js';
import { newNodeId, newTurnId } from '../../position/ids.js';
import { showAll } from './chat_display.js';
import { broughtBy, type ChatTurnOptions, reachOf } from './chat_turn_options.js';
import type { ConversationParts } from './conversation_parts.js';
import type { Verdict } from './exit_code.js';
import { countTokens, type TokenCount } from './token_totals.js';
import { endOf, exitCodeOfEnd, failureWords, partedWords } from './turn_notes.js';
import type { TypedMessage } from './typed_message.js';
import { withdraw } from './withdraw_inputs.js';

/** The turn that the person of this REPL follows: at most one at a time. */
export interface OwnTurns {
  /** The running turn; null when there is none. */
  current(): TurnId | null;
  /** The node where it began; null without a turn, or when unknown. */
  start(): NodeId | null;
  /** Runs a turn from a node. */
  begin(node: NodeId): void;
  /** Follows a turn that runs already. */
  join(turn: TurnId): void;
  /** Answers a question of a parked turn, and follows it again. */
  answer(params: Answering): void;
  /** Summarises the path to the position. */
  compact(instructions: string | null): void;
  /** Sends an input to it; false when it has ended meanwhile. */
  steer(said: TypedMessage, kind: 'steer' | 'after'): Promise<boolean>;
  /** Stops it and keeps its nodes; false when there is none. */
  stop(): Promise<boolean>;
  /** Takes an event of the tree's turns. */
  take(event: AgentEvent): void;
  /** Resolves when no turn runs. */
  idle(): Promise<void>;
  /** Stops following it: only its end is shown. */
  part(): void;
  /** Shows nothing any more, not even its end; the turn itself goes on. */
  leave(): void;
}

export interface Answering {
  turn: TurnId;
  call: string;
  answer: string;
}

interface Current {
  id: TurnId;
  isStopping: boolean;
  ended: Promise<void>;
  start: NodeId | null;
  /** The command that continues it after an interruption. */
  goOn: '/retry' | '/compact';
  change: ChatTurnOptions['change'] | null;
}

interface TurnState {
  parts: ConversationParts;
  turnOptions: ChatTurnOptions;
  verdict: Verdict;
  current: Current | null;
  /** Inputs to the turn that are not nodes yet. */
  pending: Map<NodeId, string>;
  isLeft: boolean;
  counted: TokenCount;
}

export function createTurns(parts: ConversationParts, turnOptions: ChatTurnOptions, verdict: Verdict): OwnTurns {
  const state: TurnState = {
    parts,
    turnOptions,
    verdict,
    current: null,
    pending: new Map(),
    isLeft: false,
    counted: countTokens(),
  };
  return {
    current: () => state.current?.id ?? null,
    start: () => state.current?.start ?? null,
    begin: (node) => begin(state, node),
    join: (turn) => join(state, turn),
    answer: (params) => answer(state, params),
    compact: (instructions) => compact(state, instructions),
    steer: (said, kind) => steer(state, said, kind),
    stop: () => stop(state),
    take: (event) => take(state, event),
    async idle() {
      while (state.current !== null) await state.current.ended;
    },
    part() {
      state.current = null;
      state.pending.clear();
      showStatus(state);
    },
    leave() {
      state.isLeft = true;
    },
  };
}

function begin(state: TurnState, node: NodeId): void {
  const { parts, turnOptions } = state;
  const { place, client } = parts;
  const id = newTurnId();
  place.advance(node, id);
  const params = { id, tree: place.tree, node, ...reachOf(turnOptions), ...broughtBy(turnOptions) };
  follow(state, { id, start: node, goOn: '/retry' }, () => client.call('agent.run', params));
}

function join(state: TurnState, turn: TurnId): void {
  const { client } = state.parts;
  follow(state, { id: turn, start: null, goOn: '/retry' }, async () => {
    // Its events come with those of the whole tree.
    const { outcome } = await client.stream('agent.follow', { turn }, { onEvent: () => undefined });
    if (outcome === null) throw new HubError('internal', `the turn ${turn} has no outcome`);
    return outcome;
  });
}

function answer(state: TurnState, { turn, call, answer: text }: Answering): void {
  const { parts, turnOptions } = state;
  const { place, client } = parts;
  place.advance(place.position(), turn);
  // Its transcript continues in the file that it began with.
  const { transcript: _, ...brought } = broughtBy(turnOptions);
  const params = { turn, call, answer: text, access: turnOptions.access, ...brought };
  follow(state, { id: turn, start: null, goOn: '/retry' }, () => client.call('agent.answer', params));
}

function compact(state: TurnState, instructions: string | null): void {
  const { parts, turnOptions } = state;
  const { place, client } = parts;
  const [id, node] = [newTurnId(), place.position()];
  place.advance(node, id);
  const params = { id, tree: place.tree, node, instructions, window: turnOptions.window, ...reachOf(turnOptions) };
  follow(state, { id, start: null, goOn: '/compact' }, () => client.call('agent.compact', params));
}

/** Awaits the end of a turn, and moves the position there unless the person went elsewhere. */
function follow(
  state: TurnState,
  options: Pick<Current, 'id' | 'start' | 'goOn'>,
  outcome: () => Promise<TurnOutcome>,
): void {
  const change = Object.keys(state.turnOptions.change).length === 0 ? null : state.turnOptions.change;
  const current: Current = { ...options, isStopping: false, ended: Promise.resolve(), change };
  state.current = current;
  state.counted.begin();
  state.parts.front.update({ retryAtMs: null });
  showStatus(state);
  current.ended = awaitOutcome(state, current, outcome).then((late) => {
    if (state.current !== current) return;
    state.current = null;
    showStatus(state);
    if (late !== null) begin(state, late);
  });
}

/** Resolves with a message that came too late for the turn and needs another one; null when there is none. */
async function awaitOutcome(
  state: TurnState,
  current: Current,
  outcome: () => Promise<TurnOutcome>,
): Promise<NodeId | null> {
  try {
    const ended = await outcome();
    if (state.current === current) return await end(state, ended);
    if (!state.isLeft) await state.parts.front.show({ kind: 'note', text: partedWords(ended) });
  } catch (error) {
    if (state.current === current) await fail(state, error);
  }
  return null;
}

async function end(state: TurnState, outcome: TurnOutcome): Promise<NodeId | null> {
  const { parts, pending, current } = state;
  const { place, front, client } = parts;
  place.advance(outcome.tip, outcome.state === 'waiting' ? outcome.turn : null);
  if (state.isLeft) return null;
  // The inputs of an interrupted turn come as nodes.
  if (outcome.state !== 'waiting' && outcome.state !== 'interrupted') await parts.display.take({ kind: 'turn_lost' });
  state.verdict.failed(exitCodeOfEnd(outcome));
  // An answer to the last question must not answer this one.
  front.update({ asks: null });
  await showAll(front, endOf(outcome, current?.goOn ?? '/retry'));
  for (const { id } of outcome.questions) parts.shownQuestions.add(id);
  if (pending.size === 0) return null;
  pending.clear();
  const { node } = await client.call('loom.node_get', { node: outcome.tip });
  return outcome.state === 'done' && node.role === 'user' ? outcome.tip : null;
}

function showStatus({ parts, current, pending, isLeft }: TurnState): void {
  if (isLeft) return;
  const state = current?.isStopping === true ? 'stopping' : 'running';
  parts.front.update({ turn: current === null ? null : state, queued: [...pending.values()] });
}

/** The turn did not begin, or its end is unknown: the position stays where it was to begin. */
async function fail({ parts, isLeft, verdict, current, pending }: TurnState, error: unknown): Promise<void> {
  const { place, front, display } = parts;
  // Leaving ends the wait, not the turn.
  if (isLeft) return;
  place.advance(place.position(), null);
  // Its inputs come as messages when there is a hub again.
  pending.clear();
  verdict.failed(exitCodeOf(error));
  await display.take({ kind: 'turn_lost' });
  await showAll(front, failureWords(error, current?.goOn ?? '/retry'));
}

async function steer(state: TurnState, { text, blocks }: TypedMessage, kind: 'steer' | 'after'): Promise<boolean> {
  const { parts, current, pending } = state;
  const { client, ours } = parts;
  if (current === null) return false;
  const id = newNodeId();
  ours.add(id);
  pending.set(id, text);
  showStatus(state);
  try {
    await client.call('agent.steer', { id, turn: current.id, kind, blocks });
  } catch (error) {
    pending.delete(id);
    showStatus(state);
    ours.delete(id);
    if (!(error instanceof HubError && (error.kind === 'conflict' || error.kind === 'not_found'))) throw error;
    // The turn has ended: the input is sent as a message.
    await current.ended;
    return false;
  }
  return true;
}

async function stop(state: TurnState): Promise<boolean> {
  const { parts, current, pending } = state;
  if (current === null) return false;
  if (current.isStopping) return true;
  current.isStopping = true;
  showStatus(state);
  try {
    await withdraw(parts, current.id, pending);
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
  const { parts, turnOptions, pending, current } = state;
  const { place, front } = parts;
  if (event.kind === 'input_taken') {
    pending.delete(event.input);
    showStatus(state);
  }
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
      if (current === null) join(state, event.turn);
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
