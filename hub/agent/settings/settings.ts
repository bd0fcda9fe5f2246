import * as z from 'zod';
import { HubError } from '../../base/error.js';
import { cliOption } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { KEY_VARIABLES } from '../../base/provider_records.js';
import type { NodeId, Settings, Sha256, TreeId } from '../../protocol/node.js';
import { Level, type SettingsChange } from '../../protocol/turn.js';
import { formatModelName, parseModelName } from '../model/model_names.js';
import { THINKING_LEVELS, type ToolDefinition } from '../model/provider.js';
import { definitionsFor } from '../tools/tool_definitions.js';
import { type InstructionFolders, readInstructions } from './instructions.js';
import { readSkillList } from './skills.js';
import { systemPromptFor } from './system_prompts.js';

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
  folders: InstructionFolders;
}

const LEVEL_DEFAULT = 'orchestrator';
const ToolDefinitions = z.array(
  z.strictObject({ name: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) }),
);

/** Stores the settings of the next turn. */
export async function storeSettings(reach: InternalCaller, params: SettingsParams): Promise<StoredSettings> {
  const settings = await nextSettings(params);
  const { sha256 } = await callHub(reach, 'loom.settings_put', { settings });
  return { sha256, ...(await callHub(reach, 'loom.settings_get', { sha256 })) };
}

async function nextSettings({ previous, change, usualModel, folders }: SettingsParams): Promise<Settings> {
  const level = nextLevel(previous, change);
  const model = nextModel({ previous, change, usualModel });
  const thinking = change?.thinking ?? previous?.thinking ?? 'off';
  if (change?.system_prompt != null) {
    const system_prompt = withPlan(change.system_prompt, change);
    return { system_prompt, tools: definitionsFor(level), level, model, thinking };
  }
  const keepsPrompt = previous !== null && change?.reload !== true;
  const tools = keepsPrompt && level === levelOf(previous) ? previous.tools : definitionsFor(level);
  const system_prompt = keepsPrompt ? withLevel(previous, level) : await systemPrompt(level, folders);
  return { system_prompt: withPlan(system_prompt, change), tools, level, model, thinking };
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
}: Pick<SettingsParams, 'previous' | 'change' | 'usualModel'>) {
  const named = change?.model ?? (previous === null ? usualModel : null);
  if (named !== null) return formatModelName(parseModelName(named));
  if (previous !== null) return previous.model;
  throw new HubError('no_key', 'no model is chosen, and no key for one is given', {
    hint: [`set ${KEY_VARIABLES.join(' or ')}, or try: `, cliOption('model', 'demo')],
  });
}

export function levelOf(settings: Settings | null): Level {
  return Level.safeParse(settings?.level).data ?? LEVEL_DEFAULT;
}

export function thinkingOf({ thinking }: Settings) {
  return THINKING_LEVELS.find((one) => one === thinking) ?? 'off';
}

export function toolsIn({ tools }: Settings): ToolDefinition[] {
  return ToolDefinitions.parse(tools);
}

/** The system prompt for another level. A custom prompt only gains or loses the plan section. */
function withLevel(previous: Settings, level: Level): string {
  const before = levelOf(previous);
  const beginning = systemPromptFor(before);
  const prompt = previous.system_prompt;
  if (prompt.startsWith(beginning)) return systemPromptFor(level) + prompt.slice(beginning.length);
  if (before === level) return prompt;
  const planSection = `\n\n${systemPromptFor('plan')}`;
  if (level === 'plan') return prompt + planSection;
  return before === 'plan' && prompt.endsWith(planSection) ? prompt.slice(0, -planSection.length) : prompt;
}

async function systemPrompt(level: Level, folders: InstructionFolders): Promise<string> {
  const [instructions, skills] = await Promise.all([readInstructions(folders), readSkillList(folders)]);
  return [systemPromptFor(level), instructions, skills].filter((text) => text !== '').join('\n\n');
}

/** The settings of the newest answer on a path; null without an answer. */
export async function pathSettings(reach: InternalCaller, node: NodeId): Promise<Settings | null> {
  const { settings: sha256 } = await callHub(reach, 'loom.context_get_settings', { node });
  return sha256 === null ? null : storedSettings(reach, sha256);
}

export async function storedSettings(reach: InternalCaller, sha256: Sha256): Promise<Settings> {
  return (await callHub(reach, 'loom.settings_get', { sha256 })).settings;
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
