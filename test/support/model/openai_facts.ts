/** What OpenAI says of its models, written down apart from the program: a strict server goes by it. */
export interface OpenaiFacts {
  efforts: readonly string[];
  /** Refuses `max_tokens`. */
  isNew: boolean;
  /** Takes tools by chat completions only while it does not think. */
  needsResponses: boolean;
}

const MODELS: Readonly<Record<string, OpenaiFacts>> = {
  'gpt-4.1': { efforts: [], isNew: false, needsResponses: false },
  'gpt-4o': { efforts: [], isNew: false, needsResponses: false },
  'o4-mini': { efforts: ['low', 'medium', 'high'], isNew: true, needsResponses: false },
  'gpt-5': { efforts: ['minimal', 'low', 'medium', 'high'], isNew: true, needsResponses: false },
  'gpt-5-chat-latest': { efforts: [], isNew: true, needsResponses: false },
  'gpt-5.1': { efforts: ['none', 'low', 'medium', 'high'], isNew: true, needsResponses: false },
  'gpt-5.1-codex-max': { efforts: ['low', 'medium', 'high', 'xhigh'], isNew: true, needsResponses: false },
  'gpt-5.2-pro': { efforts: ['medium', 'high', 'xhigh'], isNew: true, needsResponses: false },
  'gpt-5.4-mini': { efforts: ['none', 'low', 'medium', 'high', 'xhigh'], isNew: true, needsResponses: true },
  'gpt-6-sol': { efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'], isNew: true, needsResponses: true },
  'gpt-5.6-sol': { efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'], isNew: true, needsResponses: true },
};
export const OPENAI_MODELS = Object.keys(MODELS);

/** Null for a model that is not OpenAI's. */
export function factsOf(model: unknown): OpenaiFacts | null {
  return MODELS[String(model)] ?? null;
}
