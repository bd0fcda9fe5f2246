import * as z from 'zod';
import { errnoOf } from '../../../base/errno.js';
import { HubError } from '../../../base/error.js';
import type { ErrorData, ErrorKind } from '../../../protocol/errors.js';
import { EVENT_BYTES_MAX } from '../../model/provider.js';
import { explain, isCertificate, networkHint, type RequestInfo, type ServerError } from './explain_server_error.js';
import type { Ending } from './model_connection.js';
import { retryAfterMs } from './retry_after.js';

const MESSAGE_LENGTH_MAX = 400;
const CAUSES_MAX = 8;

/** What both SDKs' errors have in common; `error` is the body, or for some the inner part of it. */
const SdkError = z.object({
  status: z.number().optional(),
  // Not z.instanceof, which would name Headers when this file is loaded: with it Node loads fetch, 6 MB in an idle hub.
  headers: z.custom<Headers>((value) => value instanceof Headers).optional(),
  message: z.string(),
  error: z.unknown().optional(),
});
const text = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);
const Inner = z.object({ type: text, code: text, message: text });
const Body = z.object({ error: Inner });

/** What is known of a failed request. */
export interface FailedRequest extends RequestInfo {
  error: unknown;
  ending: Ending | null;
  /** The content type of the answer; null when the server did not answer. */
  contentType: string | null;
  /** Whether text, thinking or a call came before. */
  visible: boolean;
  /** How long the server was allowed to be silent. */
  idleMs: number;
  nowMs: number;
}

/** The failure as people see it, in one line; neither it nor its causes hold the key. */
export function failureOf(failed: FailedRequest): HubError {
  const { error, ending, visible } = failed;
  if (ending !== null) return endedHere(failed, ending);
  const own = hubErrorIn(error);
  if (own !== null) return own;
  const serverError = serverErrorIn(error, failed.secrets);
  if (serverError === null) return notReached(failed);
  const { kind, message, hint, retryable, reason } = explain(serverError, failed);
  const details: ErrorData['details'] = { visible, reason, status: serverError.status };
  if (kind === 'rate_limited' || kind === 'overloaded') {
    details.retry_after_ms = retryAfterMs(serverError.headers, failed.nowMs);
  }
  return new HubError(kind, message, { hint, retryable, details, cause: causeWithoutKey(error, failed.secrets) });
}

/** What was found wrong before a server was reached; an SDK puts it into an error of its own. */
function hubErrorIn(error: unknown): HubError | null {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < CAUSES_MAX; depth += 1) {
    if (at instanceof HubError) return at;
    at = at.cause;
  }
  return null;
}

/** What the server says, if it says anything, without the key. */
function serverErrorIn(error: unknown, secrets: readonly string[]): ServerError | null {
  const parsed = SdkError.safeParse(error);
  if (!parsed.success) return null;
  const { status, headers, message } = parsed.data;
  const body = Body.safeParse(parsed.data.error);
  const inner = body.success ? body.data.error : Inner.safeParse(parsed.data.error).data;
  if (status === undefined && inner === undefined) return null;
  return {
    status: status ?? null,
    type: inner?.type ?? null,
    code: inner?.code ?? null,
    message: withoutKey(inner?.message ?? message, secrets)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, MESSAGE_LENGTH_MAX)
      .toWellFormed(),
    headers: headers ?? new Headers(),
  };
}

function endedHere({ error, secrets, server, visible, idleMs }: FailedRequest, ending: Ending): HubError {
  const cause = causeWithoutKey(error, secrets);
  const failure = (kind: ErrorKind, message: string, explanation: { hint?: string; retryable: boolean }) =>
    new HubError(kind, message, { ...explanation, details: { visible }, cause });
  switch (ending) {
    case 'cancelled':
      return failure('cancelled', `the request to ${server} was cancelled`, { retryable: false });
    case 'idle':
      return failure('network', `${server} has sent nothing for ${idleMs / 1_000} s`, {
        hint: 'try again; if it stays so, look whether the server is well',
        retryable: true,
      });
    case 'answer_too_long':
      return failure('network', `${server} sent more for one answer than can be kept`, {
        hint: 'no model answers at such length: look at the server behind this address',
        retryable: false,
      });
    case 'event_too_long':
      return failure('network', `${server} sent more than ${EVENT_BYTES_MAX} bytes that are no whole event`, {
        hint: 'look whether a model server is behind this address',
        retryable: false,
      });
  }
}

/** There is no answer of a server: the code of the connection's error says what is wrong. */
function notReached(failed: FailedRequest): HubError {
  const { error, secrets, server, visible, contentType } = failed;
  const cause = causeWithoutKey(error, secrets);
  if (error instanceof z.ZodError || error instanceof SyntaxError || isUnparsed(error)) {
    return new HubError('network', `${server} sent something that is no answer of a model`, {
      hint: 'look whether the base URL is that of such a server, and try again',
      retryable: true,
      details: { visible },
      cause,
    });
  }
  if (!visible && contentType !== null && !/event-?stream|ndjson/.test(contentType)) {
    const type = withoutKey(contentType, secrets);
    return new HubError('network', `${server} answered with ${type}, which is no stream of a model`, {
      hint: 'look whether the base URL is that of a model server',
      details: { visible },
      cause,
    });
  }
  const code = connectionErrorCode(error);
  // Without headers nothing has been answered that could be cut.
  const isCut = visible || (contentType !== null && error instanceof Error && code === null);
  const message = isCut ? `the connection to ${server} was cut in the middle of its answer` : `cannot reach ${server}`;
  return new HubError('network', code === null ? message : `${message} (${code})`, {
    hint: networkHint(code, failed),
    retryable: !isCertificate(code) && !(code === 'ECONNREFUSED' && failed.hints.notRunning !== null),
    details: { visible },
    cause,
  });
}

/** Bedrock's SDK puts what it cannot read into an error of its own. */
function isUnparsed(error: unknown): boolean {
  return error instanceof Error && /^Could not parse/.test(error.message);
}

/** The code of a system's error among the causes of an error; null for none. */
function connectionErrorCode(error: unknown): string | null {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < CAUSES_MAX; depth += 1) {
    const code = errnoOf(at);
    if (code !== null && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return null;
}

// Servers repeat keys in what they refuse, some whole and some with their middle starred out.
function withoutKey(text: string, secrets: readonly string[]): string {
  const without = secrets.reduce((left, secret) => left.replaceAll(secret, '(key)'), text);
  return without.replace(/\b([sp]k-|AIza)[\w*.-]{6,}/g, '(key)');
}

/** An error for the log: its message alone, since an SDK's error holds the server's whole answer. */
function causeWithoutKey(error: unknown, secrets: readonly string[]): Error {
  const chain: string[] = [];
  for (let at = error; at instanceof Error && chain.length < 4; at = at.cause) chain.push(at.message);
  return new Error(withoutKey(chain.join(': '), secrets));
}
