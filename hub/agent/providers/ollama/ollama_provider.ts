import { totalmem } from 'node:os';
import { HubError } from '../../../base/error.js';
import { cliCommand } from '../../../base/hint.js';
import type { ModelRequest, Provider } from '../../model/provider.js';
import { serverAccess } from '../../model/server_access.js';
import { openaiMessages } from '../openai/messages.js';
import { type ModelConnection, watchConnection } from '../transport/model_connection.js';
import { exchange, type ServedProvider } from '../transport/model_exchange.js';
import { ollamaReader } from './answer_reader.js';
import { type ChatBody, chatBody } from './chat_body.js';
import { contextSize } from './context_size.js';
import { jsonLines } from './json_lines.js';
import { type ModelFacts, modelFacts } from './model_facts.js';
import { serverRefusal } from './server_refusal.js';

/** How long a server may take to tell of a model when nothing but its window is wanted. */
const WINDOW_MS_MAX = 5_000;
const BYTES_PER_TOKEN = 4;
/** About what a model takes for an image. */
const IMAGE_TOKENS = 768;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** A provider that speaks Ollama's own protocol; `memoryBytes` is what this machine has. */
export function ollamaProvider(provider: ServedProvider, memoryBytes: number = totalmem()): Provider {
  const known = new Map<string, ModelFacts>();
  /** What a server says of a model. It is asked once, so that the context stays the same and the model loaded. */
  const factsOf = async (connection: ModelConnection, { base, model }: { base: string; model: string }) => {
    const key = JSON.stringify([base, model]);
    const facts = known.get(key) ?? (await modelFacts(connection, base, model));
    known.set(key, facts);
    return facts;
  };
  const contextOf = (facts: ModelFacts, { hostname }: URL, stated: number | null): number | null =>
    contextSize(facts, { stated, memoryBytes: LOOPBACK.test(hostname) ? memoryBytes : null });
  return {
    name: provider.name,
    async window({ model, statedWindow, route, ...given }, signal) {
      const { address, headers } = serverAccess(provider.name, provider.server, given);
      const { timers } = provider;
      const connection = watchConnection({ timers, signal, headers, idleMs: WINDOW_MS_MAX, framing: 'lines', route });
      try {
        connection.waitAtMost(WINDOW_MS_MAX);
        return contextOf(await factsOf(connection, { base: baseOf(address), model }), address, statedWindow);
      } catch {
        return statedWindow; // who is not there says so when it is asked for an answer
      } finally {
        connection.close();
      }
    },
    async *answer(request, signal) {
      const access = serverAccess(provider.name, provider.server, request);
      const messages = await openaiMessages(request);
      const base = baseOf(access.address);
      const open = async (connection: ModelConnection) => {
        const facts = await factsOf(connection, { base, model: request.model });
        refuseWithoutTools(request, facts);
        const context = contextOf(facts, access.address, request.statedWindow);
        const body = chatBody(request, { messages, facts, context });
        if (context !== null) refuseTooLong(body, { context, facts });
        return sendChat(connection, `${base}/api/chat`, body);
      };
      const reader = ollamaReader(request.messages.length, request.outputTokensMax);
      yield* exchange({ ...reader, open, framing: 'lines' }, { provider, request, signal, access, headers: {} });
    },
  };
}

/** People also give the address that speaks as OpenAI does. */
function baseOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '').replace(/\/(v1|api)$/, '');
}

async function sendChat({ fetch, signal, contentType }: ModelConnection, url: string, body: ChatBody) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal });
  if (!response.ok) throw await serverRefusal(response);
  if (response.body === null || !contentType()?.includes('json')) throw new Error('this is no stream of JSON');
  return jsonLines(response.body);
}

function refuseWithoutTools({ model, tools }: ModelRequest, { abilities }: ModelFacts): void {
  if (tools.length === 0 || (abilities?.has('tools') ?? true)) return;
  throw new HubError('rejected', `${model} cannot call tools, which is how a model works here`, {
    hint: 'choose one that can: https://ollama.com/search?c=tools lists them',
    details: { visible: false, reason: 'model' },
  });
}

/** Refuses a request that would be cut, or not answered at all: a rough count is enough to know that. */
function refuseTooLong(
  { model, messages, tools }: ChatBody,
  { context, facts }: { context: number; facts: ModelFacts },
) {
  const images = messages.reduce((sum, message) => sum + ('images' in message ? (message.images?.length ?? 0) : 0), 0);
  const text = JSON.stringify([messages, tools], (name, value: unknown) => (name === 'images' ? undefined : value));
  const tokens = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) + images * IMAGE_TOKENS;
  if (tokens < context) return;
  const isLargest = context >= (facts.contextMax ?? Number.POSITIVE_INFINITY);
  throw new HubError(
    'context_too_long',
    `the conversation is too long for ${model}: about ${tokens} tokens, and its window has ${context}`,
    {
      hint: [
        'summarise it with ',
        cliCommand('compact'),
        ...(isLargest
          ? [', or choose a model with a larger window']
          : [', or set a larger window: ', cliCommand('config set', 'window', '<tokens>')]),
      ],
      details: { visible: false },
    },
  );
}
