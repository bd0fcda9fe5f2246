import { HubError } from '../../../base/error.js';
import type { ErrorKind } from '../../../protocol/errors.js';
import type { EndReason } from '../../model/provider.js';

/** What the demo model does in one answer. */
export interface DemoStep {
  thinking: string;
  text: string;
  calls: { tool: string; input: string }[];
  end: EndReason;
  /** Makes the failure that it ends in instead, given whether something was said before; null for none. */
  failure: ((visible: boolean) => HubError) | null;
  /** Before each word. */
  pauseMs: number;
}

export interface DemoResult {
  tool: string;
  input: unknown;
  text: string;
  failed: boolean;
}

/** A question, and what was done about it since. */
export interface DemoTask {
  question: string;
  /** The answers since, all of them with calls. */
  steps: number;
  /** The results of the newest calls. */
  results: DemoResult[];
  /** The texts of earlier results, newest first. */
  earlier: string[];
  isFirst: boolean;
  /** The names of the tools that it may call. */
  tools: ReadonlySet<string>;
  systemPrompt: string;
  /** Its own name, behind `demo/`. */
  model: string;
}

/** What it says about itself. */
export const NOTE =
  '(I am the demo model: no AI, only a few rules, and nothing leaves this machine. Say "help" to see what I can do.)';

const FAILURES: readonly ErrorKind[] = [
  'no_key',
  'rejected',
  'rate_limited',
  'overloaded',
  'context_too_long',
  'network',
];
const RETRYABLE: readonly ErrorKind[] = ['rate_limited', 'overloaded', 'network'];

export function saying(text: string): DemoStep {
  return { thinking: '', text, calls: [], end: 'answered', failure: null, pauseMs: 0 };
}

export function calling(text: string, ...calls: DemoStep['calls']): DemoStep {
  return { ...saying(text), calls, end: 'calls' };
}

export function callOf(tool: string, input: Readonly<Record<string, unknown>>): { tool: string; input: string } {
  return { tool, input: JSON.stringify(input) };
}

/** Fails as a server would; an unknown kind fails as without a network. */
export function failing(name: string): DemoStep['failure'] {
  const kind = FAILURES.find((one) => one === name) ?? 'network';
  return (visible) =>
    new HubError(kind, `the demo model failed as it was told to: ${kind}`, {
      hint: 'with a real model one would mend what is wrong',
      retryable: RETRYABLE.includes(kind),
      details: { visible, ...(kind === 'rate_limited' ? { retry_after_ms: 0 } : {}) },
    });
}
