import { onAbort, raceAbort } from '../../hub/base/abort.js';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand, rpcMethod } from '../../hub/base/hint.js';
import type { CallContext, Handler } from '../../hub/base/plugin.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { NodeId } from '../../hub/protocol/node.js';
import type { BashCommand } from './bash_command.js';
import { follow } from './follow_output.js';
import { otherCommand } from './look_up_command.js';
import type { Recovering } from './recover_commands.js';
import { createEntries, type Entry } from './running_commands.js';
import type { Sessions } from './sessions.js';
import type { BashParts } from './start_command.js';

export interface ExecutionParts extends BashParts {
  sessions: Sessions;
  recovering: Recovering;
}

/** The commands that run. */
export interface CommandCalls {
  execute: Handler<'bash.execute'>;
  follow: Handler<'bash.follow'>;
  list(): ResultOf<'bash.list'>['commands'];
  /** False when no such command runs; resolves when it has ended. */
  cancel(id: NodeId): Promise<boolean>;
  /** Ends the commands of a session, or of all; resolves when what they came to is kept, or cannot be. */
  endSession(session: string | null, reason: string): Promise<void>;
  isBusy(session: string): boolean;
  running(): number;
}

/** Runs commands, each id once. */
export function createExecution(parts: ExecutionParts): CommandCalls {
  const entries = createEntries(parts);

  function running(id: NodeId): BashCommand {
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
      const joined = entries.get(id);
      if (joined !== undefined && joined.text !== params.command) throw otherCommand(id);
      const asked = { id, context, streams: params.stream !== undefined };
      return joined === undefined ? run(entries.enter(id, params), asked) : join(joined, asked);
    },
    async follow({ id, offset }, context) {
      const command = running(id);
      await follow(command, context, { offset, paces: false });
      return { total_bytes: command.spool.totalBytes() };
    },
    list: () => entries.all().flatMap(({ command }) => (command === null ? [] : [listed(command)])),
    async cancel(id) {
      const entry = entries.get(id);
      await entry?.stop('cancelled', 'SIGINT');
      return entry !== undefined;
    },
    async endSession(session, reason) {
      const ended = entries.all().filter((entry) => session === null || entry.session === session);
      await Promise.all(
        ended.map(async (entry) => {
          await entry.stop(reason, 'SIGTERM');
          await entry.command?.answer.catch(() => null); // whoever asked for it is told
        }),
      );
    },
    isBusy: (session) => entries.all().some((entry) => entry.session === session),
    running: () => entries.all().length,
  };
}

interface AskedCall {
  id: NodeId;
  context: CallContext;
  streams: boolean;
}

/** Serves whom a command is run for: it goes no faster than they read, and ends with their call. */
async function run(entry: Entry, { id, context, streams }: AskedCall): Promise<ToolAnswer> {
  const { signal } = context;
  // A failure to stop it is a failure of its answer, which is awaited below.
  const stopListening = onAbort(signal, () => detach(entry.stop('cancelled', 'SIGINT'), () => undefined));
  try {
    const begun = await entry.begun;
    if (begun.kind === 'stored') return begun.answer;
    if (streams) await tellAll(begun.command, { id, context, paces: true });
    return await begun.command.answer;
  } finally {
    stopListening();
  }
}

/** Serves who asks for a command that runs already. */
async function join(entry: Entry, { id, context, streams }: AskedCall): Promise<ToolAnswer> {
  const begun = await entry.begun;
  if (begun.kind === 'stored') return begun.answer;
  if (streams) await tellAll(begun.command, { id, context, paces: false });
  return raceAbort(
    begun.command.answer,
    context.signal,
    () => new HubError('cancelled', `waiting for the command ${id.slice(0, 8)} was given up`),
  );
}

async function tellAll(
  command: BashCommand,
  { id, context, paces }: { id: NodeId; context: CallContext; paces: boolean },
) {
  const { cwd, sandbox } = command.begun;
  context.emit({ kind: 'started', id, cwd, sandbox });
  await follow(command, context, { offset: 0, paces });
}

function listed({ begun, spool }: BashCommand): ResultOf<'bash.list'>['commands'][number] {
  const { id, session, command, cwd, sandbox, place, started_at_ms } = begun;
  return { id, session, command, cwd, sandbox, place, started_at_ms, output_bytes: spool.totalBytes() };
}
