import type { HubError } from '../../base/error.js';
import type { InternalCaller } from '../../base/internal_call.js';
import type { Node, NodeId, Sha256 } from '../../protocol/node.js';
import type { Question } from '../../protocol/question.js';
import type { TurnLimits, TurnOutcome, TurnReason } from '../../protocol/turn.js';
import type { WindowRoom } from '../compaction/window_room.js';
import type { ModelName } from '../model/model_names.js';
import type { LoadImage, Provider } from '../model/provider.js';
import type { Timers } from '../model/timers.js';
import type { Account } from '../request/request_ledger.js';
import type { StoredSettings } from '../settings/settings.js';
import type { Executor } from '../tools/executor.js';
import type { Journal } from './journal.js';
import type { RunningTurn } from './running_turn.js';

/** All that a turn works with. */
export interface TurnWork {
  reach: InternalCaller;
  turn: RunningTurn;
  journal: Journal;
  executor: Executor;
  account: Account;
  provider: Provider;
  model: ModelName;
  /** How the provider is reached; the key is held here, and nowhere that outlives the turn. */
  access: { baseUrl: string | null; key: string | null };
  settings: StoredSettings;
  /** The nodes of the path that are sent, growing with each step. */
  path: Node[];
  /** The models that signed something on the path. */
  models: Map<Sha256, string>;
  limits: TurnLimits;
  room: WindowRoom;
  loadImage: LoadImage;
  timers: Timers;
  random(): number;
  newNodeId(): NodeId;
}

/** How a turn came to its end. */
export interface TurnEnd {
  state: Exclude<TurnOutcome['state'], 'running' | 'waiting'>;
  why: TurnReason;
  failure: HubError | null;
}

/** What a person must answer before the turn can go on. */
export interface TurnParking {
  state: 'parked';
  questions: Question[];
}
