import { HubError } from '../../hub/error.js';
import type { Block, NodeId, TurnId } from '../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import { newNodeId, newTurnId } from '../ids.js';
import { shortId } from '../render/words.js';
import type { TokensCounted } from './front.js';
import { broughtBy, type Means, reachOf } from './means.js';
import { type Stage, showAll, showFailure } from './stage.js';
import { endOf } from './turn_words.js';

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

/** A message as it was typed, and as a model is shown it. */
export interface TypedMessage {
  text: string;
  blocks: Extract<Block, { type: 'text' } | { type: 'image' }>[];
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
  change: Means['change'] | null;
}

interface Turning {
  stage: Stage;
  means: Means;
  current: Current | null;
  /** What was said to the turn and is not a node yet. */
  pending: Map<NodeId, string>;
  isLeft: boolean;
  counted: { turn: TokensCounted; total: TokensCounted };
}

export function createTurns(stage: Stage, means: Means): OwnTurns {
  const counted = { turn: noTokens(), total: noTokens() };
  const turning: Turning = { stage, means, current: null, pending: new Map(), isLeft: false, counted };
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
  comeAlong(turning, { id, start: node }, () => client.call('agent.run', asked));
}

function join(turning: Turning, turn: TurnId): void {
  const { client } = turning.stage;
  comeAlong(turning, { id: turn, start: null }, async () => {
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
  comeAlong(turning, { id: turn, start: null }, () => client.call('agent.answer', asked));
}

function compact(turning: Turning, instructions: string | null): void {
  const { stage, means } = turning;
  const { place, client } = stage;
  const [id, node] = [newTurnId(), place.position()];
  place.advance(node, id);
  const asked = { id, tree: place.tree, node, instructions, window: means.window, ...reachOf(means) };
  comeAlong(turning, { id, start: null }, () => client.call('agent.compact', asked));
}

/** Waits for the end of a turn, and stands there when the person has not gone elsewhere. */
function comeAlong(turning: Turning, begun: Pick<Current, 'id' | 'start'>, outcome: () => Promise<TurnOutcome>): void {
  const change = Object.keys(turning.means.change).length === 0 ? null : turning.means.change;
  const current: Current = { ...begun, isStopping: false, ended: Promise.resolve(), change };
  turning.current = current;
  turning.counted.turn = noTokens();
  tellStatus(turning);
  current.ended = seeThrough(turning, current, outcome).then((late) => {
    if (turning.current !== current) return;
    turning.current = null;
    tellStatus(turning);
    if (late !== null) begin(turning, late);
  });
}

/** Resolves with a message that came too late for the turn and waits for another one; null when there is none. */
async function seeThrough(
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
  const { stage, pending } = turning;
  const { place, front, client } = stage;
  place.advance(outcome.tip, outcome.state === 'waiting' ? outcome.turn : null);
  if (turning.isLeft) return null;
  await showAll(front, endOf(outcome));
  if (pending.size === 0) return null;
  pending.clear();
  const { node } = await client.call('loom.node_get', { node: outcome.tip });
  return outcome.state === 'done' && node.role === 'user' ? outcome.tip : null;
}

function tellStatus({ stage, current, pending, isLeft }: Turning): void {
  if (isLeft) return;
  const turn = current === null ? null : runningState(current);
  stage.front.update({ turn, queued: [...pending.values()] });
}

function runningState({ isStopping }: Current): 'running' | 'stopping' {
  return isStopping ? 'stopping' : 'running';
}

function partedWords({ state, tip }: TurnOutcome): string {
  const how = state === 'waiting' ? 'asks something' : 'has ended';
  return `(the turn that you left ${how}. Go there with: /switch ${shortId(tip)})`;
}

/** It did not even begin, or nobody knows how it ended: one stands where it was to begin. */
async function fail({ stage, isLeft }: Turning, error: unknown): Promise<void> {
  const { place, front } = stage;
  // Who leaves gives up waiting, and the turn goes on.
  if (isLeft) return;
  place.advance(place.position(), null);
  await showFailure(front, error, 'then: /retry');
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
  const { client, front, ours } = stage;
  const inputs = [...pending.keys()];
  if (inputs.length > 0) {
    const dropped = await client.call('loom.input_drop', { turn: current.id, inputs });
    for (const { id, state } of dropped.inputs) {
      if (state !== 'dropped') continue;
      await front.giveBack(pending.get(id) ?? '');
      pending.delete(id);
      ours.delete(id);
    }
  }
  await client.call('agent.stop', { turn: current.id });
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
    case 'turn_started':
    case 'turn_snapshot':
    case 'turn_resumed':
      front.update({ model: event.model });
      break;
    case 'usage_counted':
      count(turning, event);
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

function count({ stage, counted }: Turning, event: Extract<AgentEvent, { kind: 'usage_counted' }>): void {
  const { tokens_in, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h, tokens_out } = event.usage;
  const input = tokens_in + tokens_cache_read + tokens_cache_write_5m + tokens_cache_write_1h;
  for (const sum of [counted.turn, counted.total]) {
    sum.input += input;
    sum.cached += tokens_cache_read;
    sum.output += tokens_out;
  }
  stage.front.update({ tokens: { turn: { ...counted.turn }, total: { ...counted.total } } });
}

function noTokens(): TokensCounted {
  return { input: 0, cached: 0, output: 0 };
}
