import { detach } from '../../../hub/base/detach.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { createUncommittedBlocks, type UncommittedBlocks } from './uncommitted_blocks.js';

/** Follows the turns of a tree while its viewer is open. */
export interface Following {
  readonly tree: TreeId;
  readonly uncommitted: UncommittedBlocks;
  /** Whether the stream has ended. */
  isOver(): boolean;
  stop(): void;
}

export interface FollowingParts {
  client: Client;
  tree: TreeId;
  /** The person's position; null before anything was said. */
  position(): NodeId | null;
  nowMs(): number;
  /** Called after every event; `isOther` when blocks were added or removed, not only extended. */
  changed(isOther: boolean): void;
  /** Called each second while a shown block changes with time. */
  tick(): void;
}

const TICK_MS = 1_000;

export function followTurns({ client, tree, position, nowMs, changed, tick }: FollowingParts): Following {
  const abort = new AbortController();
  const { signal } = abort;
  const uncommitted = createUncommittedBlocks(nowMs);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const time = (): void => {
    if (uncommitted.isTimed()) timer ??= setInterval(tick, TICK_MS).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const onEvent = (event: AgentEvent): void => {
    const isOther = uncommitted.take(event);
    time();
    changed(isOther);
    const start = startOf(event);
    if (start !== null && start !== position()) detach(addMessage(event.turn, start), end);
  };
  const addMessage = async (turn: TurnId, start: NodeId): Promise<void> => {
    const { node } = await client.call('loom.node_get', { node: start }, { signal });
    if (node.parent === null || node.parent !== position()) return;
    uncommitted.startedBelow(turn, node);
    changed(true);
  };
  const end = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  // Reading does not restart a hub that was stopped on purpose. After a failure, the next change subscribes again.
  detach(client.stream('agent.follow', { tree }, { onEvent, signal, startsHub: false }).then(end), end);
  return {
    tree,
    uncommitted,
    isOver: () => isOver,
    stop() {
      clearInterval(timer);
      abort.abort();
    },
  };
}

function startOf(event: AgentEvent): NodeId | null {
  if (event.kind === 'turn_started') return event.node;
  return event.kind === 'turn_snapshot' ? event.tip : null;
}
