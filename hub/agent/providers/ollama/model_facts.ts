import * as z from 'zod';
import type { ModelConnection } from '../transport/model_connection.js';
import { serverRefusal } from './server_refusal.js';

/** The cache has two bytes for each of its numbers, unless the server was told to be coarser. */
const BYTES_PER_NUMBER = 2;

/** What a server says of one of its models. */
export interface ModelFacts {
  /** `tools`, `thinking`, `vision` and others; null where the server does not say, as older ones do not. */
  abilities: ReadonlySet<string> | null;
  /** Such as `qwen3` or `gptoss`. */
  architecture: string;
  /** The longest context that it was trained for. */
  contextMax: number | null;
  /** What its Modelfile says. */
  contextSet: number | null;
  /** What it is loaded with now. */
  contextLoaded: number | null;
  /** What a token of context takes in memory. */
  tokenBytes: number | null;
  /** Whether it runs on the makers' machines: then they decide its context. */
  isElsewhere: boolean;
}

const text = z.string().catch('');
const size = z.number().positive().max(1e9).nullable().catch(null);
const Shown = z.object({
  capabilities: z.array(z.string()).nullable().catch(null),
  parameters: text,
  model_info: z.record(z.string(), z.unknown()).catch({}),
  remote_host: text,
});
const Loaded = z.object({
  models: z.array(z.object({ name: text, model: text, context_length: size })).catch([]),
});

/** Asks a server for what it knows of a model, and what of it is loaded. */
export async function modelFacts(connection: ModelConnection, base: string, model: string): Promise<ModelFacts> {
  const shown = Shown.parse(await lookUp(connection, `${base}/api/show`, { model }));
  const { models } = Loaded.parse(await lookUp(connection, `${base}/api/ps`, null));
  const loaded = models.find(({ name, model: other }) => [name, other].includes(tagged(model)));
  return { ...factsIn(shown), contextLoaded: loaded?.context_length ?? null };
}

async function lookUp({ fetch, signal }: ModelConnection, url: string, body: object | null): Promise<unknown> {
  const sent = body === null ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...sent, signal });
  if (!response.ok) throw await serverRefusal(response);
  return response.json();
}

/** A model without a tag is its newest. */
function tagged(model: string): string {
  return /:[^/]*$/.test(model) ? model : `${model}:latest`;
}

function factsIn(shown: z.infer<typeof Shown>): Omit<ModelFacts, 'contextLoaded'> {
  const { capabilities, parameters, model_info: info, remote_host: host } = shown;
  const architecture = text.parse(info['general.architecture']);
  const numberAt = (key: string): number | null => size.parse(info[`${architecture}.${key}`]);
  const set = /^num_ctx\s+(\d{1,9})\s*$/m.exec(parameters)?.[1];
  return {
    abilities: capabilities === null ? null : new Set(capabilities),
    architecture,
    contextMax: numberAt('context_length'),
    contextSet: set === undefined ? null : size.parse(Number(set)),
    tokenBytes: tokenBytes(numberAt, info[`${architecture}.attention.head_count_kv`]),
    isElsewhere: host !== '',
  };
}

/** A key and a value for each head of each layer. Some models have layers with other numbers of heads. */
function tokenBytes(numberAt: (key: string) => number | null, keyHeads: unknown): number | null {
  const layers = numberAt('block_count');
  const heads = numberAt('attention.head_count');
  const width = heads === null ? null : (numberAt('embedding_length') ?? 0) / heads;
  const keyAndValue =
    (numberAt('attention.key_length') ?? width ?? 0) + (numberAt('attention.value_length') ?? width ?? 0);
  const perLayer = z.array(z.number().nonnegative()).safeParse(keyHeads).data;
  const all = perLayer?.reduce((sum, one) => sum + one, 0) ?? (layers ?? 0) * (size.parse(keyHeads) ?? heads ?? 0);
  const bytes = all * keyAndValue * BYTES_PER_NUMBER;
  return bytes > 0 ? bytes : null;
}
