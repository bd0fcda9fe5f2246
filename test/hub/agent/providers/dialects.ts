import type { ModelEvent, ModelRequest, Provider } from '../../../../hub/agent/model/provider.js';
import type { Timers } from '../../../../hub/agent/model/timers.js';
import { providerFor } from '../../../../hub/agent/providers/all_providers.js';
import { type Answer, addToAnswer, newAnswer } from '../../../../hub/agent/request/answer.js';
import { HubError } from '../../../../hub/base/error.js';
import { installedPackages } from '../../../../hub/base/packages/installed_packages.js';
import { providerRecord } from '../../../../hub/base/provider_records.js';
import type { ModelMessage } from '../../../../hub/protocol/methods/context_methods.js';
import { manualTimers } from '../../../support/manual_timers.js';
import { PROJECT } from '../../../support/model/cloud_rules.js';
import { KEY, type ModelServer } from '../../../support/model_server.js';

/** A provider that reaches its server over the network, and where it finds the loopback one. */
export interface Dialect {
  name: string;
  make(parts: Timers): Provider;
  baseUrl(server: ModelServer): string;
  model: string;
}

/** Makes the provider of a name. */
export const makerOf = (name: string) => (timers: Timers) =>
  providerFor(providerRecord(name), { timers, packages: PACKAGES });

/** What is installed for tests. */
export const PACKAGES = installedPackages('/nowhere');

export const DIALECTS: readonly Dialect[] = [
  { name: 'anthropic', make: makerOf('anthropic'), baseUrl: ({ origin }) => origin, model: 'claude-sonnet-5' },
  {
    ...{ name: 'openai', make: makerOf('openai'), model: 'gpt-5.6-sol' },
    baseUrl: ({ openaiUrl }) => (openaiUrl === '' ? '' : `${openaiUrl}/responses`),
  },
  { name: 'compatible', make: makerOf('openai'), baseUrl: ({ openaiUrl }) => openaiUrl, model: 'glm-5' },
  { name: 'deepseek', make: makerOf('openai'), baseUrl: ({ openaiUrl }) => openaiUrl, model: 'deepseek-v4-pro' },
  { name: 'ollama', make: makerOf('ollama'), baseUrl: ({ origin }) => origin, model: 'qwen3-vl:8b' },
  { name: 'gemini', make: makerOf('gemini'), baseUrl: ({ origin }) => origin, model: 'gemini-3.8-flash' },
  {
    ...{ name: 'bedrock', make: makerOf('bedrock'), model: 'us.anthropic.claude-sonnet-5-v1:0' },
    baseUrl: ({ origin }) => origin,
  },
  {
    ...{ name: 'vertex', make: makerOf('vertex'), model: 'claude-sonnet-5' },
    baseUrl: ({ origin }) => `${origin}/v1`,
  },
];
export const COMPATIBLE = DIALECTS.filter(({ name }) => name === 'compatible' || name === 'deepseek');

export const BASH = {
  name: 'bash',
  description: 'Runs a command.',
  schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

export const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
export const assistant = (...content: ModelMessage['content']): ModelMessage => ({ role: 'assistant', content });
export const text = (words: string) => ({ type: 'text' as const, text: words });
export const call = (id: string, input: unknown = {}, tool = 'bash') => ({ type: 'call' as const, id, tool, input });
export const result = (id: string, words: string, failed = false) => ({
  type: 'result' as const,
  id,
  content: words === '' ? [] : [text(words)],
  failed,
});

export const REQUEST: ModelRequest = {
  model: 'demo',
  systemPrompt: 'You are helpful.',
  tools: [BASH],
  messages: [user('Hello?')],
  outputTokensMax: 4_096,
  thinking: 'off',
  cache: { messages: [0], lifetime: '5m' },
  conversation: null,
  loadImage: async () => null,
  baseUrl: null,
  key: null,
  keyHeader: null,
  headers: {},
  cloud: { project: PROJECT },
  statedWindow: null,
  route: null,
};

/** A request of one dialect to a server. */
export function requestTo(dialect: Dialect, server: ModelServer, more: Partial<ModelRequest> = {}): ModelRequest {
  return { ...REQUEST, model: dialect.model, baseUrl: dialect.baseUrl(server), key: KEY, ...more };
}

/** What came of a request: the events, the answer that they make, and the failure that it ended in. */
export interface Heard {
  events: ModelEvent[];
  answer: Answer;
  failure: HubError | null;
}

/** Hears an answer to its end. */
export async function hear(
  provider: Provider,
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<Heard> {
  const heard: Heard = { events: [], answer: newAnswer(), failure: null };
  try {
    for await (const event of provider.answer(request, signal)) {
      heard.events.push(event);
      addToAnswer(heard.answer, event);
    }
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    heard.failure = error;
  }
  return heard;
}

/** The same with a dialect's provider on timers that never go off. */
export function ask(dialect: Dialect, server: ModelServer, more: Partial<ModelRequest> = {}): Promise<Heard> {
  return hear(dialect.make(manualTimers()), requestTo(dialect, server, more));
}
