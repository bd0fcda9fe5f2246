import type { Argument, CommanderError, Command as Parser } from 'commander';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { nearest } from '../../hub/base/nearest_word.js';
import type { Hint } from '../../hub/protocol/errors.js';
import { COLOR_CHOICES, type Command, type CommandGroup, type Input } from './command.js';
import { foreignHint } from './other_programs_options.js';

/** The words after the program's name. */
export function commandLine(): string[] {
  return process.argv.slice(2);
}

/** What a command line means. */
type ParsedLine =
  | { kind: 'help'; text: string }
  | { kind: 'run'; command: Command; input: Input<string, string, string>; json: boolean; color: string | undefined };

const FIRST_STEPS = `
First steps:
  cognition demo                  watch a conversation become a tree; needs no key
  cognition chat                  talk
  cognition chat --model demo     the same without a key; say "help" there
  cognition ask "what is this?"   one question, one answer
  cognition <command> --help      what may follow it, with examples

The same as a manual: cognition man | man -l -`;
/** Without the word [options], which nearly every command has, the summaries fit into 80 columns. */
const HELP_FORM = {
  showGlobalOptions: true,
  minWidthToWrap: 20,
  subcommandTerm: (command: Parser) => [command.name(), ...command.registeredArguments.map(argumentWord)].join(' '),
};
const EXAMPLES_HEADING = 'Examples:';
const HELP_SUMMARY = 'Show the help of a command.';

/** Parses a command line by the table; the error for unknown words names the nearest known ones. */
export async function parse(
  words: readonly string[],
  table: readonly (Command | CommandGroup)[],
  columns: number,
): Promise<ParsedLine> {
  refuseUnknownHelp(words, table);
  const { Command: ParserClass, Option } = await import('commander');
  let parsed: ParsedLine | undefined;
  let help = '';
  const make = (name: string): Parser =>
    new ParserClass(name)
      .exitOverride()
      .configureOutput({ writeOut: (text) => (help += text), writeErr: (text) => (help += text) })
      .configureHelp({ ...HELP_FORM, helpWidth: columns })
      .helpOption('-h, --help', 'show help');
  const program = make('cognition')
    .description('A terminal agent whose conversation is a tree.')
    .usage('<command> [arguments] [options]')
    .option('--json', 'print JSON instead of text')
    .addOption(new Option('--color <when>', 'colours').choices(COLOR_CHOICES))
    .option('--version', 'print the version')
    .helpCommand('help [command]', HELP_SUMMARY)
    .addHelpText('after', FIRST_STEPS);
  const matches = table.filter((entry) => entry.name === words[0]);
  // Otherwise options of the program stand anywhere.
  const passing = matches.find((entry) => entry.kind === 'command' && entry.passes);
  if (passing !== undefined) program.enablePositionalOptions();
  // Building one parser instead of all of them makes short commands noticeably faster.
  for (const entry of matches.length > 0 ? matches : table) {
    program.addCommand(
      entry.kind === 'group'
        ? groupParser(entry, make, (onParsed) => (parsed = onParsed))
        : commandParser(entry, make, (onParsed) => (parsed = onParsed)).passThroughOptions(entry === passing),
    );
  }
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : wordsMeant(words, matches), { from: 'user' });
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    // A group without a command prints its help.
    if (error.exitCode === 0 || error.code === 'commander.help') return { kind: 'help', text: help };
    throw usageError(error, words, table);
  }
  return parsed ?? { kind: 'help', text: program.helpInformation() };
}

/** The words, with those that a group alone stands for. */
function wordsMeant(words: readonly string[], [entry]: readonly (Command | CommandGroup)[]): string[] {
  const [first = '', ...rest] = words;
  const isAlone = rest.every((word) => word === '--json' || word.startsWith('--color='));
  return entry?.kind === 'group' && entry.alone !== undefined && isAlone
    ? [first, ...entry.alone, ...rest]
    : [...words];
}

/** Refuses `--help` of an unknown command, for which the parser would print the help of the whole program. */
function refuseUnknownHelp(words: readonly string[], table: readonly (Command | CommandGroup)[]): void {
  const [first = '', ...rest] = words;
  const wantsHelp = first === 'help' || rest.includes('--help') || rest.includes('-h');
  const named = first === 'help' ? (rest[0] ?? '') : first;
  if (!wantsHelp || named === '' || named.startsWith('-') || table.some(({ name }) => name === named)) return;
  const near = commandNear(named, table);
  const hint = foreignHint([named]) ?? (near === null ? ['run: ', cliCommand('', '--help')] : `did you mean ${near}?`);
  throw new HubError('invalid_params', `unknown command '${named}'`, { hint });
}

function commandNear(word: string, table: readonly (Command | CommandGroup)[]): string | null {
  const names = table.map(({ name }) => name);
  return nearest(word, names);
}

function argumentWord(argument: Argument): string {
  const word = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${word}>` : `[${word}]`;
}

type OnParsed = (parsed: ParsedLine) => void;

function groupParser(group: CommandGroup, make: (name: string) => Parser, onParsed: OnParsed): Parser {
  const parser = make(group.name)
    .summary(group.summary)
    .description(describe(group))
    .helpCommand('help [command]', HELP_SUMMARY);
  for (const command of group.commands) parser.addCommand(commandParser(command, make, onParsed));
  return parser;
}

function commandParser(command: Command, make: (name: string) => Parser, onParsed: OnParsed): Parser {
  const parser = make(command.name).summary(command.summary).description(describe(command)).allowExcessArguments(false);
  for (const { name, required, description } of command.arguments) {
    const word = command.variadic && name === command.arguments.at(-1)?.name ? `${name}...` : name;
    parser.argument(required ? `<${word}>` : `[${word}]`, description);
  }
  for (const { name, short, description } of command.flags) {
    parser.option(`${short === null ? '' : `-${short}, `}--${name}`, description);
  }
  for (const { name, short, value, choices, description } of command.values) {
    const option = parser.createOption(`${short === undefined ? '' : `-${short}, `}--${name} <${value}>`, description);
    parser.addOption(choices === null ? option : option.choices(choices));
  }
  parser.addHelpText('after', examplesText(command));
  return parser.action(() => {
    const options: Record<string, unknown> = parser.optsWithGlobals();
    const color = options.color;
    onParsed({
      kind: 'run',
      command,
      input: inputOf(command, parser.args, options),
      json: options.json === true,
      color: typeof color === 'string' ? color : undefined,
    });
  });
}

function inputOf(
  command: Command,
  words: readonly string[],
  options: Record<string, unknown>,
): Input<string, string, string> {
  const argument = (name: string): string | undefined =>
    words[command.arguments.findIndex((candidate) => candidate.name === name)];
  return {
    argument,
    required: (name) => {
      const word = argument(name);
      if (word === undefined) throw new HubError('invalid_params', `<${name}> is missing`);
      return word;
    },
    rest: () => words,
    // The parser takes `--no-net` as the absence of `--net`.
    flag: (name) =>
      name.startsWith('no-') ? options[optionKey(name.slice(3))] === false : options[optionKey(name)] === true,
    value: (name) => {
      const value = options[optionKey(name)];
      return typeof value === 'string' ? value : undefined;
    },
  };
}

/** The parser keeps `dry-run` as dryRun. */
function optionKey(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function describe(entry: { summary: string; details: string }): string {
  return entry.details === '' ? entry.summary : `${entry.summary}\n\n${entry.details}`;
}

function examplesText(command: Command): string {
  const lines = command.examples.map(({ line, does }) => `  ${line}\n      ${does}`);
  return lines.length === 0 ? '' : `\n${EXAMPLES_HEADING}\n${lines.join('\n')}`;
}

function isCommanderError(error: unknown): error is CommanderError {
  return errnoOf(error)?.startsWith('commander.') === true;
}

/** The only option that begins with the letter of an unknown one, which others have. */
function optionBeginning(message: string, entry: Command | CommandGroup): string | null {
  const [, letter] = /^unknown option '-([a-z])'$/.exec(message) ?? [];
  if (letter === undefined || !('flags' in entry)) return null;
  const [first, second] = [...entry.flags, ...entry.values].filter(({ name }) => name.startsWith(letter));
  return first === undefined || second !== undefined ? null : `--${first.name}`;
}

function usageError(
  error: CommanderError,
  words: readonly string[],
  table: readonly (Command | CommandGroup)[],
): HubError {
  const [firstLine = '', ...rest] = error.message.split('\n');
  const message = firstLine.replace(/^error: /, '');
  const entry = table.find(({ name }) => name === words[0]);
  const guess = /Did you mean (?:one of )?(.*?)\?/.exec(rest.join(' '))?.[1];
  const hints: Record<string, string> = {
    'commander.excessArguments': 'put quotes around a message or name of several words',
    'commander.unknownOption': 'put a command or message in quotes; a word that begins with a dash stands after --',
  };
  const help: Hint = ['run: ', cliCommand(entry?.name ?? '', '--help')];
  const near = guess ?? (entry === undefined ? commandNear(words[0] ?? '', table) : optionBeginning(message, entry));
  const foreign = entry === undefined ? foreignHint(words) : null;
  const hint = foreign ?? (near === null ? (hints[error.code] ?? help) : `did you mean ${near}?`);
  return new HubError('invalid_params', message, { hint, cause: error });
}
