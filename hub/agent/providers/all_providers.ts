import type { ProviderName } from '../model/model_names.js';
import { type Provider, type ProviderParts, SYSTEM_PARTS } from '../model/provider.js';
import { anthropicProvider } from './anthropic/anthropic.js';
import { demoProvider } from './demo/demo.js';
import { ollamaProvider } from './openai/ollama.js';
import { openaiProvider } from './openai/openai.js';

/** The providers by name. None of them loads its SDK before its first request. */
export function providerTable(parts: ProviderParts = SYSTEM_PARTS): Record<ProviderName, Provider> {
  return {
    anthropic: anthropicProvider(parts),
    openai: openaiProvider(parts),
    ollama: ollamaProvider(parts),
    demo: demoProvider(parts),
  };
}
