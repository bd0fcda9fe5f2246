import type { AvailableCommand } from '@agentclientprotocol/sdk/unstable';
import { HubError } from '../../../hub/base/error.js';
import { REPL_COMMANDS } from '../commands/chat_command_table.js';

/** Commands of the chat that make sense in an editor; it opens and leaves conversations itself. */
const NAMES: ReadonlySet<string> = new Set([
  ...['tree', 'branches', 'back', 'fork', 'switch', 'goto', 'leaves', 'compare', 'search', 'mark', 'clear'],
  ...['retry', 'answer', 'model', 'level', 'web', 'thinking', 'compact', 'reload', 'plan', 'execute'],
  ...['cost', 'jobs', 'context', 'log', 'files', 'git', 'rename'],
]);

const COMMANDS = REPL_COMMANDS.filter(({ name }) => NAMES.has(name));

export const AVAILABLE_COMMANDS: readonly AvailableCommand[] = COMMANDS.map(({ name, summary, usage }) => ({
  ...{ name, description: summary },
  input: usage === '' ? null : { hint: usage },
}));

/** Refuses a command that only a terminal has. */
export function refuseOther(name: string): void {
  if (NAMES.has(name) || !REPL_COMMANDS.some((one) => one.name === name)) return;
  throw new HubError('invalid_params', `/${name} is for the chat in a terminal`, {
    hint: 'open, load and close conversations in the editor itself',
  });
}
