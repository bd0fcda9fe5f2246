import { plainModelName } from './claude_names.js';
import type { ModelName } from './model_names.js';

export interface Abilities {
  tools: boolean;
  images: boolean;
  thinking: boolean;
}

const ALL: Abilities = { tools: true, images: true, thinking: true };
const WITHOUT_THINKING: Abilities = { ...ALL, thinking: false };
const TEXT_ONLY: Abilities = { ...ALL, images: false };

/** What models can do, by the beginnings of their names, whoever serves them. */
const ABILITIES: readonly [RegExp, Abilities][] = [
  [/^claude-(3-7|[a-z]+-)/, ALL],
  [/^claude-3/, WITHOUT_THINKING],
  [/^gpt-(4o|4\.1|\d[\d.]*-chat)/, WITHOUT_THINKING],
  [/^(gpt-([5-9]|\d\d)|o[134](-|$)|codex-)/, ALL],
  [/^gemini-(2\.5|[3-9])/, ALL],
  [/^grok-4/, ALL],
  [/^deepseek-(v4|reasoner)/, TEXT_ONLY],
  [/^gpt-oss/, TEXT_ONLY],
];

/** What is known of a model by its name; null when nothing is. */
export function abilitiesOf({ model }: Pick<ModelName, 'model'>): Abilities | null {
  const name = plainModelName(model.slice(model.lastIndexOf('/') + 1));
  return ABILITIES.find(([names]) => names.test(name))?.[1] ?? null;
}
