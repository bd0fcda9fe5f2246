import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller, ownContext } from '../../base/internal_call.js';
import { textOf } from '../../base/node_blocks.js';
import { LiveEvent, type TurnElsewhere, type TurnMessage } from '../../protocol/methods/live_methods.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../protocol/turn.js';

/** Does something with a turn of this hub; where it has none of this id, the hub that has it is told to, if there is one. */
export async function hereOrElsewhere<T>(
  reach: InternalCaller,
  { turn, message }: { turn: TurnId; message: TurnMessage },
  does: { here(): Promise<T>; read(answer: unknown): T },
): Promise<T> {
  try {
    return await does.here();
  } catch (error) {
    if (!(error instanceof HubError) || error.kind !== 'not_found') throw error;
    const { answer } = await callHub(reach, 'sharing.turn_tell', { turn, message });
    if (answer === null) throw error;
    return does.read(answer);
  }
}

/** Tells the caller what happens in the turns of other hubs, as if they were of this one, for as long as its call lasts. */
export function followTurnsElsewhere(reach: InternalCaller, tree: TreeId | null): Promise<unknown> {
  const { context } = reach;
  return hearTurns(reach, { tree, signal: context.signal }, (_, events) => {
    for (const event of events) context.emit(event);
  });
}

/** Follows a turn of another hub to its end, or until it waits; null when no other hub has it. */
export async function followElsewhere(reach: InternalCaller, id: TurnId): Promise<TurnOutcome | null> {
  const { hub, context } = reach;
  const heard = new AbortController();
  const signal = AbortSignal.any([context.signal, heard.signal]);
  let last: TurnElsewhere | undefined;
  const following = hearTurns({ hub, context }, { tree: null, signal }, (now, events) => {
    if (now.turn !== id || heard.signal.aborted) return;
    last = now;
    for (const event of events) context.emit(event);
    // A remote that is away says nothing of it.
    if (now.state !== 'running' && now.state !== 'away') heard.abort();
  });
  const { turns } = await callHub(reach, 'sharing.turn_list', { tree: null });
  if (last === undefined && !turns.some(({ turn }) => turn === id)) heard.abort();
  await following;
  if (last === undefined) return null;
  if (!heard.signal.aborted) throw new HubError('cancelled', `following the turn ${id} was given up`);
  const { node } = await callHub(reach, 'loom.node_get', { node: last.tip, tree: last.tree });
  return { ...outcomeElsewhere(last), text: node.role === 'assistant' ? textOf(node.blocks) : '' };
}

async function hearTurns(
  { hub }: InternalCaller,
  { tree, signal }: { tree: TreeId | null; signal: AbortSignal },
  tell: (turn: TurnElsewhere, events: readonly AgentEvent[]) => void,
): Promise<void> {
  const known = new Map<TurnId, TurnElsewhere>();
  const context = ownContext(signal, (event) => {
    const told = LiveEvent.safeParse(event).data;
    if (told?.kind !== 'turn_elsewhere') return;
    const before = known.get(told.turn);
    if (isOpen(told)) known.set(told.turn, told);
    else known.delete(told.turn);
    tell(told, eventsOf(before, told));
  });
  await callHub({ hub, context }, 'sharing.follow', { tree, stream: 'turns elsewhere' });
}

const isOpen = ({ state }: TurnElsewhere): boolean => state === 'running' || state === 'waiting';

/** What followers are told of a turn when another hub says how it stands. */
function eventsOf(before: TurnElsewhere | undefined, now: TurnElsewhere): AgentEvent[] {
  const { turn, tree, tip, model, level } = now;
  if (!isOpen(now))
    return before === undefined ? [] : [{ kind: 'turn_ended', turn, outcome: outcomeElsewhere({ ...before, ...now }) }];
  const events: AgentEvent[] = [];
  if (before === undefined) events.push({ kind: 'turn_snapshot', turn, tree, tip, model, step: null });
  else if (before.tip !== tip) events.push({ kind: 'step_committed', turn, nodes: [tip], tip });
  if (before?.state === 'waiting' && now.state === 'running')
    events.push({ kind: 'turn_resumed', turn, tree, tip, model, level });
  const isNew = before?.state !== 'waiting' || JSON.stringify(before.questions) !== JSON.stringify(now.questions);
  if (now.state === 'waiting' && isNew) events.push({ kind: 'turn_parked', turn, outcome: outcomeElsewhere(now) });
  return events;
}

function outcomeElsewhere({ turn, tree, tip, state, end, questions }: TurnElsewhere): TurnOutcome {
  const facts = { turn, tree, tip, failure: null, text: '', usage: null, price_microdollars: null };
  // What may run is decided at its own hub.
  const open = questions.filter(({ kind }) => kind === 'question');
  if (state === 'waiting') return { ...facts, state, why: 'question', questions: open };
  if (state === 'ended') return { ...facts, state: end?.state ?? 'done', why: end?.why ?? null, questions: [] };
  return { ...facts, state: 'interrupted', why: 'hub_ended', questions: [] };
}
