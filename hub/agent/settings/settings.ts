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
import { type InstructionPlaces, readInstructions } from './instructions.js';
import { readSkillList } from './skills.js';
import { systemPromptFor } from './system_prompts.js';

/** Settings as they are stored: what is sent is made from this form, so that its bytes are the same every time. */
export interface StoredSettings {
  sha256: Sha256;
  settings: Settings;
}

export interface SettingsWanted {
  /** What the path or the tree has used; null for a first turn. */
  known: Settings | null;
  change: SettingsChange | null;
  /** The model when nothing else says one. */
  usualModel: string | null;
  places: InstructionPlaces;
}

const LEVEL_USUAL = 'orchestrator';
const ToolDefinitions = z.array(
  z.strictObject({ name: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) }),
);

/** The settings that the turn goes on with, stored. */
export async function settleSettings(reach: InternalCaller, wanted: SettingsWanted): Promise<StoredSettings> {
  const settings = await settingsWanted(wanted);
  const { sha256 } = await callHub(reach, 'loom.settings_put', { settings });
  return { sha256, ...(await callHub(reach, 'loom.settings_get', { sha256 })) };
}

async function settingsWanted({ known, change, usualModel, places }: SettingsWanted): Promise<Settings> {
  const level = levelWanted(known, change);
  const model = modelWanted({ known, change, usualModel });
  const thinking = change?.thinking ?? known?.thinking ?? 'off';
  if (change?.system_prompt != null) {
    const system_prompt = withPlan(change.system_prompt, change);
    return { system_prompt, tools: definitionsFor(level), level, model, thinking };
  }
  const isKept = known !== null && change?.reload !== true;
  const tools = isKept && level === levelOf(known) ? known.tools : definitionsFor(level);
  const system_prompt = isKept ? withLevel(known, level) : await systemPrompt(level, places);
  return { system_prompt: withPlan(system_prompt, change), tools, level, model, thinking };
}

function levelWanted(known: Settings | null, change: SettingsChange | null): Level {
  const level = change?.level ?? levelOf(known);
  if (change?.plan == null || level !== 'plan') return level;
  if (change.level === null) return LEVEL_USUAL;
  throw new HubError('invalid_params', 'a plan cannot be carried out at the level at which plans are made', {
    hint: 'choose another level, such as orchestrator, or leave it out',
  });
}

const PLAN_BEGIN = '\n\n## Plan\n\n';

function withPlan(prompt: string, change: SettingsChange | null): string {
  return change?.plan == null ? prompt : `${prompt}${PLAN_BEGIN}${change.plan}`;
}

/** What a change is made to: the settings that it names, else those of the path, else the first of the tree. */
export async function settingsBefore(
  reach: InternalCaller,
  { tree, current, change }: { tree: TreeId; current: Settings | null; change: SettingsChange | null },
): Promise<Settings | null> {
  const sha256 = change?.from ?? null;
  const named = sha256 === null ? current : await storedSettings(reach, sha256);
  const known = named ?? (await firstSettings(reach, tree));
  if (change?.plan == null || known === null) return known;
  // A new plan stands in the place of an old one. Only after the first prompt of the tree is it surely a plan of ours.
  const first = await firstSettings(reach, tree);
  const unplanned = first === null ? null : withLevel(first, levelOf(known));
  if (unplanned === null || !known.system_prompt.startsWith(unplanned + PLAN_BEGIN)) return known;
  return { ...known, system_prompt: unplanned };
}

/** The model's whole name; a known one is not looked at again. */
export function modelWanted({ known, change, usualModel }: Pick<SettingsWanted, 'known' | 'change' | 'usualModel'>) {
  const named = change?.model ?? (known === null ? usualModel : null);
  if (named !== null) return formatModelName(parseModelName(named));
  if (known !== null) return known.model;
  throw new HubError('no_key', 'no model is chosen, and no key for one is given', {
    hint: [`set ${KEY_VARIABLES.join(' or ')}, or try: `, cliOption('model', 'demo')],
  });
}

export function levelOf(settings: Settings | null): Level {
  return Level.safeParse(settings?.level).data ?? LEVEL_USUAL;
}

export function thinkingOf({ thinking }: Settings) {
  return THINKING_LEVELS.find((known) => known === thinking) ?? 'off';
}

export function toolsIn({ tools }: Settings): ToolDefinition[] {
  return ToolDefinitions.parse(tools);
}

/** The same system prompt with another level's beginning; to one that is not ours is added at most that it is to plan. */
function withLevel(known: Settings, level: Level): string {
  const before = levelOf(known);
  const begin = systemPromptFor(before);
  const prompt = known.system_prompt;
  if (prompt.startsWith(begin)) return systemPromptFor(level) + prompt.slice(begin.length);
  if (before === level) return prompt;
  const added = `\n\n${systemPromptFor('plan')}`;
  if (level === 'plan') return prompt + added;
  return before === 'plan' && prompt.endsWith(added) ? prompt.slice(0, -added.length) : prompt;
}

async function systemPrompt(level: Level, places: InstructionPlaces): Promise<string> {
  const [instructions, skills] = await Promise.all([readInstructions(places), readSkillList(places)]);
  return [systemPromptFor(level), instructions, skills].filter((text) => text !== '').join('\n\n');
}

/** The settings of the newest answer on a path; null where nothing was answered yet. */
export async function pathSettings(reach: InternalCaller, node: NodeId): Promise<Settings | null> {
  const { settings: sha256 } = await callHub(reach, 'loom.context_get_settings', { node });
  return sha256 === null ? null : storedSettings(reach, sha256);
}

export async function storedSettings(reach: InternalCaller, sha256: Sha256): Promise<Settings> {
  return (await callHub(reach, 'loom.settings_get', { sha256 })).settings;
}

/** The settings that a tree was first used with, for a path of it that has none yet. */
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
