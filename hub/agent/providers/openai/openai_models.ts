import type { ThinkingLevel } from '../../../protocol/turn.js';

/** OpenAI's own models by their names; a deployment may be called anything, and then nothing is known of it. */
const OWN = /^(gpt-\d|chatgpt-|codex-|o\d)/;
const THINKING = /^(o\d|codex-|gpt-([5-9]|\d\d))/;

/** What OpenAI's API is told of how much to think. */
export interface OpenaiEffort {
  /** Null leaves the effort to the model. */
  effort: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
}

/** Whether a model is OpenAI's and thinks: since 5.4 these take tools only by the Responses API, unless thinking is off. */
export function needsResponses(model: string): boolean {
  return thinks(model) && versionOf(model) >= 504;
}

/** Whether a model refuses `max_tokens`. */
export function hasNewOutputLimit(model: string): boolean {
  return THINKING.test(model);
}

/** Whether `phase` tells answers from the words between calls. */
export function hasPhases(model: string): boolean {
  return versionOf(model) >= 503;
}

/** The effort for a thinking level; null for a model that does not think, or of which that is not known. */
export function openaiEffort(model: string, level: ThinkingLevel): OpenaiEffort | null {
  if (!OWN.test(model))
    return level === 'auto' || level === 'off' ? null : { effort: level === 'max' ? 'high' : level };
  if (!thinks(model)) return null;
  // These always think hard, and refuse most words for less.
  if (/-pro\b/.test(model)) return { effort: level === 'high' || level === 'max' ? 'high' : null };
  switch (level) {
    // Before 5.6 nothing said means no thinking; for agents OpenAI recommends to begin with medium.
    case 'auto':
      return { effort: 'medium' };
    case 'off':
      return { effort: leastEffort(model) };
    case 'max':
      return { effort: mostEffort(model) };
    default:
      return { effort: level };
  }
}

function leastEffort(model: string): 'none' | 'minimal' | 'low' {
  const version = versionOf(model);
  if (/codex/.test(model)) return 'low';
  if (version === 500) return 'minimal';
  return version > 500 && version <= 600 ? 'none' : 'low';
}

function mostEffort(model: string): 'high' | 'xhigh' | 'max' {
  const version = versionOf(model);
  if (version >= 506) return 'max';
  return version >= 502 || /codex-max/.test(model) ? 'xhigh' : 'high';
}

function thinks(model: string): boolean {
  return THINKING.test(model) && !/-chat\b/.test(model);
}

/** 504 for `gpt-5.4-mini`; 0 where the name has no such number. */
function versionOf(model: string): number {
  const numbers = /^gpt-(\d+)(?:\.(\d+))?/.exec(model);
  return numbers === null ? 0 : Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}
