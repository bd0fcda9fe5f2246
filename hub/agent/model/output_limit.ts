import type { ModelName } from './model_names.js';

/** The longest answers in tokens, by the beginnings of models' names: some servers refuse to be asked for more. */
const LONGEST_ANSWERS: readonly [RegExp, number][] = [
  [/^claude-(3-(opus|haiku|sonnet)|2|instant|v1)/, 4_096],
  [/^claude-3-5-/, 8_192],
  [/^claude-opus-4-(0|1|2025)/, 32_000],
  [/^claude-/, 64_000],
  [/^gpt-(3|4-|4$)/, 4_096],
  [/^gpt-4/, 16_384],
];
const OUTPUT_TOKENS_DEFAULT = 32_000;

/** How many tokens to ask for: no more than the model can write, and no more than the default. */
export function outputTokensMax({ model }: ModelName): number {
  const longest = LONGEST_ANSWERS.find(([names]) => names.test(model))?.[1] ?? OUTPUT_TOKENS_DEFAULT;
  return Math.min(longest, OUTPUT_TOKENS_DEFAULT);
}
