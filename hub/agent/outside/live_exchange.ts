import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { NodeId } from '../../protocol/node.js';
import type { ExchangeEvent } from '../../protocol/outside_agent.js';

export type AgentQuestion = Extract<ExchangeEvent, { kind: 'asked' }>;

/** An exchange with an outside agent, which may wait for a person longer than its turn runs. */
export interface LiveExchange {
  id: NodeId;
  /** Resolves with the next question, or with null when the exchange has ended. */
  next(): Promise<AgentQuestion | null>;
  answer(question: string, said: { allow: boolean; words: string }): Promise<void>;
  stop(): void;
  /** How it ended; rejects when it could not begin. */
  result: Promise<ResultOf<'outside.run'>>;
}

/** Begins an exchange; `hear` is called with each of its events. */
export function beginExchange(
  reach: InternalCaller,
  params: ParsedOf<'outside.run'>,
  hear: (event: object) => void,
): LiveExchange {
  const controller = new AbortController();
  const questions: AgentQuestion[] = [];
  let wake = (): void => undefined;
  const emit = (event: object): void => {
    hear(event);
    if (!isQuestion(event)) return;
    questions.push(event);
    wake();
  };
  const around = { hub: reach.hub, context: { ...reach.context, signal: controller.signal, emit } };
  const result = callHub(around, 'outside.run', params);
  const ended = result.then(
    () => null,
    () => null,
  );
  return {
    id: params.id,
    result,
    stop: () => controller.abort(),
    async next() {
      const told = new Promise<void>((resolve) => (wake = resolve));
      if (questions.length === 0) await Promise.race([told, ended]);
      return questions.shift() ?? null;
    },
    async answer(question, { allow, words }) {
      await callHub(reach, 'outside.answer', { id: params.id, question, allow, words });
    },
  };
}

/** The tools have made it by its schema. */
function isQuestion(event: object): event is AgentQuestion {
  return 'kind' in event && event.kind === 'asked';
}
