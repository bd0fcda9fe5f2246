import { HubError } from '../../base/error.js';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.js';
import { delay, type Timers } from '../model/timers.js';
import { type Answer, addToAnswer, newAnswer } from './answer.js';
import { retryDelayMs } from './backoff.js';
import type { RequestEnding } from './request_ledger.js';

/** Hears what becomes of a request. None of these may throw. */
export interface RetryEvents {
  /** Before each attempt, with the answer that it fills; the result is called when the attempt has ended. */
  sent(attempt: number, answer: Answer): (ending: RequestEnding) => void;
  heard(event: ModelEvent): void;
  /** `retryInMs` is null when no other attempt follows. */
  failed(failure: HubError, retryInMs: number | null): void;
  /** What came of this answer before does not count. */
  restarted(attempt: number): void;
}

export interface RetriedRequest {
  provider: Provider;
  request: ModelRequest;
  timers: Timers;
  random(): number;
  on: RetryEvents;
}

/** A model's answer; with a failure, the part of it that came before. */
export interface ModelReply {
  answer: Answer;
  failure: HubError | null;
}

/** Sends a request until the model has answered, with waits in between while its server fails. */
export async function askModel(retried: RetriedRequest, signal: AbortSignal): Promise<ModelReply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await attemptRequest(retried, attempt, signal);
    if (reply.failure === null || signal.aborted) return reply;
    const delayMs = retryDelayMs(reply.failure, attempt, retried.random);
    retried.on.failed(reply.failure, delayMs);
    if (delayMs === null) return reply;
    await delay(retried.timers, delayMs, signal);
    if (signal.aborted) return reply;
    if (isVisible(reply)) retried.on.restarted(attempt + 1);
  }
}

async function attemptRequest(
  { provider, request, on }: RetriedRequest,
  attempt: number,
  signal: AbortSignal,
): Promise<ModelReply> {
  const answer = newAnswer();
  const end = on.sent(attempt, answer);
  try {
    for await (const event of provider.answer(request, signal)) {
      addToAnswer(answer, event);
      on.heard(event);
    }
    end({ outcome: 'ok', answer, isRefused: false });
    return { answer, failure: null };
  } catch (error) {
    // Providers throw every failure as a HubError; anything else is a bug.
    const failure = error instanceof HubError ? error : null;
    const isRefused = typeof failure?.details.status === 'number' && failure.details.visible !== true;
    end({ outcome: signal.aborted ? 'stopped' : (failure?.kind ?? 'internal'), answer, isRefused });
    if (failure === null) throw error;
    return { answer, failure };
  }
}

function isVisible({ answer, failure }: ModelReply): boolean {
  return answer.blocks.length > 0 || failure?.details.visible === true;
}
