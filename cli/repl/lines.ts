import { HubError } from '../../hub/error.js';
import { nearest } from '../../hub/nearest.js';
import { REPL_COMMANDS } from './command_table.js';
import type { Repl } from './repl.js';
import { showFailure } from './stage.js';

/** Does what a line says: a command, something for bash, or a message. A failure is told, and one can go on. */
export async function takeLine(text: string, when: 'now' | 'after', repl: Repl): Promise<boolean> {
  const line = text.trim();
  if (line === '') return true;
  try {
    const command = commandIn(line);
    if (command !== null) await runCommandLine(command, repl);
    else if (line.startsWith('!')) await runShellLine(line, repl);
    else return await repl.speaking.say(text, when);
    return true;
  } catch (error) {
    await showFailure(repl.front, error);
    return false;
  } finally {
    // A command may have changed what the next turn does.
    repl.front.update({});
  }
}

interface CommandLine {
  name: string;
  given: string;
}

// A path is no command: its first word has more than one slash.
const COMMAND = /^\/([\w?-]*)(?:\s+([^\n]*))?$/;

function commandIn(line: string): CommandLine | null {
  const found = COMMAND.exec(line);
  return found === null ? null : { name: found[1] ?? '', given: found[2]?.trim() ?? '' };
}

/** Other words for a command, which people try. */
const ALSO: Readonly<Record<string, string>> = { '': 'help', '?': 'help', exit: 'quit', q: 'quit' };

async function runCommandLine({ name, given }: CommandLine, repl: Repl): Promise<void> {
  await repl.front.show({ kind: 'asked', text: `/${name} ${given}`.trimEnd() });
  const said = name.toLowerCase();
  const wanted = ALSO[said] ?? said;
  const command = REPL_COMMANDS.find((one) => one.name === wanted);
  if (command !== undefined) return command.run(given, repl);
  const names = REPL_COMMANDS.map((one) => one.name);
  const near = names.find((one) => one.startsWith(wanted)) ?? nearest(wanted, names);
  throw new HubError('invalid_params', `there is no command /${name}`, {
    hint: near === null ? '/help lists them' : `did you mean /${near}?`,
  });
}

async function runShellLine(line: string, repl: Repl): Promise<void> {
  const isKept = !line.startsWith('!!');
  const command = line.slice(isKept ? 1 : 2).trim();
  if (command === '') throw new HubError('invalid_params', 'there is no command after the !', { hint: '!ls' });
  await repl.front.show({ kind: 'asked', text: line });
  await repl.shell.run(command, isKept);
}
