import { expect, test } from 'vitest';
import type { ModelEvent, Provider } from '../../../../hub/agent/model/provider.js';
import { askModel } from '../../../../hub/agent/request/ask_with_retries.js';
import { RETRIES_MAX, RETRY_AFTER_MS_MAX, retryDelayMs } from '../../../../hub/agent/request/backoff.js';
import { addRequest, limitReached, newSpending, priceOf } from '../../../../hub/agent/request/spending.js';
import { HubError } from '../../../../hub/base/error.js';
import { manualTimers } from '../../../support/manual_timers.js';
import { REQUEST } from '../providers/dialects.js';

const overloaded = new HubError('overloaded', 'too much to do', { retryable: true, details: { visible: false } });
const text = (words: string): ModelEvent => ({ kind: 'text', text: words });
const END: ModelEvent = { kind: 'end', reason: 'answered' };

/** A provider that does one thing per request: says events, and then fails when it has a failure. */
function inTurns(...turns: (ModelEvent | HubError)[][]): Provider {
  return {
    name: 'in-turns',
    async *answer() {
      for (const event of turns.shift() ?? []) {
        if (event instanceof HubError) throw event;
        yield event;
      }
    },
  };
}

/** Asks with timers that a test lets go off, and tells what happened in words. */
function askLogged(provider: Provider, signal = new AbortController().signal) {
  const timers = manualTimers();
  const log: string[] = [];
  const reply = askModel(
    {
      ...{ provider, request: REQUEST, timers, random: () => 1 },
      on: {
        sent(attempt) {
          log.push(`sent ${attempt}`);
          return ({ outcome }) => void log.push(`ended ${outcome}`);
        },
        heard: (event) => void log.push(event.kind),
        failed: (_, retryInMs) => void log.push(`failed, again in ${retryInMs}`),
        restarted: (attempt) => void log.push(`restarted ${attempt}`),
      },
    },
    signal,
  );
  return { reply, log, timers };
}

/** Lets timers go off as they are set, until the reply is there. */
async function fireUntil<T>(reply: Promise<T>, timers: ReturnType<typeof manualTimers>): Promise<T> {
  let isDone = false;
  const done = reply.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    timers.fire();
  }
  return done;
}

test('a request that failed is sent again after growing waits, and given up in the end', async () => {
  const turns = Array.from({ length: RETRIES_MAX + 1 }, () => [overloaded]);
  const { reply, log, timers } = askLogged(inTurns(...turns));
  expect((await fireUntil(reply, timers)).failure).toBe(overloaded);
  const waits = log.flatMap((line) => /again in (.*)/.exec(line)?.[1] ?? []);
  expect(waits).toEqual(['1000', '2000', '4000', '8000', '16000', '32000', 'null']);
  expect(log.filter((line) => line.startsWith('restarted'))).toEqual([]);
});

test('an answer is said to begin again only when part of it came before', async () => {
  const { reply, log, timers } = askLogged(inTurns([text('Hel'), overloaded], [text('Hello'), END]));
  expect((await fireUntil(reply, timers)).answer.blocks).toEqual([{ type: 'text', text: 'Hello' }]);
  expect(log).toEqual([
    ...['sent 1', 'text', 'ended overloaded', 'failed, again in 1000', 'restarted 2'],
    ...['sent 2', 'text', 'end', 'ended ok'],
  ]);
});

test('a stop while it waits keeps what was said', async () => {
  const controller = new AbortController();
  const { reply, timers } = askLogged(inTurns([text('Hel'), overloaded]), controller.signal);
  while (timers.running().length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  expect((await reply).answer.blocks).toEqual([{ type: 'text', text: 'Hel' }]);
  expect(timers.running()).toEqual([]);
});

test('the wait that a server asks for comes first, unless it is longer than helps', () => {
  const after = (retry_after_ms: number) =>
    new HubError('rate_limited', 'slow down', { retryable: true, details: { retry_after_ms } });
  expect(retryDelayMs(after(1_234), 1, Math.random)).toBe(1_234);
  expect(retryDelayMs(after(RETRY_AFTER_MS_MAX + 1), 1, Math.random)).toBeNull();
  expect(retryDelayMs(new HubError('rejected', 'no'), 1, Math.random)).toBeNull();
  expect(retryDelayMs(overloaded, 1, () => 0)).toBe(500);
});

test('what was spent is added up, and an unknown price makes the sum unknown', () => {
  const usage = {
    ...{ tokens_in: 1, tokens_out: 2, tokens_cache_read: 3, tokens_cache_write_5m: 4, tokens_cache_write_1h: 5 },
  };
  const limits = { iterations: null, tokens: 30, cost_microdollars: 10, cost_shared: false, time_ms: null };
  const spending = newSpending();
  addRequest(spending, usage, 4);
  expect(limitReached(spending, limits)).toBeNull();
  addRequest(spending, usage, 6);
  expect(limitReached(spending, limits)).toBe('tokens');
  expect(limitReached(spending, { ...limits, tokens: null })).toBe('cost');
  addRequest(spending, null, null);
  expect(priceOf(spending)).toBeNull();
  expect(spending).toMatchObject({ price: 10, usage: { tokens_out: 4 } });
  // What is known to be spent is a limit all the same.
  expect(limitReached(spending, { ...limits, tokens: null })).toBe('cost');
});

test('what turns share a limit for is added up for all of them', () => {
  const limits = { iterations: null, tokens: null, cost_microdollars: 10, cost_shared: true, time_ms: null };
  const shared = { price: 0 };
  const [one, other] = [newSpending(), newSpending()].map((spending) => ({ ...spending, shared }));
  if (one === undefined || other === undefined) throw new RangeError('there are two');
  addRequest(one, null, 6);
  expect(limitReached(other, limits)).toBeNull();
  addRequest(other, null, 5);
  expect([limitReached(one, limits), limitReached(other, limits)]).toEqual(['cost', 'cost']);
  expect([one.price, other.price]).toEqual([6, 5]);
});
