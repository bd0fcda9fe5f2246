import type { ThinkingLevel } from '../../protocol/turn.js';
import { plainModelName } from './claude_names.js';
import type { ModelName } from './model_names.js';

/** The longest answers in tokens, by the beginnings of models' names: some servers refuse to be asked for more. */
const LONGEST_ANSWERS: readonly [RegExp, number][] = [
  [/^claude-(3-(opus|haiku|sonnet)|2|instant|v1)/, 4_096],
  [/^claude-3-5-/, 8_192],
  [/^claude-opus-4-(0|1|2025)/, 32_000],
  [/^claude-/, 64_000],
  [/^gpt-(3|4-|4$)/, 4_096],
  [/^gpt-4/, 16_384],
  [/^(gpt-|o\d|codex-)/, 64_000],
  [/^gemini-(1|2\.0)/, 8_192],
  [/^gemini-/, 64_000],
];
const OUTPUT_TOKENS_DEFAULT = 32_000;

/** How many tokens to ask for: no more than the model can write, and no more than the default unless it is to think much. */
export function outputTokensMax({ model }: ModelName, thinking: ThinkingLevel): number {
  const longest = LONGEST_ANSWERS.find(([names]) => names.test(plainModelName(model)))?.[1] ?? OUTPUT_TOKENS_DEFAULT;
  return thinking === 'high' || thinking === 'max' ? longest : Math.min(longest, OUTPUT_TOKENS_DEFAULT);
}
