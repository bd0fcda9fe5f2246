import type { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import type { Session } from '../../position/session_file.js';

/** The position of this REPL in a tree; the session file keeps the last move. */
export interface ReplPosition {
  readonly tree: TreeId;
  position(): NodeId;
  /** The followed turn. */
  following(): TurnId | null;
  /** Whether the next message begins an announced branch. */
  isForked(): boolean;
  /** Whether the next turn gets a copy of the project. */
  isOwn(): boolean;
  /** A move by the person, which stops following the running turn. */
  go(node: NodeId, fork?: 'none' | 'here' | 'own'): void;
  /** An advance by the person's message or the followed turn. */
  advance(node: NodeId, following: TurnId | null): void;
  /** Earlier positions, newest first. */
  trail(): readonly NodeId[];
  /** Resolves when the last move is saved. */
  saved(): Promise<void>;
}

/** The limit of earlier positions. */
const TRAIL_MAX = 1_000;

export interface ReplPositionParts {
  session: Session;
  tree: TreeId;
  position: NodeId;
  following: TurnId | null;
  /** Called on each move by the person. */
  onGo(node: NodeId): void;
  /** Called on every move. */
  onMoved(node: NodeId): void;
  /** Called when a move could not be saved. */
  onFailed(error: unknown): void;
}

export function createPlace({ session, tree, onGo, onMoved, onFailed, ...start }: ReplPositionParts): ReplPosition {
  let { position, following } = start;
  let forked: 'none' | 'here' | 'own' = 'none';
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
    isForked: () => forked !== 'none',
    isOwn: () => forked === 'own',
    go(node, fork = 'none') {
      following = null;
      forked = fork;
      stand(node);
      onGo(node);
    },
    advance(node, turn) {
      following = turn;
      forked = 'none';
      stand(node);
    },
    trail: () => trail,
    saved: () => last,
  };
}
