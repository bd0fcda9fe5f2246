import type { ThinkingLevel } from '../../../protocol/turn.js';
import { plainModelName } from '../../model/claude_names.js';
import type { ModelRequest } from '../../model/provider.js';
import { type AnthropicMessage, isThinking } from './messages.js';

const BUDGETS: Record<Exclude<ThinkingLevel, 'off'>, number> = {
  low: 4_096,
  medium: 12_288,
  auto: 12_288,
  high: 24_576,
  max: 57_344,
};
/** The least that the API accepts, and what must be left for the answer. */
const BUDGET_MIN = 1_024;
const ANSWER_MIN = 1_024;
/** From this version on models have budgets. */
const BUDGET_VERSION = 307;
/** Without `display` the newer models think where nobody sees it. */
const ADAPTIVE = { type: 'adaptive' as const, display: 'summarized' as const };

/**
 * The thinking parameters of a request. From version 4.6 on a model has an effort, before that a budget. From version 5 on it
 * thinks unless told otherwise, and each model has its own word for that.
 */
export function anthropicThinking(
  { model: named, thinking, outputTokensMax }: ModelRequest,
  messages: AnthropicMessage[],
) {
  const model = plainModelName(named);
  // Others only speak like Anthropic: with `auto` they are told nothing, and they know budgets.
  const isOwn = /claude/.test(model);
  if (!isOwn && thinking === 'auto') return {};
  if (!isOwn && thinking === 'off') return { thinking: { type: 'disabled' as const } };
  const version = isOwn ? versionOf(model) : BUDGET_VERSION;
  if (thinking === 'off') return thinkingOff(model, version);
  if (version >= 406) {
    // Their makers recommend the effort that each model has by itself.
    return { thinking: ADAPTIVE, ...(thinking === 'auto' ? {} : { output_config: { effort: thinking } }) };
  }
  const budget = Math.min(BUDGETS[thinking], outputTokensMax - ANSWER_MIN);
  if (version < BUDGET_VERSION || budget < BUDGET_MIN || !beginsWithThinking(messages)) return {};
  return { thinking: { type: 'enabled' as const, budget_tokens: budget } };
}

function thinkingOff(model: string, version: number) {
  if (version < 500) return {};
  if (/^claude-(opus-5|sonnet-5|haiku-5-5)(-\d{8})?$/.test(model)) return { thinking: { type: 'disabled' as const } };
  if (/^claude-sonnet-5-5(-\d{8})?$/.test(model)) return { thinking: { type: 'between_tools' as const } };
  return { thinking: ADAPTIVE, output_config: { effort: 'low' as const } };
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
