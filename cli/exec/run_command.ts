import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { CommandEvent, ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { openShell } from './bash_session.js';

/** A command as a person wants it run. */
export interface Execution {
  tree: Pick<Tree, 'id'>;
  /** The node that it comes after. */
  parent: NodeId;
  /** The id of the command, and of its node. */
  id: NodeId;
  command: string;
  /** The working folder; null for that of the branch. */
  cwd: string | null;
  timeoutMs: number | null;
  policy: Policy;
  /** Whether it runs on after this client disconnects. */
  detached: boolean;
  /** Whether it begins without what earlier commands left to their shell. */
  reset: boolean;
  /** Whether it becomes a node. */
  append: boolean;
}

/** Receives the output of a command. */
export interface Watching {
  onEvent(event: CommandEvent): void | Promise<void>;
  /** From now on output that cannot be written at once is dropped. */
  hurry(): void;
  /** The output is complete. */
  end(): Promise<void>;
}

/** How a command ended: its answer, null when it never began, and the exit code of the signal that interrupted it or us. */
export interface ExecutionEnd {
  answer: ToolAnswer | null;
  interrupted: number | null;
}

/** Runs a command to its end. The first signal cancels it and awaits its answer, so that its node is complete. */
export async function execute(context: Context, execution: Execution, watching: Watching): Promise<ExecutionEnd> {
  const client = await context.client();
  const running = beginExecution(context, { execution, client, onEvent: watching.onEvent });
  const stop = (): void => {
    watching.hurry();
    running.stop();
  };
  const { result, interrupted } = await interruptible(() => running.answer, stop);
  await watching.end();
  return { answer: result, interrupted };
}

/** A running command; its answer is null when it was stopped before it began. */
export interface RunningExecution {
  answer: Promise<ToolAnswer | null>;
  stop(): void;
}

interface ExecutionStart {
  execution: Execution;
  client: Client;
  onEvent: Watching['onEvent'];
}

/** Starts a command; the caller decides what stops it. */
export function beginExecution(context: Context, { execution, client, onEvent }: ExecutionStart): RunningExecution {
  const abort = new AbortController();
  let hasStarted = false;
  const take = (event: CommandEvent): void | Promise<void> => {
    hasStarted = true;
    return onEvent(event);
  };
  const attempt = async (): Promise<ToolAnswer> => {
    const session = await openShell(context, execution);
    const { tree, parent, id, command, cwd, timeoutMs, detached, reset, append } = execution;
    const params = { id, session, command, cwd, detached, reset, place: { tree: tree.id, node: parent }, append };
    return client.stream('bash.execute', { ...params, timeout_ms: timeoutMs }, { onEvent: take, signal: abort.signal });
  };
  return {
    answer: answerTo(attempt, { signal: abort.signal, repeats: execution.append }),
    stop() {
      client.call('bash.cancel', { id: execution.id }).then(
        // If it has begun and no longer runs, its answer is on the way.
        ({ cancelled }) => (cancelled || hasStarted ? undefined : abort.abort()),
        () => abort.abort(),
      );
    },
  };
}

/** The answer of a command; null when it was aborted before it began. */
async function answerTo(
  attempt: () => Promise<ToolAnswer>,
  { signal, repeats }: { signal: AbortSignal; repeats: boolean },
): Promise<ToolAnswer | null> {
  try {
    // Only a command that becomes a node runs once per id, so only that one may be sent again.
    return await (repeats ? onceMore(attempt) : attempt());
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Tries again when the tools process died with the call or its session: the same id runs once, so the second call reports the first. */
async function onceMore<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (
      !(error instanceof HubError && (error.kind === 'not_found' || (error.kind === 'unreachable' && error.retryable)))
    )
      throw error;
    return attempt();
  }
}

/** Starts a detached command; resolves when it has begun. */
export async function startDetached(context: Context, execution: Execution): Promise<void> {
  const firstEvent = new AbortController();
  const started = new Promise<void>((resolve) => firstEvent.signal.addEventListener('abort', () => resolve()));
  const watching: Watching = { onEvent: () => firstEvent.abort(), hurry: () => undefined, end: async () => undefined };
  // Its result is in its node; only a failure to begin is reported here.
  await Promise.race([started, execute(context, execution, watching)]);
}
