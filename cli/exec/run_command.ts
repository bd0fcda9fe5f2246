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
  /** Where it runs; null for the folder of the branch. */
  cwd: string | null;
  timeoutMs: number | null;
  policy: Policy;
  /** Whether it goes on without us. */
  detached: boolean;
  /** Whether it becomes a node. */
  append: boolean;
}

/** What is done with what the command prints. */
export interface Watching {
  onEvent(event: CommandEvent): void | Promise<void>;
  /** Nobody waits for the reader of the output any more. */
  hurry(): void;
  /** There is no more to come. */
  end(): Promise<void>;
}

/** How a command ended: its answer, and the exit code of the signal that ended it or us; the answer is null when it never began. */
export interface Ended {
  answer: ToolAnswer | null;
  interrupted: number | null;
}

/** Runs a command to its end. The first signal cancels it, and its answer is waited for, so that its node tells. */
export async function execute(context: Context, execution: Execution, watching: Watching): Promise<Ended> {
  const client = await context.client();
  const begun = beginExecution(context, { execution, client, onEvent: watching.onEvent });
  const stop = (): void => {
    watching.hurry();
    begun.stop();
  };
  const { result, interrupted } = await interruptible(() => begun.answer, stop);
  await watching.end();
  return { answer: result, interrupted };
}

/** A command that runs: null is the answer of one that was stopped before it began. */
export interface BegunExecution {
  answer: Promise<ToolAnswer | null>;
  stop(): void;
}

interface Beginning {
  execution: Execution;
  client: Client;
  onEvent: Watching['onEvent'];
}

/** Begins to run a command, and leaves it to the caller what stops it. */
export function beginExecution(context: Context, { execution, client, onEvent }: Beginning): BegunExecution {
  const abort = new AbortController();
  let hasBegun = false;
  const take = (event: CommandEvent): void | Promise<void> => {
    hasBegun = true;
    return onEvent(event);
  };
  const attempt = async (): Promise<ToolAnswer> => {
    const session = await openShell(context, execution);
    const { tree, parent, id, command, cwd, timeoutMs, detached, append } = execution;
    const asked = { id, session, command, cwd, detached, place: { tree: tree.id, node: parent }, append };
    return client.stream('bash.execute', { ...asked, timeout_ms: timeoutMs }, { onEvent: take, signal: abort.signal });
  };
  return {
    answer: answerTo(attempt, { signal: abort.signal, repeats: execution.append }),
    stop() {
      client.call('bash.cancel', { id: execution.id }).then(
        // One that has begun and runs no more has its answer on the way.
        ({ cancelled }) => (cancelled || hasBegun ? undefined : abort.abort()),
        () => abort.abort(),
      );
    },
  };
}

/** The answer of a command; null when it was given up before it began. */
async function answerTo(
  attempt: () => Promise<ToolAnswer>,
  { signal, repeats }: { signal: AbortSignal; repeats: boolean },
): Promise<ToolAnswer | null> {
  try {
    // Of one that leaves no node nobody could tell that it has run already.
    return await (repeats ? onceMore(attempt) : attempt());
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** The tools may die with the call, or with its session: the same id runs once, so asking again tells what became of it. */
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

/** Starts a command that goes on without us; resolves when it has begun. */
export async function startDetached(context: Context, execution: Execution): Promise<void> {
  const begun = new AbortController();
  const hasBegun = new Promise<void>((resolve) => begun.signal.addEventListener('abort', () => resolve()));
  const watching: Watching = { onEvent: () => begun.abort(), hurry: () => undefined, end: async () => undefined };
  // What it comes to is told by its node; only a failure to begin is told here.
  await Promise.race([hasBegun, execute(context, execution, watching)]);
}
