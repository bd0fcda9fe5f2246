import { HubError } from '../../error.js';
import { ANSWER_BYTES_MAX, EVENT_BYTES_MAX, IDLE_MS_MAX, type ProviderParts } from '../provider.js';

const NEWLINE = 0x0a;

/** Why a connection was ended from this side. */
export type Ending = 'cancelled' | 'idle' | 'answer_too_long' | 'event_too_long';

/** One request's connection, watched: it ends when the caller says so, when nothing comes, or when too much does. */
export interface ModelConnection {
  /** For the SDK instead of the global one. */
  fetch: typeof fetch;
  signal: AbortSignal;
  /** Null while it was not ended from this side. */
  ending(): Ending | null;
  /** What the server says that its answer is; null before it answers. */
  contentType(): string | null;
  /** Silence counts from now on, up to a limit; while the consumer is busy it does not. */
  wait(limitMs?: number): void;
  pause(): void;
  /** Ends it whatever state it is in. */
  close(): void;
}

export function watchConnection(parts: ProviderParts, caller: AbortSignal): ModelConnection {
  const controller = new AbortController();
  let why: Ending | null = null;
  let contentType: string | null = null;
  let stopTimer: (() => void) | null = null;
  const end = (reason: Ending): void => {
    why ??= reason;
    controller.abort();
  };
  const cancel = (): void => end('cancelled');
  const pause = (): void => {
    stopTimer?.();
    stopTimer = null;
  };
  const wait = (limitMs = IDLE_MS_MAX): void => {
    pause();
    stopTimer = parts.startTimer(limitMs, () => end('idle'));
  };
  const heard = (): void => {
    if (stopTimer !== null) wait();
  };
  if (caller.aborted) cancel();
  else caller.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    ending: () => why,
    contentType: () => contentType,
    wait,
    pause,
    fetch: async (input, init) => {
      // A redirect would take the conversation to an address that nobody chose.
      const response = await fetch(input, { ...init, redirect: 'manual' });
      heard();
      contentType =
        (response.headers.get('content-type') ?? '').replace(/[^\w/+;= .-]/g, '').slice(0, 100) || 'nothing';
      return measured(response, heard, end);
    },
    close() {
      pause();
      caller.removeEventListener('abort', cancel);
      controller.abort();
    },
  };
}

/** The same response, each part of which is a sign of life and counts against the limits. */
function measured(response: Response, heard: () => void, end: (why: Ending) => void): Response {
  if (response.body === null) return response;
  let total = 0;
  let line = 0;
  const measure = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      heard();
      total += chunk.length;
      const newline = chunk.lastIndexOf(NEWLINE);
      line = newline < 0 ? line + chunk.length : chunk.length - newline - 1;
      if (total <= ANSWER_BYTES_MAX && line <= EVENT_BYTES_MAX) return out.enqueue(chunk);
      // Whoever reads must see it too: the abort alone does not reach a body that is waited for.
      out.error(new Error('too many bytes'));
      end(total > ANSWER_BYTES_MAX ? 'answer_too_long' : 'event_too_long');
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(measure), { status, statusText, headers });
}

/** The address to use, checked: what the person gave, else the provider's own. */
export function serverAddress(given: string | null, own: string): URL {
  const text = given ?? own;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new HubError('invalid_params', `the base URL of a model server starts with http:// or https://: ${text}`, {
      hint: `give it like ${own}`,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new HubError('invalid_params', `the base URL for ${url.origin} has a password in it`, {
      hint: 'give the address without it, and the password as the key',
    });
  }
  return url;
}

/** A key that can be sent; a stray line end is taken off. */
export function usableKey(key: string, provider: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new HubError('no_key', `what was given as the key for ${provider} is no key`, {
    hint: 'a key is one word of plain letters, digits and signs; set it again',
  });
}
