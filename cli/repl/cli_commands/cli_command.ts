import { HubError } from '../../../hub/base/error.js';
import type { Hint } from '../../../hub/protocol/errors.js';
import { parse } from '../../command_line/args.js';
import type { Command } from '../../command_line/command.js';
import type { Context } from '../../command_line/command_context.js';
import type { Sink } from '../../output/sink.js';
import { formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import { hintInChat } from '../conversation/hint_in_chat.js';
import type { Repl, ReplCommand } from '../repl.js';
import { wordsOf } from '../tree/split_words.js';
import { type Bound, boundedSink } from './bounded_output.js';
import { pageLong } from './page_long.js';

/** A command of the command line, offered in the chat. */
interface CliCommand extends Pick<ReplCommand, 'usage' | 'summary' | 'completes'> {
  name: string;
  /** Words that precede those of the person: usually the tree. */
  before: readonly string[];
  /** How much of the output a person is shown; null for all. */
  bound: Bound | null;
  load(): Promise<Command>;
}

/** Makes a chat command of one of the command line; it runs at the position of the chat. */
export function cliCommand({ name, usage, summary, completes, before, bound, load }: CliCommand): ReplCommand {
  return {
    ...{ name, usage, summary, completes },
    details: async () => optionsOf(await load()).filter(([option]) => usage.includes(option.split(' ')[0] ?? option)),
    async run(argument, repl) {
      const words = wordsOf(argument);
      // Only what is about the conversation makes one.
      if ([...before, ...words].includes('@')) await repl.conversation().ensure();
      const call = { words: [...before, ...words], label: { name, usage }, bound };
      await runCliCommand(await load(), call, repl);
    },
  };
}

/** The options of a command and their descriptions. */
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
  /** Its name and usage in the chat. */
  label: Pick<ReplCommand, 'name' | 'usage'>;
  bound: Bound | null;
}

/** Runs a command of the command line; what it prints is shown on the front. */
export async function runCliCommand(command: Command, { words, label, bound }: CommandCall, repl: Repl): Promise<void> {
  const { context, front } = repl;
  const parsed = await readWords(command, words, { ...label, columns: front.columns() });
  // Its own help shows the usage on the command line.
  if (parsed.kind === 'help') return front.show({ kind: 'text', text: `See: /help ${label.name}\n` });
  const here = { ...context, json: parsed.json };
  if (bound === null || !front.attended || parsed.json) {
    await parsed.command.run(parsed.input, here);
    return;
  }
  const { text, lines, notes } = await outputOf((parts) => parsed.command.run(parsed.input, { ...here, ...parts }), {
    bound,
    note: here.note,
  });
  if (await pageLong(front, text)) return notes.forEach(context.note);
  const out = boundedSink(context.out, bound);
  await out.write(text);
  const { shown } = await out.finish();
  notes.forEach(context.note);
  if (shown === lines) return;
  const tree = shortId(repl.conversation().place.tree);
  const all = ['cognition', command.name, ...words.map((word) => (word === '@' ? tree : word))].join(' ');
  const which = `the ${bound.keeps} ${formatNumber(shown)} of ${formatNumber(lines)} lines`;
  await front.show({ kind: 'note', text: `(these are ${which}; all of them, in a shell: ${all})` });
}

/** Nobody reads more in a chat. */
const LINES_PAGED_MAX = 10_000;

/** What a command prints, and what it notes after that, kept until it ends. */
async function outputOf(
  run: (parts: Pick<Context, 'out' | 'note'>) => Promise<unknown>,
  { bound, note }: { bound: Bound; note: Context['note'] },
) {
  let text = '';
  const notes: Hint[] = [];
  const kept: Sink = {
    write: async (added) => {
      text += added;
    },
    end: async () => undefined,
  };
  const out = boundedSink(kept, { ...bound, lines: LINES_PAGED_MAX });
  await run({ out, note: (hint) => (text === '' ? note(hint) : notes.push(hint)) });
  const { lines } = await out.finish();
  return { text, lines, notes };
}

type Label = Pick<ReplCommand, 'name' | 'usage'>;

async function readWords(command: Command, words: readonly string[], label: Label & { columns: number }) {
  try {
    return await parse([command.name, ...words], [command], label.columns);
  } catch (error) {
    throw errorInChat(error, label);
  }
}

/** Rewords an argument error for the chat, where neither the tree nor the program's name is typed. */
function errorInChat(error: unknown, { name, usage }: Label): unknown {
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
