import type { LogHeader, LogNode } from '../../hub/protocol/event_log.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { jsonText } from '../output/json_text.js';
import type { Look } from '../render/look/look.js';
import { logLineText, turnEventText } from '../render/reports/log_entry.js';

/** How much is buffered before it is written. */
const PIECE_LENGTH = 64 * 1024;

/** Prints the lines of a log. */
export interface LogOutput {
  /** Whether the line of a node waits for the usage of the request that made it. */
  waitsForUsage: boolean;
  begin(header: LogHeader): Promise<void>;
  node(line: LogNode): Promise<void>;
  /** Prints an event of a turn, which is no node. */
  event(event: AgentEvent): Promise<void>;
  /** Writes what is buffered. */
  flush(): Promise<void>;
}

/** The lines as in the file that the hub keeps. */
export function jsonLines({ out }: Context): LogOutput {
  const piece = buffered((text) => out.write(text));
  return {
    waitsForUsage: true,
    begin: (header) => piece.add(jsonText(header)),
    node: (line) => piece.add(jsonText(line)),
    event: async () => undefined,
    flush: piece.flush,
  };
}

/** A short line for each node and event. */
export function shortLines({ out }: Context, look: Look): LogOutput {
  const piece = buffered((text) => out.write(text));
  return {
    waitsForUsage: false,
    begin: async () => undefined,
    node: (line) => piece.add(logLineText(line, look)),
    event: async (event) => {
      const text = turnEventText(event, { ...look, nowMs: Date.now() });
      if (text !== null) await piece.add(text);
    },
    flush: piece.flush,
  };
}

function buffered(write: (text: string) => Promise<void>) {
  let buffer = '';
  const flush = async (): Promise<void> => {
    const text = buffer;
    buffer = '';
    await write(text);
  };
  return {
    flush,
    async add(line: string): Promise<void> {
      buffer += `${line}\n`;
      if (buffer.length >= PIECE_LENGTH) await flush();
    },
  };
}
