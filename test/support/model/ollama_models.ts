import type { IncomingMessage } from 'node:http';

/** A model as Ollama has it. */
export interface OllamaModel {
  capabilities: string[];
  parameters: string;
  model_info: Record<string, unknown>;
  remote_host?: string;
}

/** The model that is loaded, and how often one was. */
export interface OllamaRunner {
  model: string;
  context: number;
  loads: number;
  /** What was asked about models, in order: `/api/show qwen3:8b`. */
  lookUps: string[];
}

const info = (architecture: string, contextMax: number, layers = 36) => ({
  'general.architecture': architecture,
  [`${architecture}.context_length`]: contextMax,
  [`${architecture}.block_count`]: layers,
  [`${architecture}.embedding_length`]: 4_096,
  [`${architecture}.attention.head_count`]: 32,
  [`${architecture}.attention.head_count_kv`]: 8,
  [`${architecture}.attention.key_length`]: 128,
  [`${architecture}.attention.value_length`]: 128,
});
const model = (model_info: Record<string, unknown>, ...capabilities: string[]): OllamaModel => ({
  capabilities: ['completion', ...capabilities],
  parameters: 'stop                           "<|im_end|>"\ntemperature                    0.6',
  model_info,
});

/** Models in the numbers of their makers. */
export const OLLAMA_MODELS: Readonly<Record<string, OllamaModel>> = {
  'qwen3:8b': model(info('qwen3', 40_960), 'tools', 'thinking'),
  'qwen3-vl:8b': model(info('qwen3vl', 262_144), 'vision', 'tools', 'thinking'),
  'gpt-oss:20b': model(info('gptoss', 131_072, 24), 'tools', 'thinking'),
  'llama3.2:latest': model(info('llama', 131_072, 28), 'tools'),
  'gemma:2b': model(info('gemma', 8_192, 18)),
};

export interface Ollama {
  models: Map<string, OllamaModel>;
  runner: OllamaRunner;
}

export function ollamaModel({ models }: Ollama, name: string): OllamaModel | null {
  return models.get(name) ?? models.get(`${name}:latest`) ?? null;
}

/** Answers what is asked about a model, or about what is loaded. */
export async function ollamaLookUp(
  ollama: Ollama,
  request: IncomingMessage,
): Promise<{ status: number; body: object }> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { runner } = ollama;
  if (request.url === '/api/ps') {
    runner.lookUps.push('/api/ps');
    const { model: name, context } = runner;
    return { status: 200, body: { models: name === '' ? [] : [{ name, model: name, context_length: context }] } };
  }
  const { model: name } = JSON.parse(Buffer.concat(parts).toString());
  runner.lookUps.push(`/api/show ${name}`);
  const found = ollamaModel(ollama, name);
  return found === null
    ? { status: 404, body: { error: `model '${name}' not found` } }
    : { status: 200, body: { license: 'free', modelfile: '', template: '{{ .Prompt }}', details: {}, ...found } };
}

/** Loads a model, anew where its context is another than before. */
export function ollamaLoad(runner: OllamaRunner, name: string, context: number): void {
  if (runner.model !== name || runner.context !== context) runner.loads += 1;
  Object.assign(runner, { model: name, context });
}
