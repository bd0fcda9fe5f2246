import { cliCommand, nameOnCommandLine } from '../hub/base/hint.js';
import type { HintAction } from '../hub/protocol/errors.js';
import type { Command } from './command_line/command.js';
import { COMMANDS } from './command_table.js';

/** An option that the command lacks is named with a command that has it. */
export function nameFor(command: Command | null, action: HintAction): string {
  const name = nameOnCommandLine(action);
  if (action.kind !== 'option' || command === null || hasOption(command, action.option)) return name;
  const other = COMMANDS.find((entry) => entry.kind === 'command' && hasOption(entry, action.option));
  return other === undefined ? name : nameOnCommandLine(cliCommand(other.name, name));
}

function hasOption({ flags, values }: Pick<Command, 'flags' | 'values'>, option: string): boolean {
  return [...flags, ...values].some(({ name }) => name === option);
}
