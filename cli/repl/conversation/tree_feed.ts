import { detach } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import type { FeedEvent, WatchEvent } from '../../../hub/protocol/feed_events.js';
import type { Node, NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { isOnDisplay, isSeen } from '../../display/reduce.js';
import { nodeText } from '../../render/node/node_text.js';
import { cleanLine } from '../../render/text/clean.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import { createSharedFeed } from '../../sharing/shared_feed.js';
import type { Front } from '../front/front.js';
import { type ConversationParts, failureOn } from './conversation_parts.js';
import { createOthers, type Others } from './other_terminals.js';
import type { OwnTurns } from './own_turns.js';
import { noteOf } from './turn_notes.js';

/** Feeds the events of a tree to the display. */
export interface TreeFeed {
  /** Watches the feed after `since`; after a failure, from where it was. */
  listen(since: number): void;
  /** Resubscribes, so that the hub resends each turn's snapshot. */
  catchUp(): void;
  /** Removes the turns from the display before a move, so that their next nodes are not announced. */
  leave(to: NodeId): void;
  /** Removes others' turns from the display before the person writes; false when there are none. */
  leaveOthers(): boolean;
  /** Whether a turn is on display. */
  isWatched(turn: TurnId): boolean;
  /** Whether other hubs have turns in the tree. */
  hasTurnsAtHubs(): boolean;
  close(): void;
}

interface FeedState {
  parts: ConversationParts;
  turns: OwnTurns;
  /** Turns that are on display, and the last one that the person follows. */
  watched: Set<TurnId>;
  own: TurnId | null;
  /** Whose hubs have turns of the tree that go on. */
  atHubs: Map<TurnId, string>;
  /** The one of them that is told what is typed. */
  atHub: string | null;
  /** Turns that run elsewhere in the tree, and their positions. */
  elsewhere: Map<TurnId, NodeId>;
  catchUp(): void;
  others: Others;
}

export function createFeed(parts: ConversationParts, turns: OwnTurns): TreeFeed {
  const { client, front, place } = parts;
  const state: FeedState = { ...newState(parts, turns), catchUp: () => follow() };
  let known: { seq: number; epoch: string } | null = null;
  let abort: AbortController | null = null;
  let following = new AbortController();
  const takeShared = sharedFeed(state);
  const onFeed = (event: WatchEvent): Promise<void> => {
    known = { seq: event.seq, epoch: 'epoch' in event ? event.epoch : (known?.epoch ?? client.hub.epoch) };
    return takeFeed(state, event);
  };
  const show = failureOn(front, 'what happens in the tree is shown again with your next line');
  const failed = (error: unknown, signal: AbortSignal): void => {
    if (signal.aborted) return;
    close();
    // A missing hub is reported elsewhere; the feed resumes when one is back.
    if (error instanceof HubError && error.kind === 'unreachable') return;
    show(error);
  };
  const follow = (): void => {
    following.abort();
    // Those that run are told of again.
    front.update({ jobs: 0, unsent: null });
    following = new AbortController();
    const { signal } = following;
    const onEvent = (event: AgentEvent): Promise<void> => takeTurn(state, event);
    const options = { signal, startsHub: false };
    detach(client.stream('agent.follow', { tree: place.tree }, { ...options, onEvent }), (error) =>
      failed(error, signal),
    );
    const shared = { ...options, onEvent: takeShared };
    detach(client.stream('sharing.follow', { tree: place.tree }, shared), (error) => {
      // A hub of an earlier version keeps no connections to others.
      if (!(error instanceof HubError && error.kind === 'method_not_found')) failed(error, signal);
    });
  };
  const close = (): void => {
    abort?.abort();
    abort = null;
    following.abort();
  };
  return {
    listen(since) {
      if (abort !== null) return;
      abort = new AbortController();
      const { signal } = abort;
      known ??= { seq: since, epoch: client.hub.epoch };
      follow();
      const from = { tree: place.tree, since: known.seq, epoch: known.epoch };
      const onEvent = (event: WatchEvent): void => detach(onFeed(event), failureOn(front));
      detach(client.watch({ ...from, onEvent, signal }), (error) => failed(error, signal));
    },
    catchUp: follow,
    leave: (to) => leave(state, to),
    leaveOthers: () => leaveOthers(state),
    ...knownTurns(state),
    close,
  };
}

function newState(parts: ConversationParts, turns: OwnTurns): Omit<FeedState, 'catchUp'> {
  return {
    ...{ parts, turns, watched: new Set(), own: null, elsewhere: new Map(), atHubs: new Map(), atHub: null },
    others: createOthers(parts),
  };
}

function knownTurns({ watched, atHubs }: FeedState): Pick<TreeFeed, 'isWatched' | 'hasTurnsAtHubs'> {
  return { isWatched: (turn) => watched.has(turn), hasTurnsAtHubs: () => atHubs.size > 0 };
}

function sharedFeed(state: FeedState): ReturnType<typeof createSharedFeed> {
  const { front, place } = state.parts;
  return createSharedFeed({
    unsent: (words) => front.update({ unsent: words }),
    note: (text) => front.show({ kind: 'note', text }),
    isFollowed: (turn) => place.following() === turn,
    turn({ turn, by, state: now }) {
      if (now === 'running' || now === 'waiting') state.atHubs.set(turn, cleanLine(by));
      else state.atHubs.delete(turn);
      showHub(state);
    },
  });
}

function showHub(state: FeedState): void {
  const hubs = [...state.watched].flatMap((turn) => state.atHubs.get(turn) ?? []);
  const atHub = hubs.at(-1) ?? null;
  if (atHub === state.atHub) return;
  state.atHub = atHub;
  state.parts.front.update({ atHub });
}

function leave(state: FeedState, to: NodeId): void {
  const { parts, turns, watched, others } = state;
  if (watched.size > 0 || turns.current() !== null) others.know(newestNodes(parts));
  others.forget(to);
  watched.clear();
  showHub(state);
}

function leaveOthers(state: FeedState): boolean {
  const { parts, watched, own, others } = state;
  const foreign = [...watched].filter((turn) => turn !== own);
  if (foreign.length === 0) return false;
  others.know(newestNodes(parts));
  for (const turn of foreign) watched.delete(turn);
  showHub(state);
  return true;
}

/** The last displayed node, and the expected next ones. */
function newestNodes({ display }: ConversationParts): NodeId[] {
  const { tip, expected } = display.state();
  return tip === null ? [...expected] : [tip, ...expected];
}

function takeFeed(state: FeedState, event: FeedEvent | WatchEvent): Promise<void> {
  const { front } = state.parts;
  front.treeChanged();
  switch (event.kind) {
    case 'node_created':
      state.turns.heard(event.node.id);
      return takeCreated(state, event.node);
    case 'tree_renamed':
      front.update({ name: event.name === null ? shortId(event.tree) : cleanLine(event.name) });
      return Promise.resolve();
    case 'tree_restored':
      return front.show({ kind: 'note', text: '(this conversation has been restored: one can go on in it)' });
    case 'tree_archived':
      return front.show({ kind: 'note', text: '(this conversation has been archived: nothing can be added to it)' });
    case 'tree_purged':
      return front.show({ kind: 'note', text: '(this conversation has been deleted for good)' });
    case 'watch_reset':
      return front.show({
        kind: 'note',
        text: '(the home folder holds other data now: what is shown may be out of date)',
      });
    default:
      return Promise.resolve();
  }
}

async function takeCreated(state: FeedState, node: Node): Promise<void> {
  const { front, display, ours, beside } = state.parts;
  if (beside.delete(node.id)) return state.others.know([node.id]);
  const isOurs = ours.delete(node.id);
  if (isOurs || isOnDisplay(display.state(), node)) {
    // A message at a turn's start that is not ours is the hub's own message to the model.
    // What was left a moment ago may still be on display.
    state.others.pass(node);
    const isFromHub = node.role === 'user' && !isOurs && node.parent === state.turns.start();
    const by = isOurs ? 'us' : 'others';
    const displayed = display.take({ kind: 'node', node, by: isFromHub ? 'hub' : by });
    // The turn's start may have come before the node where it began.
    const { tip } = display.state();
    if ([...state.elsewhere.values()].some((start) => start === tip)) state.catchUp();
    await displayed;
    if (!isOurs) tellCarriedOn(state);
    if (isFromHub) await front.show({ kind: 'note', text: `(the model is told: ${nodeText(node)})` });
    return;
  }
  if (!isSeen(display.state(), node.id)) await state.others.take(node);
}

/** Tells before the person writes that what is displayed goes on below where they stand. */
function tellCarriedOn({ parts, turns }: FeedState): void {
  const { display, place, front } = parts;
  if (turns.current() === null && display.state().tip !== place.position()) front.update({ isCarriedOn: true });
}

async function takeJobs(front: Front, { running, told }: Extract<AgentEvent, { kind: 'jobs_changed' }>): Promise<void> {
  front.update({ jobs: running });
  if (told !== null) await front.show({ kind: 'note', text: told.replace(/^.*$/gm, '($&)') });
}

async function takeTurn(state: FeedState, event: AgentEvent): Promise<void> {
  const { parts, turns, watched, elsewhere } = state;
  const { display, place, front } = parts;
  if (event.kind === 'jobs_changed') return takeJobs(front, event);
  if (event.turn === place.following()) state.own = event.turn;
  const isBeginning = event.kind === 'turn_started' || event.kind === 'turn_snapshot' || event.kind === 'turn_resumed';
  if (isBeginning) {
    const start = event.kind === 'turn_started' ? event.node : event.tip;
    const isHere = event.turn === place.following() || start === display.state().tip;
    if (isHere) {
      watched.add(event.turn);
      elsewhere.delete(event.turn);
    } else elsewhere.set(event.turn, start);
  }
  if (event.kind === 'turn_ended') elsewhere.delete(event.turn);
  if (!watched.has(event.turn)) return;
  if (event.kind === 'turn_ended') watched.delete(event.turn);
  showHub(state);
  const note = noteOf(event, parts.toldFiles);
  const displayed = display.take({ kind: 'event', event });
  turns.take(event);
  tellCarriedOn(state);
  await Promise.all([displayed, note === null ? null : front.show({ kind: 'note', text: note })]);
}
