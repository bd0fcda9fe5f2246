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

/** The turns that the person of this REPL comes along with: at most one at a time. */
export interface OwnTurns {
  /** The one under way; null when there is none. */
  current(): TurnId | null;
  /** Where it began; null when there is none, or that is not known. */
  start(): NodeId | null;
  /** Lets a model go on from a node. */
  begin(node: NodeId): void;
  /** Comes along with one that runs already. */
  join(turn: TurnId): void;
  /** Answers what it asks, and comes along again. */
  answer(asked: Answering): void;
  /** Has the path to here summarised. */
  compact(instructions: string | null): void;
  /** Says something to it; false when it has ended meanwhile. */
  steer(said: TypedMessage, kind: 'steer' | 'after'): Promise<boolean>;
  /** Ends it and keeps what was said; false when there is none. */
  stop(): Promise<boolean>;
  /** Takes what the hub tells of it. */
  take(event: AgentEvent): void;
  /** Resolves when there is none. */
  idle(): Promise<void>;
  /** Goes on without it: only its end is told. */
  part(): void;
  /** From now on its end is told to nobody; the turn itself goes on. */
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
  /** The command that goes on where it was interrupted. */
  goOn: '/retry' | '/compact';
  change: ChatTurnOptions['change'] | null;
}

interface Turning {
  stage: ConversationParts;
  means: ChatTurnOptions;
  verdict: Verdict;
  current: Current | null;
  /** What was said to the turn and is not a node yet. */
  pending: Map<NodeId, string>;
  isLeft: boolean;
  counted: TokenCount;
}

export function createTurns(stage: ConversationParts, means: ChatTurnOptions, verdict: Verdict): OwnTurns {
  const turning: Turning = {
    stage,
    means,
    verdict,
    current: null,
    pending: new Map(),
    isLeft: false,
    counted: countTokens(),
  };
  return {
    current: () => turning.current?.id ?? null,
    start: () => turning.current?.start ?? null,
    begin: (node) => begin(turning, node),
    join: (turn) => join(turning, turn),
    answer: (asked) => answer(turning, asked),
    compact: (instructions) => compact(turning, instructions),
    steer: (said, kind) => steer(turning, said, kind),
    stop: () => stop(turning),
    take: (event) => take(turning, event),
    async idle() {
      while (turning.current !== null) await turning.current.ended;
    },
    part() {
      turning.current = null;
      turning.pending.clear();
      tellStatus(turning);
    },
    leave() {
      turning.isLeft = true;
    },
  };
}

function begin(turning: Turning, node: NodeId): void {
  const { stage, means } = turning;
  const { place, client } = stage;
  const id = newTurnId();
  place.advance(node, id);
  const asked = { id, tree: place.tree, node, ...reachOf(means), ...broughtBy(means) };
  follow(turning, { id, start: node, goOn: '/retry' }, () => client.call('agent.run', asked));
}

function join(turning: Turning, turn: TurnId): void {
  const { client } = turning.stage;
  follow(turning, { id: turn, start: null, goOn: '/retry' }, async () => {
    // What happens in it comes with all that happens in the tree.
    const { outcome } = await client.stream('agent.follow', { turn }, { onEvent: () => undefined });
    if (outcome === null) throw new HubError('internal', `the turn ${turn} has no outcome`);
    return outcome;
  });
}

function answer(turning: Turning, { turn, call, answer: text }: Answering): void {
  const { stage, means } = turning;
  const { place, client } = stage;
  place.advance(place.position(), turn);
  // Its transcript goes on where it was begun.
  const { transcript: _, ...brought } = broughtBy(means);
  const asked = { turn, call, answer: text, access: means.access, ...brought };
  follow(turning, { id: turn, start: null, goOn: '/retry' }, () => client.call('agent.answer', asked));
}

function compact(turning: Turning, instructions: string | null): void {
  const { stage, means } = turning;
  const { place, client } = stage;
  const [id, node] = [newTurnId(), place.position()];
  place.advance(node, id);
  const asked = { id, tree: place.tree, node, instructions, window: means.window, ...reachOf(means) };
  follow(turning, { id, start: null, goOn: '/compact' }, () => client.call('agent.compact', asked));
}

/** Waits for the end of a turn, and stands there when the person has not gone elsewhere. */
function follow(
  turning: Turning,
  begun: Pick<Current, 'id' | 'start' | 'goOn'>,
  outcome: () => Promise<TurnOutcome>,
): void {
  const change = Object.keys(turning.means.change).length === 0 ? null : turning.means.change;
  const current: Current = { ...begun, isStopping: false, ended: Promise.resolve(), change };
  turning.current = current;
  turning.counted.begin();
  turning.stage.front.update({ retryAtMs: null });
  tellStatus(turning);
  current.ended = awaitOutcome(turning, current, outcome).then((late) => {
    if (turning.current !== current) return;
    turning.current = null;
    tellStatus(turning);
    if (late !== null) begin(turning, late);
  });
}

/** Resolves with a message that came too late for the turn and waits for another one; null when there is none. */
async function awaitOutcome(
  turning: Turning,
  current: Current,
  outcome: () => Promise<TurnOutcome>,
): Promise<NodeId | null> {
  try {
    const ended = await outcome();
    if (turning.current === current) return await end(turning, ended);
    if (!turning.isLeft) await turning.stage.front.show({ kind: 'note', text: partedWords(ended) });
  } catch (error) {
    if (turning.current === current) await fail(turning, error);
  }
  return null;
}

async function end(turning: Turning, outcome: TurnOutcome): Promise<NodeId | null> {
  const { stage, pending, current } = turning;
  const { place, front, client } = stage;
  place.advance(outcome.tip, outcome.state === 'waiting' ? outcome.turn : null);
  if (turning.isLeft) return null;
  // Those of a hub that ended come as nodes.
  if (outcome.state !== 'waiting' && outcome.state !== 'interrupted') await stage.display.take({ kind: 'turn_lost' });
  turning.verdict.failed(exitCodeOfEnd(outcome));
  // Who was answering the last question has not answered this one.
  front.update({ asks: null });
  await showAll(front, endOf(outcome, current?.goOn ?? '/retry'));
  for (const { id } of outcome.questions) stage.shownQuestions.add(id);
  if (pending.size === 0) return null;
  pending.clear();
  const { node } = await client.call('loom.node_get', { node: outcome.tip });
  return outcome.state === 'done' && node.role === 'user' ? outcome.tip : null;
}

function tellStatus({ stage, current, pending, isLeft }: Turning): void {
  if (isLeft) return;
  const state = current?.isStopping === true ? 'stopping' : 'running';
  stage.front.update({ turn: current === null ? null : state, queued: [...pending.values()] });
}

/** It did not even begin, or nobody knows how it ended: one stands where it was to begin. */
async function fail({ stage, isLeft, verdict, current, pending }: Turning, error: unknown): Promise<void> {
  const { place, front, display } = stage;
  // Who leaves gives up waiting, and the turn goes on.
  if (isLeft) return;
  place.advance(place.position(), null);
  // What was said to it comes as messages, when there is a hub again.
  pending.clear();
  verdict.failed(exitCodeOf(error));
  await display.take({ kind: 'turn_lost' });
  await showAll(front, failureWords(error, current?.goOn ?? '/retry'));
}

async function steer(turning: Turning, { text, blocks }: TypedMessage, kind: 'steer' | 'after'): Promise<boolean> {
  const { stage, current, pending } = turning;
  const { client, ours } = stage;
  if (current === null) return false;
  const id = newNodeId();
  ours.add(id);
  pending.set(id, text);
  tellStatus(turning);
  try {
    await client.call('agent.steer', { id, turn: current.id, kind, blocks });
  } catch (error) {
    pending.delete(id);
    tellStatus(turning);
    ours.delete(id);
    if (!(error instanceof HubError && (error.kind === 'conflict' || error.kind === 'not_found'))) throw error;
    // It has ended meanwhile: then it is a message like any other.
    await current.ended;
    return false;
  }
  return true;
}

async function stop(turning: Turning): Promise<boolean> {
  const { stage, current, pending } = turning;
  if (current === null) return false;
  if (current.isStopping) return true;
  current.isStopping = true;
  tellStatus(turning);
  try {
    await withdraw(stage, current.id, pending);
    await stage.client.call('agent.stop', { turn: current.id });
  } catch (error) {
    // It goes on, and one can try again.
    current.isStopping = false;
    tellStatus(turning);
    throw error;
  }
  return true;
}

function take(turning: Turning, event: AgentEvent): void {
  const { stage, means, pending, current } = turning;
  const { place, front } = stage;
  if (event.kind === 'input_taken') {
    pending.delete(event.input);
    tellStatus(turning);
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
      // Answered elsewhere: one comes along, and sees what is asked next.
      if (current === null) join(turning, event.turn);
      front.update({ model: event.model });
      break;
    case 'turn_started':
    case 'turn_snapshot':
      front.update({ model: event.model });
      break;
    case 'usage_counted':
      front.update({ tokens: turning.counted.add(event.usage) });
      break;
    case 'step_committed':
    case 'context_compacted':
    case 'input_taken':
      place.advance(event.tip, event.turn);
      // From here on the path itself says so.
      if (event.kind === 'step_committed' && means.change === current?.change) means.change = {};
      break;
    case 'transcript_opened':
      means.transcriptFile = event.file;
  }
}
