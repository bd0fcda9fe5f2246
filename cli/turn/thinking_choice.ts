import type { ThinkingLevel } from '../../hub/protocol/turn.js';

/** How much a model may think, with what each word means. */
export const THINKING: Readonly<Record<ThinkingLevel, string>> = {
  auto: 'what its makers recommend for agents',
  off: 'not at all, or as little as the model can',
  low: 'a little',
  medium: 'some',
  high: 'much',
  max: 'as much as it can: slow, and dear',
};

/** The words from the least to the most, `auto` first. */
export const THINKING_LEVELS = [
  'auto',
  'off',
  'low',
  'medium',
  'high',
  'max',
] as const satisfies readonly ThinkingLevel[];

export function thinkingNamed(text: string): ThinkingLevel | undefined {
  return THINKING_LEVELS.find((level) => level === text.toLowerCase());
}

/** The next amount of thinking, in the order of the words; `auto` again after the most. */
export function thinkingAfter(now: string | null): ThinkingLevel {
  const at = THINKING_LEVELS.findIndex((level) => level === (now ?? 'auto'));
  return THINKING_LEVELS[(at + 1) % THINKING_LEVELS.length] ?? 'auto';
}
