import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { openContext } from '../command_line/command_context.js';
import type { takeSignals } from '../command_line/interruption.js';
import { EXIT, exitCodeOf, renderFailure } from '../output/failure.js';
import { readTurnOptions } from '../turn/turn_options.js';
import { createRunningCalls } from './running_calls.js';
import { createToolServer } from './tool_server.js';

/** How long what runs may take to end after the agent is gone. */
const END_MS_MAX = 5_000;

/** Serves the agent at standard input and output until the input ends; resolves to the exit code. */
export async function serveAgents(
  input: Parameters<typeof readTurnOptions>[0],
  { json, onSignal }: { json: boolean; onSignal: typeof takeSignals },
): Promise<number> {
  try {
    const context = openContext({ json, color: 'never', paged: false });
    const options = await readTurnOptions(input, context);
    const calls = createRunningCalls();
    let code: number = EXIT.ok;
    const signalled = new Promise<void>((resolve) => {
      onSignal((signal) => {
        code = signal;
        resolve();
      });
    });
    const onerror = (error: Error): void => context.note(`(from the agent: ${error.message})`);
    const server = serveStdio(() => createToolServer({ context, options, calls }), { onerror });
    await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), signalled]);
    await calls.end(END_MS_MAX);
    await server.close();
    await context.close();
    return code;
  } catch (error) {
    process.stderr.write(renderFailure(error, json));
    return exitCodeOf(error);
  }
}
