import { resolve } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { valuesByModel } from '../../hub/config/preference_value.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { CacheChoice, Level, SettingsChange, UsualThinking } from '../../hub/protocol/turn.js';
import type { Input } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { type ModelAccess, modelAccess } from './model_access.js';
import { modelNamed } from './model_choice.js';
import { modelRoute } from './model_route.js';
import { THINKING_LEVELS, thinkingNamed } from './thinking_choice.js';

const LEVELS = ['minimal', 'orchestrator', 'readonly', 'plan', 'ask'] as const satisfies readonly Level[];
const COST_MAX = 1_000_000;
const TURNS_MAX = 10_000;

/** Options of any turn that permit more, or print events. */
export const PERMISSION_FLAGS = [
  { name: 'jsonl', short: null, description: 'print every event as a line of JSON' },
  { name: 'net', short: null, description: 'its commands may use the network' },
  { name: 'no-sandbox', short: null, description: 'UNSANDBOXED: its commands run as in your own shell' },
  { name: 'here', short: null, description: 'it may work in your home folder, or in a folder above it' },
] as const;

/** The limits of any turn. */
export const LIMIT_VALUES = [
  { name: 'max-turns', value: 'number', choices: null, description: 'end after so many answers of the model' },
  { name: 'max-cost', value: 'dollars', choices: null, description: 'end when it has cost so much' },
] as const;

const SPAWN_AND_WEB_FLAGS = [
  { name: 'no-spawn', short: null, description: 'it cannot start sub-sessions' },
  { name: 'web', short: null, description: 'it may read pages of the internet, from here on' },
  { name: 'no-web', short: null, description: 'it may not any more' },
] as const;

/** The options of every command that lets a model work. */
export const TURN_FLAGS = [...PERMISSION_FLAGS, ...SPAWN_AND_WEB_FLAGS] as const;

const [, ...UNPRINTED_FLAGS] = PERMISSION_FLAGS;

/** The same for a command whose output is not a list of events: without --jsonl. */
export const CONVERSATION_FLAGS = [...UNPRINTED_FLAGS, ...SPAWN_AND_WEB_FLAGS] as const;

export const TURN_VALUES = [
  {
    ...{ name: 'model', short: 'm', value: 'model', choices: null },
    description: 'provider/model, or a short name such as sonnet or demo',
  },
  {
    ...{ name: 'fallback', value: 'model', choices: null },
    description: 'the model that goes on where the other stays overloaded',
  },
  {
    ...{ name: 'provider', short: 'p', value: 'provider', choices: null },
    description: 'whose model: its usual one, or the one of --model',
  },
  {
    ...{ name: 'system', short: 's', value: 'text', choices: null },
    description: 'the system prompt, instead of ours with the instructions of the project',
  },
  {
    ...{ name: 'level', value: 'level', choices: LEVELS },
    description:
      'what the model may do: `minimal` starts no sub-sessions, `readonly` only looks, `plan` writes a plan and may ask you, `ask` asks you before each change and command',
  },
  {
    ...{ name: 'thinking', value: 'how much', choices: THINKING_LEVELS },
    description: 'how much the model thinks, from here on; `auto` is what its makers recommend',
  },
  { name: 'tool-level', value: 'level', choices: LEVELS, description: 'the same as --level' },
  {
    ...{ name: 'transcript-dir', value: 'folder', choices: null },
    description: 'write the transcript to a file in this folder',
  },
  ...LIMIT_VALUES,
] as const;

type TurnInput = Input<
  never,
  Exclude<(typeof TURN_FLAGS)[number]['name'], 'jsonl'>,
  (typeof TURN_VALUES)[number]['name']
>;

/** The options of a turn: everything but its position. */
export interface TurnOptions {
  access: ModelAccess;
  route: ParamsOf<'agent.run'>['route'];
  change: Partial<SettingsChange> | null;
  usual_model: string | null;
  fallback: string | null;
  usual_thinking: UsualThinking;
  compact: 'auto' | 'off';
  cache: CacheChoice;
  window: number | null;
  limits: { iterations: number | null; cost_microdollars: number | null };
  grants: { network: boolean; unsandboxed: boolean; whole_home: boolean };
  transcript: { folder: string } | null;
}

/** Reads the options of a turn from the command line, the environment and the preferences. */
export async function readTurnOptions(input: TurnInput, context: Context): Promise<TurnOptions> {
  const change = await changeFrom(input, context);
  const folder = input.value('transcript-dir');
  return {
    access: modelAccess(context.preferences),
    route: modelRoute(),
    change: Object.keys(change).length === 0 ? null : change,
    usual_model: context.preferences.get('model') || null,
    fallback: input.value('fallback') ?? (context.preferences.get('fallback') || null),
    usual_thinking: usualThinking(context),
    ...windowPreferences(context),
    limits: readLimits(input),
    grants: readGrants(input),
    transcript: folder === undefined ? null : { folder: resolve(folder) },
  };
}

/** The preference for thinking, by model. */
function usualThinking({ preferences }: Context): UsualThinking {
  const levels = Object.entries(valuesByModel(preferences.get('thinking')));
  return Object.fromEntries(levels.map(([model, level]) => [model, thinkingNamed(level) ?? 'auto']));
}

/** The preferences about the context window, and how it is cached. */
export function windowPreferences({ preferences }: Context): Pick<TurnOptions, 'compact' | 'cache' | 'window'> {
  const window = Number(preferences.get('window'));
  return {
    compact: preferences.get('compact') === 'off' ? 'off' : 'auto',
    cache: cacheNamed(preferences.get('cache')),
    window: window >= 1 ? Math.floor(window) : null,
  };
}

function cacheNamed(name: string): CacheChoice {
  return name === '5m' || name === '1h' ? name : 'auto';
}

export function readLimits(input: Input<never, never, (typeof LIMIT_VALUES)[number]['name']>): TurnOptions['limits'] {
  const dollars = numberFrom('max-cost', input.value('max-cost'), COST_MAX);
  const turns = numberFrom('max-turns', input.value('max-turns'), TURNS_MAX);
  return {
    iterations: turns === null ? null : Math.ceil(turns),
    cost_microdollars: dollars === null ? null : Math.ceil(dollars * 1_000_000),
  };
}

export function readGrants(input: Input<never, 'net' | 'no-sandbox' | 'here', never>): TurnOptions['grants'] {
  return {
    network: input.flag('net'),
    unsandboxed: input.flag('no-sandbox'),
    whole_home: input.flag('here'),
  };
}

async function changeFrom(input: TurnInput, context: Context): Promise<Partial<SettingsChange>> {
  const model = await modelNamed(context, { model: input.value('model'), provider: input.value('provider') });
  const level = LEVELS.find((one) => one === (input.value('level') ?? input.value('tool-level')));
  const thinking = thinkingNamed(input.value('thinking') ?? '');
  const system = input.value('system');
  return {
    ...(model === null ? {} : { model }),
    ...(level === undefined ? {} : { level }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(system === undefined ? {} : { system_prompt: system }),
    ...(input.flag('no-spawn') ? { spawn: false as const } : {}),
    ...(input.flag('web') || input.flag('no-web') ? { web: !input.flag('no-web') } : {}),
  };
}

function numberFrom(name: string, text: string | undefined, most: number): number | null {
  if (text === undefined) return null;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (number > 0 && number <= most) return number;
  throw new HubError('invalid_params', `--${name} takes a number above 0, up to ${most}, not ${text}`);
}

/** Warns on stderr that commands run without a sandbox. */
export function noteUnsandboxed(context: Context, { grants }: Pick<TurnOptions, 'grants'>): void {
  if (!grants.unsandboxed) return;
  context.note(
    'UNSANDBOXED: its commands run as in your own shell, and nothing keeps them from letting other models work.',
  );
}
