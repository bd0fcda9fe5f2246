import type { LeasedTurn, TurnElsewhere } from '../../protocol/methods/live_methods.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { Delivery } from './turn_messages.js';

export interface LaneParts {
  name: string;
  sharedTrees(): string[];
  tell(event: TurnElsewhere): void;
  /** Has the lane run soon. */
  wake(): void;
  /** Does what another hub says to a turn of this one. */
  deliver: Delivery;
}

/** Something that is said to a turn of another hub. */
export interface Said {
  id: string;
  turn: TurnId;
  body: string;
  isSent: boolean;
  end(answer: unknown): void;
}

/** What a hub knows of the turns at one remote. */
export interface TurnLaneState {
  parts: LaneParts;
  own: Map<TurnId, LeasedTurn>;
  leased: Map<TurnId, string>;
  others: Map<string, TurnElsewhere>;
  said: Map<string, Said>;
  answers: Map<string, { tree: TreeId; answer: string }>;
  delivering: Set<string>;
  news: { tree: TreeId; tell(): void }[];
  isToRead: boolean;
  isToTell: boolean;
  isReached: boolean;
  atMs: number;
  /** When it was read last which turns others have. */
  readAtMs: number;
}
