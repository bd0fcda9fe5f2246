import type { WatchEvent } from '../../../../hub/protocol/feed_events.js';
import type { TreeId } from '../../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import type { HubSocket } from './hub_socket.js';
import { afterEvent, type KnownTurns, listedTurns } from './hub_turns.js';
import type { NodeIds } from './node_ids.js';
import type { LiveListener, LiveTurn, MarkPlace } from './source.js';

/** How often the running turns are told of while one writes. */
const TELL_MS = 40;

/** What begins or ends a turn, or a step of it. */
const STEPS: ReadonlySet<AgentEvent['kind']> = new Set([
  ...(['turn_started', 'turn_snapshot', 'turn_parked', 'turn_resumed', 'step_committed', 'turn_ended'] as const),
]);

export interface FollowParts {
  hub: HubSocket;
  tree: TreeId;
  ids: NodeIds;
  /** The newest change that has been read. */
  since: number;
  marks(): Promise<readonly MarkPlace[]>;
  /** Reads the page anew, where another storage stands in the place of the one that it knows. */
  reload(): void;
}

/** Follows a tree: after each break from where it was, so that nothing is missed or told twice. */
export function followTree(parts: FollowParts, listener: LiveListener): () => void {
  const { hub, tree } = parts;
  const position: { since: number; epoch: string | null } = { since: parts.since, epoch: null };
  const turns = followTurns(parts, listener);
  let isOver = false;
  hub.onAway((reason) => {
    if (!isOver) listener.away(reason);
  });
  hub.onOpen(() => {
    if (isOver) return;
    hub.stream('loom.watch', { tree, ...position }, (event: WatchEvent) => {
      if (isOver) return;
      position.since = Math.max(position.since, event.seq);
      if (event.kind === 'watch_live') position.epoch = event.epoch;
      tellChange(parts, listener, event);
    });
    hub.stream('agent.follow', { tree }, (event: AgentEvent) => {
      if (!isOver) turns.take(event);
    });
    turns.list();
  });
  return () => {
    isOver = true;
    turns.end();
  };
}

function tellChange({ ids, marks, reload }: FollowParts, listener: LiveListener, event: WatchEvent): void {
  switch (event.kind) {
    case 'node_created':
      ids.note(event.node);
      listener.node(event.node, event.parent_seq);
      break;
    case 'mark_set':
    case 'mark_removed':
      marks().then(listener.marks, nothing);
      break;
    case 'branch_archived':
      listener.replaced('A branch was archived.');
      break;
    case 'branch_restored':
      listener.replaced('A branch was taken out of the archive.');
      break;
    case 'watch_reset':
      reload();
      break;
    case 'tree_purged':
      listener.away('this conversation has been deleted');
      break;
  }
}

/** The turns that run, told at most once in a frame or two: an answer comes in many pieces. */
function followTurns({ hub, tree, ids }: FollowParts, listener: LiveListener) {
  let turns: KnownTurns = new Map();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isOver = false;

  /** The number of a tip may have to be asked for: then what has happened meanwhile is told as well. */
  async function tell(): Promise<void> {
    const shown: LiveTurn[] = [];
    for (const [id, { tip }] of turns) {
      const seq = await ids.seqOf(tip);
      const turn = turns.get(id);
      if (turn !== undefined) shown.push({ ...turn, tip: seq });
    }
    if (!isOver) listener.running(shown);
  }

  function tellSoon(): void {
    timer ??= setTimeout(() => {
      timer = null;
      tell().then(nothing, nothing);
    }, TELL_MS);
  }

  function list(): void {
    hub.call('agent.status', { tree }).then((status) => {
      turns = listedTurns(turns, status.turns);
      tellSoon();
    }, nothing);
  }

  return {
    take(event: AgentEvent): void {
      // Whose hub has a turn is listed alone, and which permission that waits for.
      const isToList = event.kind === 'turn_snapshot' || event.kind === 'turn_parked';
      turns = afterEvent(turns, event, Date.now());
      if (event.kind === 'usage_counted' || event.kind === 'turn_ended') listener.costs();
      if (STEPS.has(event.kind)) listener.stepped();
      if (event.kind === 'turn_ended' && event.outcome.failure !== null) listener.failed(event.outcome.failure.message);
      tellSoon();
      if (isToList) list();
    },
    list,
    end(): void {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function nothing(): void {
  // The next event tells it again.
}
