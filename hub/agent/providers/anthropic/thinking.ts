import type { ModelRequest, ThinkingLevel } from '../../model/provider.js';
import { type AnthropicMessage, isThinking } from './messages.js';

const BUDGETS: Record<Exclude<ThinkingLevel, 'off'>, number> = { low: 4_096, medium: 12_288, high: 24_576 };
/** The least that the API accepts, and what must be left for the answer. */
const BUDGET_MIN = 1_024;
const ANSWER_MIN = 1_024;

/**
 * The thinking parameters of a request. From version 4.6 on a model has an effort, before that a budget. From version 5 on it
 * thinks unless that is disabled, which only the first models of version 5 accept.
 */
export function anthropicThinking({ model, thinking, outputTokensMax }: ModelRequest, messages: AnthropicMessage[]) {
  const version = versionOf(model);
  if (thinking === 'off') return thinkingOff(model, version);
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

function thinkingOff(model: string, version: number) {
  if (version < 500) return {};
  if (/^claude-(opus|sonnet)-5(-\d{8})?$/.test(model)) return { thinking: { type: 'disabled' as const } };
  return { output_config: { effort: 'low' as const } };
}

/** The version in a name: 406 for `claude-sonnet-4-6`, 307 for `claude-3-7-sonnet-20250219`; without one it is a new model. */
function versionOf(model: string): number {
  const numbers = /-(\d{1,2})(?:-(\d{1,2}))?(?=-|$)/.exec(model);
  return numbers === null ? Number.POSITIVE_INFINITY : Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}

/** With a budget, an answer whose calls get results must begin with its thinking; that of another model does not. */
function beginsWithThinking(messages: AnthropicMessage[]): boolean {
  if (messages.at(-1)?.content[0]?.type !== 'tool_result') return true;
  return isThinking(messages.at(-2)?.content[0]);
}
