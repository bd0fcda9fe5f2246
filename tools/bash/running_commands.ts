import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { BashCommand } from './bash_command.js';
import { lookUp } from './look_up_command.js';
import type { Sessions } from './sessions.js';
import { type BashParts, startCommand } from './start_command.js';

/** The most commands at once. */
const RUNNING_MAX = 64;

type Begin = { kind: 'running'; command: BashCommand } | { kind: 'stored'; answer: ToolAnswer };

/** A command from the moment that it is asked for. */
export interface Entry {
  text: string;
  session: string;
  begun: Promise<Begin>;
  command: BashCommand | null;
  /** Ends it, or gives it up when it has not begun; resolves when it has ended. */
  stop(reason: string, signal: NodeJS.Signals): Promise<void>;
}

/** The commands that run, by their ids. */
export interface Entries {
  enter(id: NodeId, params: ParsedOf<'bash.execute'>): Entry;
  get(id: NodeId): Entry | undefined;
  all(): Entry[];
}

/** Starts with none. */
export function createEntries(parts: BashParts & { sessions: Sessions }): Entries {
  const entries = new Map<NodeId, Entry>();

  async function begin(id: NodeId, params: ParsedOf<'bash.execute'>, signal: AbortSignal): Promise<Begin> {
    const { stored, branch } = await lookUp(parts, id, params);
    // What has been run is told also when its session is gone.
    if (stored !== null) return { kind: 'stored', answer: stored };
    const session = parts.sessions.get(params.session);
    if (signal.aborted) throw notBegun(id);
    return { kind: 'running', command: await startCommand(parts, { ...params, id, session, branch }) };
  }

  async function untilEnd(entry: Entry): Promise<void> {
    const made = await entry.begun;
    if (made.kind === 'stored') return;
    entry.command = made.command;
    await made.command.answer;
  }

  return {
    enter(id, params) {
      if (entries.size >= RUNNING_MAX) throw tooMany();
      const abort = new AbortController();
      const begun = begin(id, params, abort.signal);
      const entry: Entry = {
        ...{ text: params.command, session: params.session, begun, command: null },
        async stop(reason, signal) {
          abort.abort();
          // One that could not begin has ended as well; whoever asked for it is told why.
          const made = await begun.catch(() => null);
          if (made?.kind === 'running') await made.command.stop(reason, signal);
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
