import { cliCommand } from '../../../base/hint.js';
import type { ProviderServer } from '../../../base/provider_records.js';
import type { ErrorKind, Hint } from '../../../protocol/errors.js';

/** What a server said of a failure. */
export interface Told {
  /** Null when it came in the middle of an answer. */
  status: number | null;
  type: string | null;
  code: string | null;
  words: string;
  headers: Headers;
}

/** Who was asked for what. */
export interface Sent {
  provider: string;
  hints: ProviderServer['hints'];
  /** The server, as a person knows it. */
  server: string;
  model: string;
  key: string;
}

interface Explained {
  kind: ErrorKind;
  message: string;
  hint: Hint;
  retryable: boolean;
  /** For programs: which of several things of one kind it is. */
  reason: string;
}

type Reason =
  | 'key'
  | 'permission'
  | 'billing'
  | 'model'
  | 'redirected'
  | 'request'
  | 'too_long'
  | 'rate'
  | 'overloaded';

// The words of Anthropic, OpenAI, vLLM, llama.cpp, LM Studio and Ollama, in this order.
const TOO_LONG =
  /prompt is too long|exceed(s|ed)? (the )?(context limit|context window|available context|context size)|maximum context length|context_length_exceeded|exceed_context_size|context length|request_too_large|too many tokens/i;
const NO_CREDIT = /credit balance|insufficient_quota|billing|exceeded your current quota/i;
const NO_MODEL = /model/i;

/** What happened and what to do, from what the server said. */
export function explain(told: Told, sent: Sent): Explained {
  const reason = reasonOf(told);
  const said = told.words === '' ? '' : `: ${told.words}`;
  const number = told.status === null ? '' : ` (${told.status})`;
  return { ...WORDS[reason](sent, `${number}${said}`), reason, ...mayRetry(told, reason) };
}

function reasonOf({ status, type, code, words }: Told): Reason {
  const names = `${type ?? ''} ${code ?? ''}`;
  const isRefused = status === null || (status >= 400 && status < 500) || status === 500;
  if (isRefused && (TOO_LONG.test(names) || (status !== 429 && TOO_LONG.test(words)))) return 'too_long';
  if (isRefused && NO_CREDIT.test(`${names} ${words}`)) return 'billing';
  if (status === null) return reasonInStream(names);
  if (status >= 300 && status < 400) return 'redirected';
  return BY_STATUS[status] ?? byRange(status, words);
}

const BY_STATUS: Record<number, Reason> = {
  401: 'key',
  402: 'billing',
  403: 'permission',
  408: 'overloaded',
  409: 'overloaded',
  413: 'too_long',
  425: 'overloaded',
  429: 'rate',
};

function byRange(status: number, words: string): Reason {
  if (status >= 500) return 'overloaded';
  return status === 404 && NO_MODEL.test(words) ? 'model' : 'request';
}

/** A failure in the middle of an answer has a name instead of a number. */
function reasonInStream(names: string): Reason {
  if (/rate_limit|\b429\b/.test(names)) return 'rate';
  if (/authentication|\b401\b/.test(names)) return 'key';
  if (/permission|\b403\b/.test(names)) return 'permission';
  if (/invalid_request|BadRequest|\b400\b/.test(names)) return 'request';
  return 'overloaded';
}

function mayRetry({ headers }: Told, reason: Reason): { retryable: boolean } {
  const wish = headers.get('x-should-retry');
  if (wish === 'true' || wish === 'false') return { retryable: wish === 'true' };
  return { retryable: reason === 'rate' || reason === 'overloaded' };
}

const WORDS: Record<Reason, (sent: Sent, told: string) => Pick<Explained, 'kind' | 'message' | 'hint'>> = {
  key: ({ provider, server }, told) => ({
    kind: 'rejected',
    message: `${server} does not accept the key${told}`,
    hint: `set a valid key for ${provider}`,
  }),
  permission: ({ server, model }, told) => ({
    kind: 'rejected',
    message: `${server} does not allow this key to use ${model}${told}`,
    hint: 'choose another model, or a key that may use it',
  }),
  billing: ({ server }, told) => ({
    kind: 'rejected',
    message: `${server} refuses for want of credit${told}`,
    hint: 'add credit in your account there, or choose another provider',
  }),
  model: ({ server, model, hints }, told) => ({
    kind: 'rejected',
    message: `${server} has no model ${model}${told}`,
    hint: hints.noModel?.(model) ?? 'choose another model',
  }),
  redirected: ({ server }, told) => ({
    kind: 'rejected',
    message: `${server} sends elsewhere, and that is not followed${told}`,
    hint: 'set the base URL to where the server really is',
  }),
  request: ({ server }, told) => ({
    kind: 'rejected',
    message: `${server} refused the request${told}`,
    hint: ['look at the base URL, the model and what is sent (', cliCommand('context'), ')'],
  }),
  too_long: ({ server, model }, told) => ({
    kind: 'context_too_long',
    message: `the conversation is too long for ${model} at ${server}${told}`,
    hint: [
      'summarise it with ',
      cliCommand('compact'),
      ', fork at an earlier message, or choose a model with a larger window',
    ],
  }),
  rate: ({ server }, told) => ({
    kind: 'rate_limited',
    message: `${server} asks to slow down${told}`,
    hint: 'wait a little and try again',
  }),
  overloaded: ({ server }, told) => ({
    kind: 'overloaded',
    message: `${server} is overloaded or has a fault${told}`,
    hint: 'try again in a moment',
  }),
};

/** A server that is not trusted now will not be in a minute either. */
export function isCertificate(code: string | null): boolean {
  return code !== null && /CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code);
}

/** What to do about a line that does not work. */
export function networkHint(code: string | null, { hints }: Sent): string {
  if (code === 'ECONNREFUSED') return hints.notRunning ?? 'look whether the server runs and the base URL is right';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'look at your network and the base URL';
  if (isCertificate(code) || (code !== null && /TLS|SSL/.test(code))) return 'look at the certificate of the server';
  return 'look at your network and try again';
}
