import { HubError } from '../../base/error.js';
import type { Dialect } from '../../base/provider_records.js';
import type { ModelEvent, Provider } from '../model/provider.js';
import { serverAccess } from '../model/server_access.js';
import type { OpenaiRequest } from './openai/openai_client.js';
import { sendChat } from './openai/send_chat.js';
import { type OpenaiServer, openaiServer } from './openai_server.js';
import { sendResponses } from './responses/send_responses.js';
import type { ServedProvider } from './transport/model_exchange.js';

/** What a server refused, which is not sent to it again: the method of Responses, summaries of what a model thinks, or how much it is to. */
type Refused = 'responses' | 'summaries' | 'effort';

const NO_METHOD = new Set([404, 405, 501]);
/** OpenAI gives summaries of some models only to organisations that have shown who they are. */
const NO_SUMMARIES = /reasoning\.summary|reasoning summar/i;
/** Servers that speak alike refuse how much to think for models that do not, or know other words for it. */
const NO_EFFORT = /reasoning[._ ]?effort/i;

/** More servers and models than one hub is used with. */
const REFUSED_MAX = 1_000;

/** A provider that speaks OpenAI's protocols, by the official SDK. */
export function openaiProvider(
  provider: ServedProvider,
  { hasResponses }: Extract<Dialect, { kind: 'openai' }>,
): Provider {
  const refused = new Set<string>();
  return {
    name: provider.name,
    async *answer(request, signal) {
      const access = serverAccess(provider.name, provider.server, request);
      const server = openaiServer(access.address, hasResponses ? request.model : '');
      const sent = { provider, request, signal, access, baseUrl: server.baseUrl };
      let isAgain = true;
      while (isAgain) {
        isAgain = false;
        try {
          yield* inKnownForm(sent, server, refused);
        } catch (error) {
          isAgain = noteRefusal(error, refused, { server, model: request.model });
          if (!isAgain) throw error;
        }
      }
    },
  };
}

/** Sends a request in a form that its server has not refused. */
function inKnownForm(
  sent: OpenaiRequest,
  server: OpenaiServer,
  refused: ReadonlySet<string>,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { model } = sent.request;
  const isChat = server.protocol === 'chat_completions' || refused.has(keyOf('responses', { server, model }));
  return isChat
    ? sendChat(sent, { hasEffort: !refused.has(keyOf('effort', { server, model })) })
    : sendResponses({ ...sent, hasSummaries: !refused.has(keyOf('summaries', { server, model })) });
}

/** Where a form of requests was refused, and for which model. */
interface FormKey {
  server: OpenaiServer;
  model: string;
}

function keyOf(what: Refused, { server, model }: FormKey): string {
  return JSON.stringify([server.baseUrl, model, what]);
}

/** Remembers what a server refused; false where another form of the request would not help. */
function noteRefusal(error: unknown, refused: Set<string>, form: FormKey): boolean {
  const what = refusedIn(error, form.server);
  if (what === null || refused.has(keyOf(what, form))) return false;
  if (refused.size >= REFUSED_MAX) refused.clear();
  refused.add(keyOf(what, form));
  return true;
}

/** What a server refused by an error; null when another form of the request would not help. */
function refusedIn(error: unknown, { isGuess, protocol }: OpenaiServer): Refused | null {
  if (!(error instanceof HubError) || error.details.visible === true) return null;
  const { reason, status } = error.details;
  if (protocol === 'chat_completions' || isGuess) {
    if ((status === 400 || status === 422) && NO_EFFORT.test(error.message)) return 'effort';
  }
  if (protocol === 'chat_completions') return null;
  if (isGuess && reason !== 'model' && typeof status === 'number' && NO_METHOD.has(status)) return 'responses';
  return status === 400 && NO_SUMMARIES.test(error.message) ? 'summaries' : null;
}
