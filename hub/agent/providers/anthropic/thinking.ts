import type { ModelRequest, ThinkingLevel } from '../../model/provider.js';
import { type AnthropicMessage, isThinking } from './messages.js';

const BUDGETS: Record<Exclude<ThinkingLevel, 'off'>, number> = { low: 4_096, medium: 12_288, high: 24_576 };
/** The least that the API takes, and what must be left for the answer. */
const BUDGET_MIN = 1_024;
const ANSWER_MIN = 1_024;

/**
 * How a model is told to think. From version 4.6 on it decides itself how much, by an effort; before, it has a budget. A
 * model of version 5 thinks unless it is told not to, and those after the first of version 5 cannot be told.
 */
export function anthropicThinking({ model, thinking, outputTokensMax }: ModelRequest, messages: AnthropicMessage[]) {
  const version = versionOf(model);
  if (thinking === 'off') return thoughtless(model, version);
  if (version >= 406) {
    return {
      thinking: { type: 'adaptive' as const, display: 'summarized' as const },
      output_config: { effort: thinking },
    };
  }
  const budget = Math.min(BUDGETS[thinking], outputTokensMax - ANSWER_MIN);
  if (version < 307 || budget < BUDGET_MIN || !beginsWithThinking(messages)) return {};
  return { thinking: { type: 'enabled' as const, budget_tokens: budget } };
}

function thoughtless(model: string, version: number) {
  if (version < 500) return {};
  if (/^claude-(opus|sonnet)-5(-\d{8})?$/.test(model)) return { thinking: { type: 'disabled' as const } };
  return { output_config: { effort: 'low' as const } };
}

/** The version in a name, 406 for `claude-sonnet-4-6`, 307 for `claude-3-7-sonnet-20250219`; names without one are new. */
function versionOf(model: string): number {
  const numbers = /-(\d{1,2})(?:-(\d{1,2}))?(?=-|$)/.exec(model);
  return numbers === null ? Number.POSITIVE_INFINITY : Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}

/** With a budget, the answer that results are given for must begin with its thinking, which another model's has not. */
function beginsWithThinking(messages: AnthropicMessage[]): boolean {
  if (messages.at(-1)?.content[0]?.type !== 'tool_result') return true;
  return isThinking(messages.at(-2)?.content[0]);
}
