import type { HubError } from '../../base/error.js';
import type { Question } from '../../protocol/question.js';
import type { TurnLimits, TurnOutcome, TurnReason } from '../../protocol/turn.js';
import type { RoomWork } from '../compaction/window_room.js';
import type { StoredSettings } from '../settings/settings.js';
import type { Executor } from '../tools/executor.js';
import type { ProjectWatch } from '../tools/project_watch.js';
import type { Journal } from './journal.js';

/** All that a turn works with. */
export interface TurnWork extends RoomWork {
  journal: Journal;
  executor: Executor;
  watch: ProjectWatch;
  settings: StoredSettings;
  limits: TurnLimits;
  /** Another model for the rest of the turn, which is taken once; null for none. */
  fallback: ((previous: StoredSettings) => Promise<ModelWork>) | null;
}

/** What of a turn is another with another model. */
export type ModelWork = Pick<TurnWork, 'settings' | 'model' | 'provider' | 'access' | 'account' | 'room'>;

/** How a turn came to its end. */
export interface TurnEnd {
  state: Exclude<TurnOutcome['state'], 'running' | 'waiting'>;
  why: TurnReason;
  failure: HubError | null;
}

/** The questions that a person must answer before the turn can go on. */
export interface TurnParking {
  state: 'parked';
  questions: Question[];
}
