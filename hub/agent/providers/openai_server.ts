import { needsResponses } from './openai/openai_models.js';

/** Which of OpenAI's two protocols a server is asked in. */
export interface OpenaiServer {
  protocol: 'responses' | 'chat_completions';
  /** Whether the protocol is a guess, so that a server without it is asked in the other. */
  isGuess: boolean;
  /** The base URL for the SDK. */
  baseUrl: string;
}

const AZURE = /\.(openai|services\.ai|cognitiveservices)\.azure\.(com|us|cn)$/;
const METHOD = /\/(responses|chat\/completions)$/;

/**
 * OpenAI and Azure speak Responses, and servers elsewhere chat completions, unless the address ends in the name of a method.
 * A model that OpenAI serves only by Responses is first asked for in that protocol wherever it is.
 */
export function openaiServer(address: URL, model: string): OpenaiServer {
  const path = address.pathname.replace(/\/+$/, '');
  const method = METHOD.exec(path);
  const baseUrl = baseUrlOf(address, path.replace(METHOD, ''));
  if (method !== null) {
    return { protocol: method[1] === 'responses' ? 'responses' : 'chat_completions', isGuess: false, baseUrl };
  }
  if (isOpenai(address) || AZURE.test(address.hostname)) return { protocol: 'responses', isGuess: false, baseUrl };
  const isGuess = needsResponses(model);
  return { protocol: isGuess ? 'responses' : 'chat_completions', isGuess, baseUrl };
}

function isOpenai({ hostname }: URL): boolean {
  return hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com');
}

/** People give a server's bare address; its methods are below /v1. */
function baseUrlOf({ origin, hostname }: URL, path: string): string {
  if (AZURE.test(hostname) && (path === '' || path === '/openai')) return `${origin}/openai/v1`;
  return `${origin}${path === '' ? '/v1' : path}`;
}
