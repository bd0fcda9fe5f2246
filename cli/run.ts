import { parse } from './command_line/args.js';
import type { Command } from './command_line/command.js';
import { type Context, openContext } from './command_line/command_context.js';
import { endOnSignals, leaveWithReader } from './command_line/interruption.js';
import { COMMANDS } from './command_table.js';
import { nameFor } from './hint_names.js';
import { EXIT, exitCodeOf, renderFailure } from './output/failure.js';
import { columnsOf } from './output/terminal_look.js';

/** Runs one command line and ends the process with its exit code. */
export async function run(words: readonly string[]): Promise<void> {
  endOnSignals();
  leaveWithReader();
  const isJson = words.slice(0, [...words, '--'].indexOf('--')).includes('--json');
  let command: Command | null = null;
  try {
    process.exitCode = await perform(words, (found) => {
      command = found;
    });
  } catch (error) {
    process.stderr.write(renderFailure(error, isJson, (action) => nameFor(command, action)));
    process.exitCode = exitCodeOf(error);
  }
  process.exit();
}

async function perform(words: readonly string[], onFound: (command: Command) => void): Promise<number> {
  const { isTTY, columns } = process.stdout;
  const parsed = await parse(words, COMMANDS, Math.min(100, columnsOf({ isTty: isTTY === true, columns })));
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return EXIT.ok;
  }
  onFound(parsed.command);
  const context = openContext({ json: parsed.json, color: parsed.color, paged: parsed.command.paged });
  for (const warning of context.preferences.warnings) context.note(warning);
  try {
    return await parsed.command.run(parsed.input, context);
  } finally {
    await closed(context);
  }
}

/** A connection that never opened has failed the command already, so its failure to close is ignored. */
async function closed(context: Context): Promise<void> {
  await context.close().catch(() => undefined);
}
