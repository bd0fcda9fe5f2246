import { HubError } from '../../base/error.js';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.js';
import { delay, type Timers } from '../model/timers.js';
import { type Answer, addToAnswer, newAnswer } from './answer.js';
import { retryDelayMs } from './backoff.js';
import type { RequestEnding } from './request_ledger.js';

/** Who is told what becomes of a request. None of these may fail. */
export interface AskingEvents {
  /** Before each attempt, with the answer that it fills; returns what is told when it has ended. */
  sent(attempt: number, answer: Answer): (ending: RequestEnding) => void;
  heard(event: ModelEvent): void;
  /** `retryInMs` is null when it is given up. */
  failed(failure: HubError, retryInMs: number | null): void;
  /** What was heard of this answer before does not count. */
  restarted(attempt: number): void;
}

export interface Asking {
  provider: Provider;
  request: ModelRequest;
  timers: Timers;
  random(): number;
  on: AskingEvents;
}

/** What a model said; with a failure it is what was said before that. */
export interface ModelReply {
  answer: Answer;
  failure: HubError | null;
}

/** Asks a model until it has answered, with waits in between when its server could not. */
export async function askModel(asking: Asking, signal: AbortSignal): Promise<ModelReply> {
  for (let attempt = 1; ; attempt += 1) {
    const asked = await askOnce(asking, attempt, signal);
    if (asked.failure === null || signal.aborted) return asked;
    const delayMs = retryDelayMs(asked.failure, attempt, asking.random);
    asking.on.failed(asked.failure, delayMs);
    if (delayMs === null) return asked;
    await delay(asking.timers, delayMs, signal);
    if (signal.aborted) return asked;
    if (isVisible(asked)) asking.on.restarted(attempt + 1);
  }
}

async function askOnce({ provider, request, on }: Asking, attempt: number, signal: AbortSignal): Promise<ModelReply> {
  const answer = newAnswer();
  const end = on.sent(attempt, answer);
  try {
    for await (const event of provider.answer(request, signal)) {
      addToAnswer(answer, event);
      on.heard(event);
    }
    end({ outcome: 'ok', answer });
    return { answer, failure: null };
  } catch (error) {
    // Providers tell every failure as a HubError; anything else is a mistake in here.
    const failure = error instanceof HubError ? error : null;
    end({ outcome: signal.aborted ? 'stopped' : (failure?.kind ?? 'internal'), answer });
    if (failure === null) throw error;
    return { answer, failure };
  }
}

function isVisible({ answer, failure }: ModelReply): boolean {
  return answer.blocks.length > 0 || failure?.details.visible === true;
}
