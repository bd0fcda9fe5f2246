import { setImmediate } from 'node:timers/promises';
import { HubError } from '../../../base/error.js';
import type { ModelEvent, ModelRequest, Provider } from '../../model/provider.js';
import { delay, type Timers } from '../../model/timers.js';
import { answerIds } from '../blocks/call_ids_and_tool_names.js';
import { finishedCall } from '../blocks/call_input.js';
import { demoStep } from './next_step.js';
import type { DemoStep } from './step.js';

/** After so many words, other work of the hub gets a turn. */
const WORDS_AT_ONCE = 64;
const BYTES_PER_TOKEN = 4;

/**
 * A model that is no AI: it follows rules, needs no network and no key, and says so. The same conversation always gets the
 * same answer.
 */
export function demoProvider(timers: Timers): Provider {
  return {
    name: 'demo',
    async *answer(request, signal) {
      let visible = false;
      let words = 0;
      const step = demoStep(request);
      for await (const event of stepEvents(step, request)) {
        words += event.kind === 'text' ? 1 : 0;
        if (event.kind === 'text') await pace(words, step.pauseMs, signal);
        if (signal.aborted) throw cancelled(visible);
        visible ||= event.kind !== 'usage' && event.kind !== 'end';
        if (event.kind === 'end') yield { kind: 'usage', usage: tokens(request, words) };
        yield event;
      }
    },
  };

  async function pace(words: number, delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs > 0) await delay(timers, delayMs, signal);
    else if (words % WORDS_AT_ONCE === 0) await setImmediate();
  }

  /** One step as events; its failure, if it has one, is thrown. */
  async function* stepEvents(step: DemoStep, { messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    const idFor = answerIds(messages.length);
    if (step.thinking !== '') {
      for (const text of wordsOf(step.thinking)) yield { kind: 'thinking', text };
      yield { kind: 'thinking_signed', signature: null };
    }
    for (const text of wordsOf(step.text)) yield { kind: 'text', text };
    if (step.failure !== null) throw step.failure(step.text !== '' || step.thinking !== '');
    for (const { tool, input } of step.calls) {
      const id = idFor(null);
      yield { kind: 'call_begun', id, tool };
      yield { kind: 'call_input', id, text: input };
      yield finishedCall({ id, tool, text: input });
    }
    yield { kind: 'end', reason: step.end };
  }
}

function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}

function tokens({ systemPrompt, messages }: ModelRequest, words: number) {
  const input = Math.ceil((systemPrompt.length + JSON.stringify(messages).length) / BYTES_PER_TOKEN);
  return { input, output: words, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
}

function cancelled(visible: boolean): HubError {
  return new HubError('cancelled', 'the request to demo was cancelled', { details: { visible } });
}
