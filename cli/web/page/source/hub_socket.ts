import type { MethodName, ParamsOf, ResultOf } from '../../../../hub/protocol/methods/method_table.js';
import { createOpenCalls } from './open_calls.js';

const BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 5_000;
/** Sent by the process when the link of the page was used a second time. */
const SESSION_ENDED = 4_001;

/** A connection to the hub, through the process that served the page. */
export interface HubSocket {
  /** Calls a method of the hub; it is called again after a break. */
  call<M extends MethodName>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  /** Asks the process itself; an act that was under way at a break is told as such, and is not done again. */
  ask<T>(method: `page.${string}`, params: object): Promise<T>;
  /** Begins a stream whose events are for a listener; it ends with the connection. */
  stream<E>(method: MethodName, params: object, onEvent: (event: E) => void): void;
  /** Calls a listener now or when it is connected, and whenever it is connected again. */
  onOpen(listener: () => void): void;
  /** Tells why there is no connection; null when there is one. */
  onAway(listener: (reason: string | null) => void): void;
}

export interface HubSocketParts {
  open(): WebSocket;
  /** Whether a session is open still; null where nobody answers. */
  isSessionOpen(): Promise<boolean | null>;
  words: { ended: string; noProcess: string; noHub: string };
}

/** Opens the socket, and opens it again whenever it breaks. */
export function openHubSocket(parts: HubSocketParts): HubSocket {
  const openListeners: (() => void)[] = [];
  let tellAway: (reason: string | null) => void = () => undefined;
  let tries = 0;
  const calls = createOpenCalls((text) => {
    if (socket.readyState === socket.OPEN) socket.send(text);
  });
  let socket = connect();

  function connect(): WebSocket {
    const opened = parts.open();
    opened.onopen = () => {
      tellAway(null);
      calls.resend();
      for (const listener of openListeners) listener();
    };
    opened.onmessage = ({ data }) => {
      tries = 0;
      calls.take(String(data));
    };
    opened.onclose = ({ code }) => {
      calls.breakOff();
      if (code === SESSION_ENDED) tellAway(parts.words.ended);
      else whyAway(parts).then(goOn, () => goOn(parts.words.noHub));
    };
    return opened;
  }

  function goOn(reason: string): void {
    tellAway(reason);
    if (reason === parts.words.ended) return;
    const waitMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** tries);
    tries += 1;
    setTimeout(() => {
      socket = connect();
    }, waitMs);
  }

  return {
    call: (method, params) => calls.call(method, params),
    ask: (method, params) => calls.call(method, params),
    stream: calls.stream,
    onOpen(listener) {
      openListeners.push(listener);
      if (socket.readyState === socket.OPEN) listener();
    },
    onAway(listener) {
      tellAway = listener;
    },
  };
}

async function whyAway({ isSessionOpen, words }: HubSocketParts): Promise<string> {
  const isOpen = await isSessionOpen();
  if (isOpen === null) return words.noProcess;
  return isOpen ? words.noHub : words.ended;
}
