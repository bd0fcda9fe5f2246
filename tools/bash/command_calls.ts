import { onAbort, raceAbort } from '../../hub/base/abort.js';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand, rpcMethod } from '../../hub/base/hint.js';
import type { CallContext, Handler } from '../../hub/base/plugin.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { NodeId } from '../../hub/protocol/node.js';
import type { BashCommand } from './bash_command.js';
import { follow, readOutput } from './follow_output.js';
import { otherCommand } from './look_up_command.js';
import type { Recovering } from './recover_commands.js';
import { type CommandEntry, createRunningCommands } from './running_commands.js';
import type { Sessions } from './sessions.js';
import type { BashParts } from './start_command.js';

export interface CommandCallsParts extends BashParts {
  sessions: Sessions;
  recovering: Recovering;
}

/** The methods of running commands. */
export interface CommandCalls {
  execute: Handler<'bash.execute'>;
  follow: Handler<'bash.follow'>;
  read: Handler<'bash.read'>;
  list(): ResultOf<'bash.list'>['commands'];
  /** False when no such command runs; else resolves when it has ended. */
  cancel(id: NodeId): Promise<boolean>;
  /** Ends the commands of a session, or all; resolves when their results are stored, or cannot be. */
  endSession(session: string | null, reason: string): Promise<void>;
  isBusy(session: string): boolean;
  running(): number;
}

/** Runs each command id once. */
export function createCommandCalls(parts: CommandCallsParts): CommandCalls {
  const entries = createRunningCommands(parts);

  function requireRunning(id: NodeId): BashCommand {
    const command = entries.get(id)?.command;
    if (command !== null && command !== undefined) return command;
    throw new HubError('not_found', `no command ${id} is running`, {
      hint: [
        rpcMethod('bash.list'),
        ' tells which are; what one that has ended printed is in its node: ',
        cliCommand('output', '<node>'),
      ],
    });
  }

  return {
    async execute(params, context) {
      const id = params.id ?? NodeId.parse(parts.newId());
      if (entries.get(id) === undefined) await parts.recovering.settle(id);
      const existing = entries.get(id);
      if (existing !== undefined && existing.text !== params.command) throw otherCommand(id);
      const call = { id, context, streams: params.stream !== undefined, background: params.background };
      return existing === undefined ? run(entries.enter(id, params), call) : join(existing, call);
    },
    async follow({ id, offset }, context) {
      const command = requireRunning(id);
      await follow(command, context, { offset, paces: false });
      return { total_bytes: command.spool.totalBytes() };
    },
    read: ({ id, ...wanted }, { signal }) => readOutput(requireRunning(id), wanted, signal),
    list: () => entries.all().flatMap(({ command }) => (command === null ? [] : [listing(command)])),
    async cancel(id) {
      const entry = entries.get(id);
      await entry?.stop('cancelled', 'SIGINT');
      return entry !== undefined;
    },
    async endSession(session, reason) {
      const ending = entries.all().filter((entry) => session === null || entry.session === session);
      await Promise.all(
        ending.map(async (entry) => {
          await entry.stop(reason, 'SIGTERM');
          await entry.command?.answer.catch(() => null); // its caller gets the failure
        }),
      );
    },
    isBusy: (session) => entries.all().some((entry) => entry.session === session),
    running: () => entries.all().length,
  };
}

interface CommandCall {
  id: NodeId;
  context: CallContext;
  streams: boolean;
  /** Whether its caller is told only that it runs, and reads what it prints when that is wanted. */
  background: boolean;
}

/** Serves the caller that starts a command: it runs no faster than its output is read, and ends with the call. */
async function run(entry: CommandEntry, { id, context, streams, background }: CommandCall): Promise<ToolAnswer> {
  const { signal } = context;
  // A failure to stop it is a failure of its answer, which is awaited below.
  const stopListening = onAbort(signal, () => detach(entry.stop('cancelled', 'SIGINT'), () => undefined));
  try {
    const begin = await entry.begin;
    if (begin.kind === 'stored') return begin.answer;
    if (streams && background) emitStarted(begin.command, id, context);
    else if (streams) await emitAll(begin.command, { id, context, paces: true });
    return await begin.command.answer;
  } finally {
    stopListening();
  }
}

/** Serves a second caller of a running command. */
async function join(entry: CommandEntry, { id, context, streams }: CommandCall): Promise<ToolAnswer> {
  const begin = await entry.begin;
  if (begin.kind === 'stored') return begin.answer;
  if (streams) await emitAll(begin.command, { id, context, paces: false });
  return raceAbort(
    begin.command.answer,
    context.signal,
    () => new HubError('cancelled', `waiting for the command ${id.slice(0, 8)} was given up`),
  );
}

async function emitAll(
  command: BashCommand,
  { id, context, paces }: { id: NodeId; context: CallContext; paces: boolean },
) {
  emitStarted(command, id, context);
  await follow(command, context, { offset: 0, paces });
}

function emitStarted({ start: { cwd, sandbox, is_alone } }: BashCommand, id: NodeId, context: CallContext): void {
  context.emit({ kind: 'started', id, cwd, sandbox, is_alone });
}

function listing({ start, spool }: BashCommand): ResultOf<'bash.list'>['commands'][number] {
  const { id, session, command, cwd, sandbox, place, started_at_ms } = start;
  return { id, session, command, cwd, sandbox, place, started_at_ms, output_bytes: spool.totalBytes() };
}
