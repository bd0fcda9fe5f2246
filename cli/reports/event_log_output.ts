import type { LogHeader, LogNode } from '../../hub/protocol/event_log.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import type { Look } from '../render/look/look.js';
import { logLineText, turnEventText } from '../render/reports/log_entry.js';

/** How much is gathered before it is written. */
const PIECE_LENGTH = 64 * 1024;

/** Shows the lines of a log. */
export interface LogOutput {
  /** Whether a line waits for what the request used that made its node. */
  waitsForUsage: boolean;
  begin(header: LogHeader): Promise<void>;
  take(line: LogNode): Promise<void>;
  /** What happens in a turn and is no node. */
  happened(event: AgentEvent): Promise<void>;
  /** Shows what was gathered. */
  flush(): Promise<void>;
}

/** The lines as they stand in the file of the tree. */
export function rawLog({ out }: Context): LogOutput {
  const piece = gathered((text) => out.write(text));
  return {
    waitsForUsage: true,
    begin: (header) => piece.add(JSON.stringify(header)),
    take: (line) => piece.add(JSON.stringify(line)),
    happened: async () => undefined,
    flush: piece.flush,
  };
}

/** A short line for each. */
export function shownLog({ out }: Context, look: Look): LogOutput {
  const piece = gathered((text) => out.write(text));
  return {
    waitsForUsage: false,
    begin: async () => undefined,
    take: (line) => piece.add(logLineText(line, look)),
    happened: async (event) => {
      const text = turnEventText(event, { ...look, nowMs: Date.now() });
      if (text !== null) await piece.add(text);
    },
    flush: piece.flush,
  };
}

function gathered(write: (text: string) => Promise<void>) {
  let held = '';
  const flush = async (): Promise<void> => {
    const text = held;
    held = '';
    await write(text);
  };
  return {
    flush,
    async add(line: string): Promise<void> {
      held += `${line}\n`;
      if (held.length >= PIECE_LENGTH) await flush();
    },
  };
}
