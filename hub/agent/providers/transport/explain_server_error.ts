import { cliCommand } from '../../../base/hint.js';
import type { ProviderServer } from '../../../base/provider_records.js';
import type { ErrorKind, Hint } from '../../../protocol/errors.js';
import type { Route } from '../../../protocol/turn.js';

/** What a server says of a failure. */
export interface ServerError {
  /** Null when the error came in the middle of an answer. */
  status: number | null;
  type: string | null;
  code: string | null;
  message: string;
  headers: Headers;
}

/** Which request failed, and at which server. */
export interface RequestInfo {
  provider: string;
  /** Where its key comes from, in words. */
  keyVariable: string;
  hints: ProviderServer['hints'];
  /** The server, as people are told of it. */
  server: string;
  model: string;
  /** What no message may repeat. */
  secrets: readonly string[];
  route: Route;
}

interface Explanation {
  kind: ErrorKind;
  message: string;
  hint: Hint;
  retryable: boolean;
  /** For programs: which of several causes of one kind it is. */
  reason: string;
}

type Reason =
  | 'key'
  | 'permission'
  | 'billing'
  | 'model'
  | 'redirected'
  | 'request'
  | 'thinking'
  | 'image'
  | 'too_long'
  | 'memory'
  | 'rate'
  | 'overloaded';

// As Anthropic, Bedrock, OpenAI, Gemini, vLLM, llama.cpp, LM Studio and Ollama put it.
const TOO_LONG =
  /(prompt|input) is too long|exceed(s|ed)? (the )?(maximum number of tokens|context limit|context window|available context|context size)|maximum context length|context_length_exceeded|exceed_context_size|context length|request_too_large|too many tokens/i;
// Of Anthropic's, OpenAI's and Gemini's: made for another conversation, or by another account.
const FOREIGN_THINKING =
  /`?signature`? in `?thinking`? block|thought[ _]signature|encrypted content .*could not be|invalid_encrypted_content/i;
const NO_MEMORY = /requires more (system )?memory|insufficient memory|out of memory/i;
const NO_CREDIT = /credit balance|insufficient_quota|billing|exceeded your current quota/i;
/** Google refuses a wrong key with the status of a wrong request. */
const NO_KEY =
  /API_KEY_INVALID|API key (not valid|expired)|security token|signature we calculated|UnrecognizedClient|ExpiredToken/i;
const NO_MODEL = /model/i;
/** Bedrock knows newer models by ids with a region before them alone. */
const NO_SUCH_ID = /model identifier is invalid|on-demand throughput/i;

/** One that it cannot read or that is too large for it, and models that see none. */
const AN_IMAGE = /\bimages?\b|image_url|multimodal|\bvision\b/i;

/** What happened and what to do, from what the server says. */
export function explain(error: ServerError, request: RequestInfo): Explanation {
  const reason = reasonOf(error);
  const message = error.message === '' ? '' : `: ${error.message}`;
  const status = error.status === null ? '' : ` (${error.status})`;
  const retryable = isRetryable(error, reason);
  return { ...EXPLANATIONS[reason](request, `${status}${message}`), reason, retryable };
}

function reasonOf(error: ServerError): Reason {
  const { status, message } = error;
  const said = reasonInWords(error);
  if (said !== null) return said;
  if (status === null) return reasonInStream(namesIn(error));
  if (status >= 300 && status < 400) return 'redirected';
  return BY_STATUS[status] ?? byRange(status, message);
}

function namesIn({ type, code }: ServerError): string {
  return `${type ?? ''} ${code ?? ''}`;
}

/** Servers differ in their statuses for what they say in much the same words. */
function reasonInWords(error: ServerError): Reason | null {
  const { status, message } = error;
  const names = namesIn(error);
  if (status !== null && status !== 500 && (status < 400 || status >= 500)) return null;
  if (TOO_LONG.test(names) || (status !== 429 && TOO_LONG.test(message))) return 'too_long';
  if (status === 429 && /rate_limit/.test(names)) return 'rate';
  if (NO_KEY.test(`${names} ${message}`)) return 'key';
  if (NO_SUCH_ID.test(message)) return 'model';
  if (NO_CREDIT.test(`${names} ${message}`)) return 'billing';
  if (NO_MEMORY.test(message)) return 'memory';
  return FOREIGN_THINKING.test(`${names} ${message}`) ? 'thinking' : null;
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

function byRange(status: number, message: string): Reason {
  if (status >= 500) return 'overloaded';
  if (status === 404 && NO_MODEL.test(message)) return 'model';
  return status < 500 && AN_IMAGE.test(message) ? 'image' : 'request';
}

/** An error in the middle of an answer has a name instead of a status. */
function reasonInStream(names: string): Reason {
  if (/rate_limit|throttling|\b429\b/.test(names)) return 'rate';
  if (/authentication|invalid_api_key|\b401\b/.test(names)) return 'key';
  if (/permission|\b403\b/.test(names)) return 'permission';
  if (/invalid_|validationException|_image|image_|policy|BadRequest|\b400\b/.test(names)) return 'request';
  return 'overloaded';
}

function isRetryable({ headers }: ServerError, reason: Reason): boolean {
  const header = headers.get('x-should-retry');
  if (header === 'true' || header === 'false') return header === 'true';
  return reason === 'rate' || reason === 'overloaded';
}

type Explain = (request: RequestInfo, said: string) => Pick<Explanation, 'kind' | 'message' | 'hint'>;

/** `said` is the server's status and message. */
const EXPLANATIONS: Record<Reason, Explain> = {
  key: ({ provider, keyVariable, server }, said) => ({
    kind: 'rejected',
    message: `${server} does not accept the key${said}`,
    hint: `set a valid key for ${provider}: ${keyVariable}`,
  }),
  permission: ({ server, model }, said) => ({
    kind: 'rejected',
    message: `${server} does not allow this key to use ${model}${said}`,
    hint: 'choose another model, or a key that may use it',
  }),
  billing: ({ server }, said) => ({
    kind: 'rejected',
    message: `${server} refuses for want of credit${said}`,
    hint: 'add credit in your account there, or choose another provider',
  }),
  model: ({ server, model, hints }, said) => ({
    kind: 'rejected',
    message: `${server} has no model ${model}${said}`,
    hint: hints.noModel?.(model) ?? 'choose another model',
  }),
  redirected: ({ server }, said) => ({
    kind: 'rejected',
    message: `${server} sends elsewhere, and that is not followed${said}`,
    hint: 'set the base URL to where the server really is',
  }),
  request: ({ server }, said) => ({
    kind: 'rejected',
    message: `${server} refused the request${said}`,
    hint: ['look at the base URL, the model and what is sent (', cliCommand('context'), ')'],
  }),
  thinking: ({ server }, said) => ({
    kind: 'rejected',
    message: `${server} cannot read what was thought before${said}`,
    hint: ['summarise the conversation with ', cliCommand('compact'), ', or fork above the answer that it names'],
  }),
  image: ({ server }, said) => ({
    kind: 'rejected',
    message: `${server} refuses an image${said}`,
    hint: ['fork above the image (', cliCommand('context'), '), or choose another model'],
  }),
  too_long: ({ server, model }, said) => ({
    kind: 'context_too_long',
    message: `the conversation is too long for ${model} at ${server}${said}`,
    hint: [
      'summarise it with ',
      cliCommand('compact'),
      ', fork at an earlier message, or choose a model with a larger window',
    ],
  }),
  memory: ({ server, model }, said) => ({
    kind: 'rejected',
    message: `${server} has no room for ${model}${said}`,
    hint: [
      'choose a smaller model, or load it with a smaller window: ',
      cliCommand('config set', 'window', '<tokens>'),
    ],
  }),
  rate: ({ server }, said) => ({
    kind: 'rate_limited',
    message: `${server} asks to slow down${said}`,
    hint: 'wait a little and try again',
  }),
  overloaded: ({ server }, said) => ({
    kind: 'overloaded',
    message: `${server} is overloaded or has a fault${said}`,
    hint: 'try again in a moment',
  }),
};

/** A server that is not trusted now will not be in a minute either. */
export function isCertificate(code: string | null): boolean {
  return code !== null && /CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code);
}

const UNKNOWN_AUTHORITY = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/;

/** What to do about a connection that does not work. */
export function networkHint(code: string | null, { hints, route }: RequestInfo): string {
  if (code !== null && UNKNOWN_AUTHORITY.test(code)) {
    return (
      route?.authorities_problem ??
      'name the file with the authority that signed its certificate in NODE_EXTRA_CA_CERTS'
    );
  }
  if (code === 'ECONNREFUSED') return hints.notRunning ?? 'look whether the server runs and the base URL is right';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'look at your network and the base URL';
  if (isCertificate(code) || (code !== null && /TLS|SSL/.test(code))) return 'look at the certificate of the server';
  return 'look at your network and try again';
}
