import { HubError } from '../../../hub/base/error.js';
import { parse } from '../../command_line/args.js';
import type { Command } from '../../command_line/command.js';
import { formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import { hintInChat } from '../conversation/hint_in_chat.js';
import type { Repl, ReplCommand } from '../repl.js';
import { wordsOf } from '../tree/split_words.js';
import { type Bound, boundedSink } from './bounded_output.js';

/** What of a command of the command line is a command here, too. */
interface CliCommand extends Pick<ReplCommand, 'usage' | 'summary' | 'completes'> {
  name: string;
  /** The words that the command gets before those of the person: the tree, as a rule. */
  before: readonly string[];
  /** How much is shown to a person of what it prints; null for all. */
  bound: Bound | null;
  load(): Promise<Command>;
}

/** A command that does here what it does on the command line, seen from where the person stands. */
export function cliCommand({ name, usage, summary, completes, before, bound, load }: CliCommand): ReplCommand {
  return {
    ...{ name, usage, summary, completes },
    details: async () => optionsOf(await load()).filter(([option]) => usage.includes(option.split(' ')[0] ?? option)),
    async run(argument, repl) {
      const words = wordsOf(argument);
      await repl.conversation().ensure();
      const call = { words: [...before, ...words], label: { name, usage }, bound };
      await runCliCommand(await load(), call, repl);
    },
  };
}

/** The options of a command, and what they mean. */
function optionsOf({ flags, values }: Command): [string, string][] {
  return [
    ...flags.map(({ name, description }): [string, string] => [`--${name}`, description]),
    ...values.map(({ name, value, choices, description }): [string, string] => [
      `--${name} ${value}`,
      choices === null ? description : `${choices.join(', ')}; ${description}`,
    ]),
  ];
}

interface CommandCall {
  words: readonly string[];
  /** How the command is called here, and what may follow it. */
  label: Pick<ReplCommand, 'name' | 'usage'>;
  bound: Bound | null;
}

/** Runs a command of the command line; what it prints is shown on the front. */
export async function runCliCommand(command: Command, { words, label, bound }: CommandCall, repl: Repl): Promise<void> {
  const { context, front } = repl;
  const parsed = await readWords(command, words, { ...label, columns: front.columns() });
  // Its own help tells how it is called elsewhere.
  if (parsed.kind === 'help') return front.show({ kind: 'text', text: `See: /help ${label.name}\n` });
  const here = { ...context, json: parsed.json };
  if (bound === null || !front.attended || parsed.json) {
    await parsed.command.run(parsed.input, here);
    return;
  }
  const out = boundedSink(context.out, bound);
  await parsed.command.run(parsed.input, { ...here, out });
  const { lines, shown } = await out.finish();
  if (shown === lines) return;
  const tree = shortId(repl.conversation().place.tree);
  const all = ['cognition', command.name, ...words.map((word) => (word === '@' ? tree : word))].join(' ');
  const which = `the ${bound.keeps} ${formatNumber(shown)} of ${formatNumber(lines)} lines`;
  await front.show({ kind: 'note', text: `(these are ${which}; all of them, in a shell: ${all})` });
}

type Label = Pick<ReplCommand, 'name' | 'usage'>;

async function readWords(command: Command, words: readonly string[], label: Label & { columns: number }) {
  try {
    return await parse([command.name, ...words], [command], label.columns);
  } catch (error) {
    throw inWordsOfHere(error, label);
  }
}

/** What is wrong with the words, as somebody knows it who sees neither the tree nor the program's name in them. */
function inWordsOfHere(error: unknown, { name, usage }: Label): unknown {
  if (!(error instanceof HubError) || error.kind !== 'invalid_params') return error;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const messages: Record<string, string> = {
    'commander.excessArguments': `these are too many words for /${name}`,
    'commander.missingArgument': `/${name} takes more words`,
    'commander.unknownOption': `/${name}: ${error.message}`,
  };
  const guess = hintInChat(error.hint ?? '');
  const near = guess.startsWith('did you mean --') && !guess.includes('--help') ? `${guess} ` : '';
  return new HubError('invalid_params', messages[code] ?? error.message, {
    hint: `${near}/${name} ${usage}`.trimEnd(),
    cause: error,
  });
}
