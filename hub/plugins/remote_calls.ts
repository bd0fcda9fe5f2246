import { onAbort, throwIfCancelled } from '../base/abort.js';
import { detach, neverFails } from '../base/detach.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import type { CallContext, Plugin } from '../base/plugin.js';
import { ErrorData } from '../protocol/errors.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { PluginRequest } from '../protocol/methods/plugin_methods.js';

/** The process that currently serves the plugins, by its connection. */
export interface Serving {
  connection: number;
  send(request: PluginRequest): void;
}

interface RunningCall {
  about: string;
  context: CallContext;
  resolve(result: unknown): void;
  reject(error: HubError): void;
}

/** Running calls that another process serves. */
export interface PluginCalls {
  /** Sends a call there and waits for its answer; its events go to its caller. */
  forward(to: Serving, call: ForwardedCall): Promise<unknown>;
  emit(id: number, event: unknown): ResultOf<'plugins.emit'>;
  answer(id: number, outcome: Outcome): void;
  /** Fails every call, because the process has ended. */
  failAll(): void;
}

export interface ForwardedCall {
  /** The name of what is called, for errors. */
  about: string;
  request(id: number): PluginRequest;
  context: CallContext;
}

type AnswerHandler = NonNullable<Plugin['methods']['plugins.answer']>;
type Outcome = Parameters<AnswerHandler>[0]['outcome'];

/** Starts an empty register of calls. */
export function createPluginCalls(): PluginCalls {
  const running = new Map<number, RunningCall>();
  const servers = new Map<number, Serving>();
  let lastId = 0;

  /** Sent after an answer that said that there is no room. */
  async function reportRoom(id: number, context: CallContext): Promise<void> {
    await context.drained();
    servers.get(id)?.send({ kind: 'room', id });
  }

  return {
    async forward(to, { about, request, context }) {
      throwIfCancelled(context.signal, about);
      lastId += 1;
      const id = lastId;
      const stopListening = onAbort(context.signal, () => to.send({ kind: 'cancel', id }));
      servers.set(id, to);
      try {
        return await new Promise((resolve, reject) => {
          running.set(id, { about, context, resolve, reject });
          to.send(request(id));
        });
      } finally {
        running.delete(id);
        servers.delete(id);
        stopListening();
      }
    },
    emit(id, event) {
      const context = running.get(id)?.context;
      if (context === undefined) return { room: true };
      context.emit(Object(event));
      const room = context.hasRoom();
      if (!room) detach(reportRoom(id, context), neverFails);
      return { room };
    },
    answer(id, outcome) {
      const call = running.get(id);
      if (outcome.kind === 'result') call?.resolve(outcome.result);
      else call?.reject(errorFrom(outcome.failure));
    },
    failAll() {
      for (const { about, reject } of running.values()) reject(processEnded(about));
    },
  };
}

function errorFrom({ message, data }: { message: string; data: unknown }): HubError {
  const { kind, hint, retryable, details } = ErrorData.parse(data);
  return new HubError(kind, message, { ...(hint === null ? {} : { hint }), retryable, details });
}

function processEnded(about: string): HubError {
  return new HubError('unreachable', `the process of the tools ended before it answered ${about}`, {
    hint: ['it is started again by itself; the reason is in the log: ', cliCommand('hub logs')],
    retryable: true,
  });
}
