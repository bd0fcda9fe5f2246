import type { Node, Settings, Sha256 } from '../../protocol/node.js';
import type { CacheChoice } from '../../protocol/turn.js';
import type { ModelName } from '../model/model_names.js';
import type { LoadImage, ModelReach, Provider } from '../model/provider.js';
import type { Timers } from '../model/timers.js';
import type { RunningTurn } from '../turn/running_turn.js';
import type { Account } from './request_ledger.js';

/** The parts of a turn that a request needs. */
export interface Requester {
  turn: RunningTurn;
  account: Account;
  provider: Provider;
  model: ModelName;
  /** How the provider is reached; the key is held here, and nowhere that outlives the turn. */
  access: Omit<ModelReach, 'model'>;
  settings: { settings: Settings };
  /** The nodes of the path that are sent, growing with each step. */
  path: Node[];
  /** What thinking on the path is bound to, by its settings; what is missing here is not sent. */
  bindings: Map<Sha256, string>;
  /** False once the server has refused an image: the rest of the turn goes on without any. */
  sendsImages: boolean;
  cache: CacheChoice;
  loadImage: LoadImage;
  timers: Timers;
  random(): number;
}
