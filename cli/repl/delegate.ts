import { parse } from '../args.js';
import type { Command } from '../command.js';
import { wordsOf } from './quoting.js';
import type { Repl, ReplCommand } from './repl.js';

/** What of a command of the command line is a command here, too. */
interface Delegated extends Pick<ReplCommand, 'usage' | 'summary' | 'completes'> {
  name: string;
  /** The words that the command gets before those of the person: the tree, as a rule. */
  before: readonly string[];
  /** Whether the rest of the line is one word, blanks included. */
  whole: boolean;
  load(): Promise<Command>;
}

/** A command that does here what it does on the command line, seen from where the person stands. */
export function delegate({ name, usage, summary, completes, before, whole, load }: Delegated): ReplCommand {
  return {
    ...{ name, usage, summary, completes },
    async run(given, repl) {
      const words = whole && given !== '' ? [given] : wordsOf(given);
      await repl.conversation().ensure();
      await runCommand(await load(), [...before, ...words], repl);
    },
  };
}

/** Runs a command of the command line; what it prints is shown on the front. */
export async function runCommand(command: Command, words: readonly string[], repl: Repl): Promise<void> {
  const asked = await parse([command.name, ...words], [command], repl.front.columns());
  if (asked.kind === 'help') await repl.front.show({ kind: 'text', text: asked.text });
  else await asked.command.run(asked.input, { ...repl.context, json: asked.json });
}
