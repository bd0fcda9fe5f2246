import { PROVIDER_RECORDS, type ProviderRecord } from '../../base/provider_records.js';
import type { Provider } from '../model/provider.js';
import { SYSTEM_TIMERS, type Timers } from '../model/timers.js';
import { anthropicProvider } from './anthropic/anthropic_provider.js';
import { demoProvider } from './demo/demo_provider.js';
import { chatCompletionsProvider } from './openai/chat_completions_provider.js';

/** The providers by name. None of them loads its SDK before its first request. */
export function allProviders(timers: Timers = SYSTEM_TIMERS): Record<string, Provider> {
  return Object.fromEntries(PROVIDER_RECORDS.map((record) => [record.name, providerFor(record, timers)]));
}

/** The provider of a record: what speaks its server's dialect. */
export function providerFor({ name, server }: ProviderRecord, timers: Timers): Provider {
  if (server === null) return demoProvider(timers);
  const provider = { name, server, timers };
  switch (server.dialect.kind) {
    case 'anthropic_messages':
      return anthropicProvider(provider);
    case 'chat_completions':
      return chatCompletionsProvider(provider, server.dialect);
  }
}
