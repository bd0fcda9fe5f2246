import type { AgentEvent } from '../../hub/protocol/turn.js';

/** Which model answers instead of which, and why. */
export function replacedLine({ from, model, message }: Extract<AgentEvent, { kind: 'model_replaced' }>): string {
  return `${message}; from here on ${model} answers: --model ${from} goes back`;
}
