import { HubError } from '../../../hub/base/error.js';
import { nearest } from '../../../hub/base/nearest_word.js';
import { ownMessage } from '../../input/own_command.js';
import { exitCodeOf } from '../../output/failure.js';
import { REPL_COMMANDS } from '../commands/chat_command_table.js';
import { hintElsewhere, nameHere } from '../commands/other_programs_commands.js';
import { showFailure } from '../conversation/conversation_parts.js';
import type { Repl, ReplCommand } from '../repl.js';
import { dropQuestion } from '../tree/go_with_files.js';

/** Runs a line: a command, a `!` command for bash, or a message. Shows a failure instead of throwing it. */
export async function takeLine(text: string, when: 'now' | 'after', repl: Repl): Promise<void> {
  const line = text.trim();
  if (line === '') return;
  // Whoever says something else has answered.
  if (!/^\/files\b/i.test(line)) dropQuestion(repl);
  try {
    const command = commandIn(line);
    if (command !== null) await runCommandLine(command, repl);
    else if (line.startsWith('!')) await runShellLine(line, repl);
    else await repl.speaking.say(text, when);
  } catch (error) {
    repl.verdict.failed(exitCodeOf(error));
    await showFailure(repl.front, error);
  } finally {
    // A command may have changed the settings of the next turn.
    repl.front.update({});
  }
}

interface CommandLine {
  name: string;
  argument: string;
  isOneLine: boolean;
}

// A path is not a command: its first word has more than one slash.
const COMMAND = /^\/([\w?-]*)(?:\s+(.*))?$/s;

/** The command that a line is; null for a message. */
export function commandIn(line: string): CommandLine | null {
  if (line === '?') return { name: 'help', argument: '', isOneLine: true };
  const found = COMMAND.exec(line);
  if (found === null) return null;
  const command = { name: found[1] ?? '', argument: found[2]?.trim() ?? '', isOneLine: !line.includes('\n') };
  // Several lines that only begin like a command are a message.
  return command.isOneLine || commandCalled(command.name) !== undefined ? command : null;
}

/** Commands whose argument may have several lines. */
const TEXTS: ReadonlySet<string> = new Set(['queue', 'answer', 'compact', 'work', 'race', 'merge']);

function commandCalled(name: string): ReplCommand | undefined {
  return REPL_COMMANDS.find((one) => one.name === nameHere(name.toLowerCase()));
}

/** The argument; refused where the command takes none, or only one line. */
function checkedWords({ name, usage }: ReplCommand, { argument, isOneLine }: CommandLine): string {
  if (argument !== '' && usage === '') {
    throw new HubError('invalid_params', `/${name} takes nothing after it`, { hint: `/${name}` });
  }
  if (!isOneLine && !TEXTS.has(name)) {
    throw new HubError('invalid_params', `/${name} takes one line`, { hint: `/${name} ${usage}`.trimEnd() });
  }
  return argument;
}

async function runCommandLine(line: CommandLine, repl: Repl): Promise<void> {
  const { name, argument } = line;
  await repl.front.show({ kind: 'typed_line', text: `/${name} ${argument}`.trimEnd() });
  const command = commandCalled(name);
  if (command !== undefined) return command.run(checkedWords(command, line), repl);
  const own = await ownMessage(repl, name, argument);
  if (own !== null) return repl.speaking.say(own, 'now');
  const wanted = name.toLowerCase();
  const names = REPL_COMMANDS.map((one) => one.name);
  const near = names.find((one) => one.startsWith(wanted)) ?? nearest(wanted, names);
  throw new HubError('invalid_params', `there is no command /${name}`, {
    hint: hintElsewhere(wanted) ?? (near === null ? '/help lists them' : `did you mean /${near}?`),
  });
}

async function runShellLine(line: string, repl: Repl): Promise<void> {
  const isKept = !line.startsWith('!!');
  const command = line.slice(isKept ? 1 : 2).trim();
  await repl.front.show({ kind: 'typed_line', text: line });
  if (command === '') throw new HubError('invalid_params', 'there is no command after the !', { hint: '!ls' });
  await repl.shell.run(command, isKept);
}
