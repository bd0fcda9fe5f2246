import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import type { SettingsChange } from '../../../hub/protocol/turn.js';
import { modelEnvironment } from '../../turn/model_access.js';
import type { TurnOptions } from '../../turn/turn_options.js';

type Run = ParamsOf<'agent.run'>;

/** What the turns of a conversation are run with. */
export interface ChatTurnOptions extends Omit<TurnOptions, 'change'> {
  /** What is to be different from the next turn on; then the path itself says so. */
  change: Partial<SettingsChange>;
  /** What was chosen since the chat began: a new conversation begins with it. */
  chosen: Partial<SettingsChange>;
  /** The file that the turns so far were written to; null before the first. */
  transcriptFile: string | null;
}

export function chatTurnOptions(wanted: TurnOptions): ChatTurnOptions {
  const chosen = wanted.change ?? {};
  return { ...wanted, change: chosen, chosen, transcriptFile: null };
}

/** What every call about models takes along. */
export function reachOf({
  access,
  change,
  usual_model,
}: ChatTurnOptions): Pick<TurnOptions, 'access' | 'change' | 'usual_model'> {
  return { access, change: Object.keys(change).length === 0 ? null : { ...change }, usual_model };
}

type Brought = Pick<Run, 'cwd' | 'environment' | 'grants' | 'transcript' | 'limits' | 'compact' | 'window'>;

/** What every turn takes along beside that. */
export function broughtBy({ grants, limits, compact, window, transcript, transcriptFile }: ChatTurnOptions): Brought {
  return {
    ...{ cwd: process.cwd(), environment: modelEnvironment(), grants, limits, compact, window },
    transcript: transcriptFile === null ? transcript : { file: transcriptFile },
  };
}
