/** What the process is asked that changes nothing: it is asked again after a break, as all that the hub is asked. */
const READS: ReadonlySet<string> = new Set(['page.start', 'page.position', 'page.files', 'page.race']);

interface OpenCall {
  text: string;
  isRepeated: boolean;
  resolve(result: never): void;
  reject(error: Error): void;
}

/** An answer, or an event of a stream. */
type Message =
  | { method: 'stream.event'; params: { stream: string; event: never } }
  | { id: number; method?: never; result: never; error: { message: string } | null };

/** The calls of a page that have no answer yet, and the streams that are open. */
export interface OpenCalls {
  call<T>(method: string, params: object): Promise<T>;
  stream<E>(method: string, params: object, onEvent: (event: E) => void): void;
  take(text: string): void;
  /** Sends again what only reads. */
  resend(): void;
  /** Ends the streams, and the acts that may have been done or not. */
  breakOff(): void;
}

export function createOpenCalls(send: (text: string) => void): OpenCalls {
  const open = new Map<number, OpenCall>();
  const streams = new Map<string, (event: never) => void>();
  let lastId = 0;

  function begin<T>(method: string, params: object, isRepeated: boolean): Promise<T> {
    lastId += 1;
    const id = lastId;
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    return new Promise<T>((resolve, reject) => {
      open.set(id, { text, isRepeated, resolve, reject });
      send(text);
    });
  }

  return {
    call: (method, params) => begin(method, params, READS.has(method) || !method.startsWith('page.')),
    stream(method, params, onEvent) {
      const stream = `s${lastId + 1}`;
      streams.set(stream, onEvent);
      // Its answer comes when it ends, and it ends with the connection, which tells of its end by itself.
      begin(method, { ...params, stream }, false).then(nothing, nothing);
    },
    take(text) {
      const message: Message = JSON.parse(text);
      if (message.method === 'stream.event') return streams.get(message.params.stream)?.(message.params.event);
      const call = open.get(message.id);
      open.delete(message.id);
      if (message.error == null) call?.resolve(message.result);
      else call?.reject(new Error(message.error.message));
    },
    resend() {
      for (const { text } of open.values()) send(text);
    },
    breakOff() {
      streams.clear();
      for (const [id, { isRepeated, reject }] of open) {
        if (isRepeated) continue;
        open.delete(id);
        reject(new Error('the hub went away meanwhile: look whether it was done'));
      }
    },
  };
}

function nothing(): void {
  // Nothing follows.
}
