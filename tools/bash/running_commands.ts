import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { BashCommand } from './bash_command.js';
import { lookUpCommand } from './look_up_command.js';
import type { Sessions } from './sessions.js';
import { type BashParts, startCommand } from './start_command.js';

/** The most commands at the same time. */
const RUNNING_MAX = 64;

type CommandBegin = { kind: 'running'; command: BashCommand } | { kind: 'stored'; answer: ToolAnswer };

/** A command from the moment of its call. */
export interface CommandEntry {
  text: string;
  session: string;
  begin: Promise<CommandBegin>;
  command: BashCommand | null;
  /** Ends it, or cancels it before it begins; resolves when it has ended. */
  stop(reason: string, signal: NodeJS.Signals): Promise<void>;
}

/** The running commands, by id. */
export interface RunningCommands {
  enter(id: NodeId, params: ParsedOf<'bash.execute'>): CommandEntry;
  get(id: NodeId): CommandEntry | undefined;
  all(): CommandEntry[];
}

export function createRunningCommands(parts: BashParts & { sessions: Sessions }): RunningCommands {
  const entries = new Map<NodeId, CommandEntry>();

  async function begin(id: NodeId, params: ParsedOf<'bash.execute'>, signal: AbortSignal): Promise<CommandBegin> {
    const { stored, branch, begunAtMs } = await lookUpCommand(parts, id, params);
    // A stored result is returned even when its session is gone.
    if (stored !== null) return { kind: 'stored', answer: stored };
    const session = parts.sessions.get(params.session);
    if (signal.aborted) throw notBegun(id);
    return { kind: 'running', command: await startCommand(parts, { ...params, id, session, branch, begunAtMs }) };
  }

  async function untilEnd(entry: CommandEntry): Promise<void> {
    const result = await entry.begin;
    if (result.kind === 'stored') return;
    entry.command = result.command;
    await result.command.answer;
  }

  return {
    enter(id, params) {
      if (entries.size >= RUNNING_MAX) throw tooMany();
      const abort = new AbortController();
      const beginning = begin(id, params, abort.signal);
      const entry: CommandEntry = {
        ...{ text: params.command, session: params.session, begin: beginning, command: null },
        async stop(reason, signal) {
          abort.abort();
          // One that could not begin has ended as well; its caller gets the failure.
          const result = await beginning.catch(() => null);
          if (result?.kind === 'running') await result.command.stop(reason, signal);
        },
      };
      entries.set(id, entry);
      // A failure is reported to the callers of the command.
      detach(
        untilEnd(entry).finally(() => entries.delete(id)),
        () => undefined,
      );
      return entry;
    },
    get: (id) => entries.get(id),
    all: () => [...entries.values()],
  };
}

function notBegun(id: string): HubError {
  return new HubError('cancelled', `the command ${id.slice(0, 8)} was cancelled before it began`);
}

function tooMany(): HubError {
  return new HubError('limit', `${RUNNING_MAX} commands are running`, {
    hint: ['wait for one to end, or cancel one: ', rpcMethod('bash.list'), ' tells which'],
    retryable: true,
  });
}
