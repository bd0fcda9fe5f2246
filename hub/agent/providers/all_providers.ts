import type { InstalledPackages } from '../../base/packages/installed_packages.js';
import type { ProviderRecord } from '../../base/provider_records.js';
import type { Provider } from '../model/provider.js';
import { SYSTEM_TIMERS, type Timers } from '../model/timers.js';
import { anthropicProvider } from './anthropic/anthropic_provider.js';
import { cloudProvider } from './clouds/cloud_provider.js';
import { demoProvider } from './demo/demo_provider.js';
import { geminiProvider } from './gemini/gemini_provider.js';
import { ollamaProvider } from './ollama/ollama_provider.js';
import { openaiProvider } from './openai_provider.js';

/** More servers than one hub is used with. */
const PROVIDERS_MAX = 200;

/** Finds the provider of a record, which is kept. None of them loads its SDK before its first request. */
export function createProviders(
  packages: InstalledPackages,
  timers: Timers = SYSTEM_TIMERS,
): (record: ProviderRecord) => Provider {
  const providers = new Map<string, Provider>();
  return (record) => {
    const key = JSON.stringify([record.name, record.server]);
    const provider = providers.get(key) ?? providerFor(record, { timers, packages });
    if (providers.size >= PROVIDERS_MAX) providers.clear();
    providers.set(key, provider);
    return provider;
  };
}

interface ProviderParts {
  timers: Timers;
  packages: InstalledPackages;
}

/** The provider of a record: what speaks its server's dialect. */
export function providerFor({ name, server }: ProviderRecord, { timers, packages }: ProviderParts): Provider {
  if (server === null) return demoProvider(timers);
  const provider = { name, server, timers };
  switch (server.dialect.kind) {
    case 'anthropic_messages':
      return anthropicProvider(provider);
    case 'cloud':
      return cloudProvider(provider, { cloud: server.dialect.cloud, packages });
    case 'gemini':
      return geminiProvider(provider);
    case 'ollama':
      return ollamaProvider(provider);
    case 'openai':
      return openaiProvider(provider, server.dialect);
  }
}
