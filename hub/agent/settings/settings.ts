import * as z from 'zod';
import { HubError } from '../../base/error.js';
import { cliOption, rpcMethod } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { KEY_VARIABLES, type ProviderRecord } from '../../base/provider_records.js';
import type { NodeId, Settings, Sha256, TreeId } from '../../protocol/node.js';
import { Level, type SettingsChange, ThinkingLevel, type UsualThinking } from '../../protocol/turn.js';
import { formatModelName, parseModelName } from '../model/model_names.js';
import type { ToolDefinition } from '../model/provider.js';
import type { ProjectContent } from '../tools/project_folders.js';
import { definitionsFor } from '../tools/tool_definitions.js';
import { environmentText, instructionsText, skillsText } from './instructions.js';
import { promptAtLevel, systemPromptFor } from './system_prompts.js';

/** Settings in their stored form: requests are made from it, so that their bytes are the same every time. */
export interface StoredSettings {
  sha256: Sha256;
  settings: Settings;
}

export interface SettingsParams {
  /** The settings of the path or the tree so far; null for a first turn. */
  previous: Settings | null;
  change: SettingsChange | null;
  /** The model when nothing else names one. */
  usualModel: string | null;
  /** The providers that a name may be of. */
  records: readonly ProviderRecord[];
  /** How much models think where nothing else says it. */
  usualThinking: UsualThinking;
  /** Whether orchestrators may have others work. */
  others: boolean;
  /** What was read of the project, when it is told anew. */
  content: ProjectContent;
}

const LEVEL_DEFAULT = 'orchestrator';
const ToolDefinitions = z.array(
  z.strictObject({ name: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) }),
);

/** Stores the settings of the next turn. */
export async function storeSettings(reach: InternalCaller, params: SettingsParams): Promise<StoredSettings> {
  const settings = nextSettings(params);
  const { sha256 } = await callHub(reach, 'loom.settings_put', { settings });
  return { sha256, settings: await storedSettings(reach, sha256) };
}

/** Whether the next settings tell instructions and skills anew. */
export function tellsProject({ previous, change }: Pick<SettingsParams, 'previous' | 'change'>): boolean {
  return change?.system_prompt == null && (previous === null || change?.reload === true);
}

function nextSettings(params: SettingsParams): Settings {
  const { previous, change, content, others } = params;
  const level = nextLevel(previous, change);
  const model = nextModel(params);
  const thinking = nextThinking(params, model);
  const web = change?.web ?? hasWeb(previous);
  const newTools = definitionsFor(level, { web, others });
  if (change?.system_prompt != null) {
    const system_prompt = withPlan(change.system_prompt, change);
    return { system_prompt, tools: newTools, level, model, thinking };
  }
  const kept = tellsProject({ previous, change }) ? null : previous;
  const isSame =
    kept !== null &&
    level === levelOf(kept) &&
    web === hasWeb(kept) &&
    hasOthers(kept) === (others && level === 'orchestrator');
  const tools = isSame ? kept.tools : newTools;
  const system_prompt = kept === null ? systemPrompt(level, content) : withLevel(kept, level);
  return { system_prompt: withPlan(system_prompt, change), tools, level, model, thinking };
}

/** What is said goes before what the path has; another model thinks as much as the person usually lets it. */
function nextThinking(
  { previous, change, usualThinking, records }: SettingsParams,
  model: string,
): Settings['thinking'] {
  if (change?.thinking != null) return change.thinking;
  if (previous !== null && previous.model === model) return previous.thinking;
  const named = Object.keys(usualThinking).find((name) => isNameOf(name, model, records));
  const usual = named === undefined ? undefined : usualThinking[named];
  return usual ?? previous?.thinking ?? usualThinking['*'] ?? 'auto';
}

/** Whether a person means a model by a name; one that means no model was mistyped, and counts for nothing. */
function isNameOf(name: string, model: string, records: readonly ProviderRecord[]): boolean {
  try {
    return name !== '*' && formatModelName(parseModelName(name, records)) === model;
  } catch (error) {
    if (error instanceof HubError) return false;
    throw error;
  }
}

function nextLevel(previous: Settings | null, change: SettingsChange | null): Level {
  const level = change?.level ?? levelOf(previous);
  if (change?.plan == null || level !== 'plan') return level;
  if (change.level === null) return LEVEL_DEFAULT;
  throw new HubError('invalid_params', 'a plan cannot be carried out at the level at which plans are made', {
    hint: 'choose another level, such as orchestrator, or leave it out',
  });
}

const PLAN_BEGIN = '\n\n## Plan\n\n';

function withPlan(prompt: string, change: SettingsChange | null): string {
  return change?.plan == null ? prompt : `${prompt}${PLAN_BEGIN}${change.plan}`;
}

/** The settings that a change applies to: those that it names, else those of the path, else the first of the tree. */
export async function settingsBefore(
  reach: InternalCaller,
  { tree, current, change }: { tree: TreeId; current: Settings | null; change: SettingsChange | null },
): Promise<Settings | null> {
  const sha256 = change?.from ?? null;
  const named = sha256 === null ? current : await storedSettings(reach, sha256);
  const previous = named ?? (await firstSettings(reach, tree));
  if (change?.plan == null || previous === null) return previous;
  // A new plan replaces an old one. Only what follows the first prompt of the tree is surely a plan.
  const first = await firstSettings(reach, tree);
  const unplanned = first === null ? null : withLevel(first, levelOf(previous));
  if (unplanned === null || !previous.system_prompt.startsWith(unplanned + PLAN_BEGIN)) return previous;
  return { ...previous, system_prompt: unplanned };
}

/** The model's full name; one from earlier settings is not parsed again. */
export function nextModel({
  previous,
  change,
  usualModel,
  records,
}: Pick<SettingsParams, 'previous' | 'change' | 'usualModel' | 'records'>) {
  const named = change?.model ?? (previous === null ? usualModel : null);
  if (named !== null) return formatModelName(parseModelName(named, records));
  if (previous !== null) return previous.model;
  throw new HubError('no_key', 'no model is chosen, and no key for one is given', {
    hint: [
      `set ${KEY_VARIABLES.join(' or ')}, name a model of your own server, such as ollama/qwen3:8b, or try: `,
      cliOption('model', 'demo'),
    ],
  });
}

export function levelOf(settings: Settings | null): Level {
  return Level.safeParse(settings?.level).data ?? LEVEL_DEFAULT;
}

/** Whether the tools read pages: that is all that settings say of it. */
export function hasWeb(settings: Settings | null): boolean {
  return settings !== null && toolsIn(settings).some(({ name }) => name === 'fetch');
}

/** Whether the tools have others work. */
export function hasOthers(settings: Settings | null): boolean {
  return settings !== null && toolsIn(settings).some(({ name }) => name === 'work_with');
}

export function thinkingOf({ thinking }: Settings): ThinkingLevel {
  return ThinkingLevel.safeParse(thinking).data ?? 'off';
}

export function toolsIn({ tools }: Settings): ToolDefinition[] {
  return ToolDefinitions.parse(tools);
}

function withLevel(settings: Settings, level: Level): string {
  return promptAtLevel(settings.system_prompt, { before: levelOf(settings), level });
}

function systemPrompt(level: Level, content: ProjectContent): string {
  const texts = [systemPromptFor(level), instructionsText(content), skillsText(content), environmentText(content)];
  return texts.filter((text) => text !== '').join('\n\n');
}

/** The settings of the newest answer on a path; null without an answer. */
export async function pathSettings(reach: InternalCaller, node: NodeId): Promise<Settings | null> {
  const { settings: sha256 } = await callHub(reach, 'loom.context_get_settings', { node });
  return sha256 === null ? null : storedSettings(reach, sha256);
}

/** Stored settings that may be used: those that a file brought need a person's word. */
export async function storedSettings(reach: InternalCaller, sha256: Sha256): Promise<Settings> {
  const { settings, untrusted } = await callHub(reach, 'loom.settings_get', { sha256 });
  if (!untrusted) return settings;
  throw new HubError(
    'approval_needed',
    'these settings came with a file, and nobody has said that they are to be used',
    {
      hint: ['look at them, and then: ', rpcMethod('loom.settings_trust')],
      details: { settings: sha256 },
    },
  );
}

/** The first settings of a tree, for a path of it that has none yet. */
export async function firstSettings(reach: InternalCaller, tree: TreeId): Promise<Settings | null> {
  let first: NodeId | null = null;
  let cursor: string | null = null;
  do {
    const page: { turns: { node: NodeId; tip: NodeId }[]; cursor: string | null } = await callHub(
      reach,
      'loom.turn_list',
      { tree, cursor, limit: 1_000 },
    );
    first = page.turns.findLast(({ node, tip }) => node !== tip)?.tip ?? first;
    cursor = page.cursor;
  } while (cursor !== null);
  return first === null ? null : pathSettings(reach, first);
}
