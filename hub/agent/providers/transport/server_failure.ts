import * as z from 'zod';
import { HubError } from '../../../base/error.js';
import type { ErrorData, ErrorKind } from '../../../protocol/errors.js';
import { EVENT_BYTES_MAX, IDLE_MS_MAX } from '../../model/provider.js';
import type { Ending } from './model_connection.js';
import { retryAfterMs } from './retry_after.js';
import { explain, isCertificate, networkHint, type Sent, type Told } from './server_failure_words.js';

const WORDS_MAX = 400;

/** What both SDKs' errors have in common; `error` is the body, or for some the inner part of it. */
const ServerSaid = z.object({
  status: z.number().optional(),
  // Not z.instanceof, which would name Headers when this file is loaded: with it Node loads fetch, 6 MB in an idle hub.
  headers: z.custom<Headers>((value) => value instanceof Headers).optional(),
  message: z.string(),
  error: z.unknown().optional(),
});
const text = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);
const Inner = z.object({ type: text, code: text, message: text });
const Body = z.object({ error: Inner });

/** What is known when a request has failed. */
export interface FailedRequest extends Sent {
  error: unknown;
  ending: Ending | null;
  /** What the server said that its answer is; null before it answered. */
  contentType: string | null;
  /** Whether something had been given out. */
  visible: boolean;
  nowMs: number;
}

/** The one line that a person is told, whatever went wrong; nothing in it or under it has the key. */
export function failureOf(failing: FailedRequest): HubError {
  const { error, ending, visible } = failing;
  if (ending !== null) return endedHere(failing, ending);
  if (error instanceof HubError) return error;
  const told = toldBy(error, failing.key);
  if (told === null) return notReached(failing);
  const { kind, message, hint, retryable, reason } = explain(told, failing);
  const details: ErrorData['details'] = { visible, reason, status: told.status };
  if (kind === 'rate_limited' || kind === 'overloaded') {
    details.retry_after_ms = retryAfterMs(told.headers, failing.nowMs);
  }
  return new HubError(kind, message, { hint, retryable, details, cause: withoutKey(error, failing.key) });
}

/** The server's own words, when it said anything; the key in them is covered. */
function toldBy(error: unknown, key: string): Told | null {
  const said = ServerSaid.safeParse(error);
  if (!said.success) return null;
  const { status, headers, message } = said.data;
  const body = Body.safeParse(said.data.error);
  const inner = body.success ? body.data.error : Inner.safeParse(said.data.error).data;
  if (status === undefined && inner === undefined) return null;
  const words = inner?.message ?? message;
  return {
    status: status ?? null,
    type: inner?.type ?? null,
    code: inner?.code ?? null,
    words: covered(words, key)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, WORDS_MAX)
      .toWellFormed(),
    headers: headers ?? new Headers(),
  };
}

function endedHere({ error, key, server, visible }: FailedRequest, ending: Ending): HubError {
  const cause = withoutKey(error, key);
  const failed = (kind: ErrorKind, message: string, explanation: { hint?: string; retryable: boolean }) =>
    new HubError(kind, message, { ...explanation, details: { visible }, cause });
  switch (ending) {
    case 'cancelled':
      return failed('cancelled', `the request to ${server} was cancelled`, { retryable: false });
    case 'idle':
      return failed('network', `${server} has sent nothing for ${IDLE_MS_MAX / 1_000} s`, {
        hint: 'try again; if it stays so, look whether the server is well',
        retryable: true,
      });
    case 'answer_too_long':
      return failed('network', `${server} sent more for one answer than can be kept`, {
        hint: 'no model answers at such length: look at the server behind this address',
        retryable: false,
      });
    case 'event_too_long':
      return failed('network', `${server} sent more than ${EVENT_BYTES_MAX} bytes that are no whole event`, {
        hint: 'look whether a model server is behind this address',
        retryable: false,
      });
  }
}

/** No answer of a server, so the line itself: its code says what is wrong with it. */
function notReached(failing: FailedRequest): HubError {
  const { error, key, server, visible, contentType } = failing;
  const cause = withoutKey(error, key);
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return new HubError('network', `${server} sent something that is no answer of a model`, {
      hint: 'look whether the base URL is that of such a server, and try again',
      retryable: true,
      details: { visible },
      cause,
    });
  }
  if (!visible && contentType !== null && !contentType.includes('event-stream')) {
    const type = covered(contentType, key);
    return new HubError('network', `${server} answered with ${type}, which is no stream of a model`, {
      hint: 'look whether the base URL is that of a model server',
      details: { visible },
      cause,
    });
  }
  const code = lineCode(error);
  // Without headers nothing has been answered that could be cut.
  const isCut = visible || (contentType !== null && error instanceof Error && code === null);
  const message = isCut ? `the connection to ${server} was cut in the middle of its answer` : `cannot reach ${server}`;
  return new HubError('network', code === null ? message : `${message} (${code})`, {
    hint: networkHint(code, failing),
    retryable: !isCertificate(code),
    details: { visible },
    cause,
  });
}

/** The system's name for what is wrong with the line, from the causes of an error. */
function lineCode(error: unknown): string | null {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 8; depth += 1) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(at.code)) return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return null;
}

// Servers repeat keys in what they refuse, some whole and some with their middle starred out.
function covered(words: string, key: string): string {
  return words.replaceAll(key, '(key)').replace(/\b[sp]k-[\w*.-]{6,}/g, '(key)');
}

/** The error for the log: its words alone, since an SDK's error holds the server's whole answer. */
function withoutKey(error: unknown, key: string): Error {
  const chain: string[] = [];
  for (let at = error; at instanceof Error && chain.length < 4; at = at.cause) chain.push(at.message);
  return new Error(covered(chain.join(': '), key));
}
