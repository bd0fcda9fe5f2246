import { HubError } from '../../base/error.js';
import type { ProviderRecord } from '../../base/provider_records.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import { recordsWith } from '../model/caller_servers.js';
import { formatModelName, parseModelName } from '../model/model_names.js';
import { loadPriceTable, statedWindow } from '../model/price_table.js';
import type { Provider } from '../model/provider.js';
import { accessTo, modelAt } from '../model/provider_access.js';
import type { Timers } from '../model/timers.js';
import { addToAnswer, newAnswer } from './answer.js';
import { microdollars, usageRow } from './spending.js';

interface CheckParts {
  providerFor(record: ProviderRecord): Provider;
  timers: Pick<Timers, 'nowMs'>;
}

const ANSWER_TOKENS_MAX = 4_096;
const CHECK_MS_MAX = 60_000;

/** Asks a model a tiny question, once; what the server says against it is the failure of the call. */
export async function checkModel(
  { providerFor, timers }: CheckParts,
  { model: named, access, route, window }: ParsedOf<'agent.model_check'>,
  signal: AbortSignal,
): Promise<ResultOf<'agent.model_check'>> {
  const model = modelAt(parseModelName(named, recordsWith(access)), access);
  const request = {
    ...{ model: model.model, ...accessTo(model, access), route, statedWindow: statedWindow(model, window) },
    ...{ systemPrompt: 'You answer in one word.', tools: [], outputTokensMax: ANSWER_TOKENS_MAX },
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say: yes' }] }],
    ...{ thinking: 'auto' as const, cache: { messages: [], lifetime: '5m' as const }, conversation: null },
    loadImage: async () => null,
  };
  const answer = newAnswer();
  const startedAtMs = timers.nowMs();
  const ended = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS_MAX)]);
  for await (const event of providerFor(model.record).answer(request, ended)) addToAnswer(answer, event);
  if (answer.blocks.length === 0) throw new HubError('rejected', `${formatModelName(model)} answered nothing`);
  const { usage } = answer;
  const cost = usage === null ? null : (await loadPriceTable()).cost(model, usage, timers.nowMs());
  return {
    ...{ model: formatModelName(model), duration_ms: Math.round(timers.nowMs() - startedAtMs) },
    ...{ usage: usage === null ? null : usageRow(usage), price_microdollars: microdollars(cost) },
  };
}
