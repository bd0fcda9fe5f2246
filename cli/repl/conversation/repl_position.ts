import type { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import type { Session } from '../../position/session_file.js';

/** Where the person of this REPL stands in a tree: its own copy, of which the file gets the last move. */
export interface ReplPosition {
  readonly tree: TreeId;
  position(): NodeId;
  /** The turn that was begun here and has not been left. */
  following(): TurnId | null;
  /** Whether the next message was announced to be an alternative. */
  isForked(): boolean;
  /** A move of the person's own: what runs goes on without them. */
  go(node: NodeId, forked?: boolean): void;
  /** What was written here, by the person or by the turn that they follow. */
  advance(node: NodeId, following: TurnId | null): void;
  /** Where the person has stood, the last first. */
  trail(): readonly NodeId[];
  /** Resolves when the file has the last move. */
  saved(): Promise<void>;
}

/** How many places are remembered to go back to. */
const TRAIL_MAX = 1_000;

export interface ReplPositionParts {
  session: Session;
  tree: TreeId;
  position: NodeId;
  following: TurnId | null;
  /** Told of each move of the person's own. */
  onGo(node: NodeId): void;
  /** Told of every move. */
  onMoved(node: NodeId): void;
  /** Told when a move could not be saved. */
  onFailed(error: unknown): void;
}

export function createPlace({ session, tree, onGo, onMoved, onFailed, ...start }: ReplPositionParts): ReplPosition {
  let { position, following } = start;
  let forked = false;
  let trail: NodeId[] = [position];
  let isWaiting = false;
  let last = Promise.resolve();
  const save = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    last = last.then(async () => {
      isWaiting = false;
      await session.move(tree, position, following).catch(onFailed);
    });
  };
  const stand = (node: NodeId): void => {
    position = node;
    trail = [node, ...trail.filter((one) => one !== node)].slice(0, TRAIL_MAX);
    save();
    onMoved(node);
  };
  return {
    tree,
    position: () => position,
    following: () => following,
    isForked: () => forked,
    go(node, isFork = false) {
      following = null;
      forked = isFork;
      stand(node);
      onGo(node);
    },
    advance(node, turn) {
      following = turn;
      forked = false;
      stand(node);
    },
    trail: () => trail,
    saved: () => last,
  };
}
