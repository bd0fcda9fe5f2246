import type { ThinkingLevel } from '../../../protocol/turn.js';

/** What Gemini's API is told of how much to think; neither field leaves it to the model. */
export interface GeminiThinking {
  level?: 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';
  /** In tokens; -1 is as many as the model finds right. */
  budget?: number;
}

const FIRST_WITH_BUDGET = 205;
const FIRST_WITH_LEVELS = 300;
/** Since then only the smallest models can think minimally. */
const FIRST_WITHOUT_MINIMAL = 306;

const BUDGETS = { low: 4_096, medium: 12_288, auto: -1, high: 24_576 } as const;
const BUDGET_MAX_PRO = 32_768;
const BUDGET_MIN_PRO = 128;

/** Whether a model wants a signature with the calls of its steps. */
export function wantsSignatures(model: string): boolean {
  return versionOf(model) >= FIRST_WITH_LEVELS;
}

/** How much to think at a level; null for a model that cannot, or of which that is not known. */
export function geminiThinking(model: string, thinking: ThinkingLevel): GeminiThinking | null {
  const version = versionOf(model);
  if (!/^gemini-/.test(model) || version < FIRST_WITH_BUDGET) return null;
  return version < FIRST_WITH_LEVELS ? { budget: budgetOf(model, thinking) } : levelOf(model, thinking);
}

function budgetOf(model: string, thinking: ThinkingLevel): number {
  const isPro = /-pro\b/.test(model);
  switch (thinking) {
    case 'off':
      return isPro ? BUDGET_MIN_PRO : 0;
    case 'max':
      return isPro ? BUDGET_MAX_PRO : BUDGETS.high;
    default:
      return BUDGETS[thinking];
  }
}

function levelOf(model: string, thinking: ThinkingLevel): GeminiThinking {
  switch (thinking) {
    // Each model thinks by itself as much as its makers recommend.
    case 'auto':
      return {};
    case 'off':
      return { level: hasMinimal(model) ? 'MINIMAL' : 'LOW' };
    case 'low':
      return { level: 'LOW' };
    case 'medium':
      return { level: /^gemini-3-pro\b/.test(model) ? 'HIGH' : 'MEDIUM' };
    case 'high':
    case 'max':
      return { level: 'HIGH' };
  }
}

function hasMinimal(model: string): boolean {
  return /-flash-lite\b/.test(model) || (/-flash\b/.test(model) && versionOf(model) < FIRST_WITHOUT_MINIMAL);
}

/** 301 for `gemini-3.1-pro-preview`; a name without a number is that of the newest model. */
function versionOf(model: string): number {
  const numbers = /^gemini-(\d+)(?:\.(\d+))?-/.exec(model);
  return numbers === null ? Number.POSITIVE_INFINITY : Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}
