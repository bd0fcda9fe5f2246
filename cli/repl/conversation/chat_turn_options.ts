import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import type { SettingsChange } from '../../../hub/protocol/turn.js';
import type { Context } from '../../command_line/command_context.js';
import type { CommandKeys } from '../../turn/key_command.js';
import { modelEnvironment } from '../../turn/model_access.js';
import type { TurnOptions } from '../../turn/turn_options.js';
import type { ConversationParts } from './conversation_parts.js';

type Run = ParamsOf<'agent.run'>;

/** The options of the turns of a conversation. */
export interface ChatTurnOptions extends Omit<TurnOptions, 'change'> {
  /** Settings that change with the next turn, which records them on the path. */
  change: Partial<SettingsChange>;
  /** Settings chosen in this chat, for new conversations. */
  chosen: Partial<SettingsChange>;
  /** The current transcript file; null before the first turn. */
  transcriptFile: string | null;
}

export function chatTurnOptions(wanted: TurnOptions): ChatTurnOptions {
  const chosen = wanted.change ?? {};
  return { ...wanted, change: chosen, chosen, transcriptFile: null };
}

/** What gets the keys that commands of the person's print. */
export function commandKeys(
  { context, front }: Pick<ConversationParts, 'context' | 'front'>,
  { access }: ChatTurnOptions,
): CommandKeys {
  return { servers: context.preferences.servers, access, run: front.runListened };
}

/** The parameters of every call about models. */
export function reachOf({
  access,
  route,
  change,
  usual_model,
}: ChatTurnOptions): Pick<TurnOptions, 'access' | 'route' | 'change' | 'usual_model'> {
  return { access, route, change: Object.keys(change).length === 0 ? null : { ...change }, usual_model };
}

/** The further parameters of a turn, also of a continued one. */
export function broughtBy(
  { grants, limits, compact, cache, fallback, window }: ChatTurnOptions,
  { cwd }: Pick<Context, 'cwd'>,
): Pick<Run, 'cwd' | 'environment' | 'grants' | 'limits' | 'compact' | 'cache' | 'fallback' | 'window'> {
  return { cwd, environment: modelEnvironment(), grants, limits, compact, cache, fallback, window };
}

/** The parameters of a new turn only: a continued one keeps its thinking and transcript. */
export function beginningOf(options: ChatTurnOptions): Pick<Run, 'usual_thinking' | 'transcript'> {
  const { usual_thinking, transcript, transcriptFile } = options;
  return { usual_thinking, transcript: transcriptFile === null ? transcript : { file: transcriptFile } };
}
