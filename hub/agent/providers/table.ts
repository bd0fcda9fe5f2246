import type { ProviderName } from '../models.js';
import { type Provider, type ProviderParts, SYSTEM_PARTS } from '../provider.js';
import { anthropicProvider } from './anthropic.js';
import { demoProvider } from './demo.js';
import { ollamaProvider } from './ollama.js';
import { openaiProvider } from './openai.js';

/** The providers by name. None of them loads its SDK before its first request. */
export function providerTable(parts: ProviderParts = SYSTEM_PARTS): Record<ProviderName, Provider> {
  return {
    anthropic: anthropicProvider(parts),
    openai: openaiProvider(parts),
    ollama: ollamaProvider(parts),
    demo: demoProvider(parts),
  };
}
