import type { Context } from './command_context.js';

export interface Argument<Name extends string> {
  name: Name;
  required: boolean;
  description: string;
  /** What the shell completes here. */
  completes: 'tree' | 'node' | 'mark' | 'file' | 'shell' | 'preference' | 'attachment' | null;
}

/** An option without a value. */
export interface Flag<Name extends string> {
  name: Name;
  short: string | null;
  description: string;
}

/** An option with a value. */
export interface Valued<Name extends string> {
  name: Name;
  short?: string;
  /** What the value is, as the help shows it. */
  value: string;
  choices: readonly string[] | null;
  description: string;
}

export interface Example {
  line: string;
  does: string;
}

/** The parsed words of a command, by the names that it declares. */
export interface Input<A extends string, F extends string, V extends string> {
  argument(name: A): string | undefined;
  /** An argument that is declared as required. */
  required(name: A): string;
  flag(name: F): boolean;
  /** All words that are not options, for a command that takes any number of them. */
  rest(): readonly string[];
  value(name: V): string | undefined;
}

/** One command: parser, help, completion and man page all come from it. */
export interface Command<A extends string = string, F extends string = string, V extends string = string> {
  kind: 'command';
  name: string;
  summary: string;
  /** More than the summary says; may be empty. */
  details: string;
  arguments: readonly Argument<A>[];
  /** Whether the last argument may be several words. */
  variadic: boolean;
  /** Whether words after the first argument are its input, options and all; its own options stand before. */
  passes: boolean;
  flags: readonly Flag<F>[];
  values: readonly Valued<V>[];
  examples: readonly Example[];
  /** Whether long output goes through the pager. */
  paged: boolean;
  /** Resolves to the exit code. */
  run(input: Input<A, F, V>, context: Context): Promise<number>;
}

/** Commands under one word, such as `hub start`. */
export interface CommandGroup {
  kind: 'group';
  name: string;
  summary: string;
  details: string;
  commands: readonly Command[];
  /** The words that the group alone stands for; its help without them. */
  alone?: readonly string[];
}

type CommandSpec<A extends string, F extends string, V extends string> = Pick<
  Command<A, F, V>,
  'name' | 'summary' | 'examples' | 'run'
> &
  Partial<Command<A, F, V>>;

/** Declares a command; fields that most commands leave empty have defaults. */
export function command<A extends string, F extends string, V extends string>(spec: CommandSpec<A, F, V>): Command {
  return {
    kind: 'command',
    details: '',
    arguments: [],
    flags: [],
    values: [],
    variadic: false,
    passes: false,
    paged: false,
    ...spec,
  };
}

/** The argument that most commands begin with. */
export const TREE = {
  name: 'tree',
  required: true,
  description: '`@` (the current one), an id, a name, or 4 or more digits of an id',
  completes: 'tree',
} as const;

/** The same as an optional argument. */
export const CURRENT_TREE = {
  ...TREE,
  required: false,
  description: `${TREE.description}; the current one when left out`,
};

/** The values of --color, an option of every command. */
export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;

export const NODE_WORDS = '`@` (where you stand), `root`, an id, a mark, or 4 or more digits of an id';
