import { preferenceKeys } from '../../hub/config/config.js';
import { type Argument, COLOR_CHOICES, type Command, type CommandGroup } from '../command_line/command.js';
import { SHELLS } from './completion_scripts.js';

type Completes = Argument<string>['completes'];

/** The completions of one word of a command line: fixed words, and perhaps what only the hub or the disk knows. */
export type Candidates =
  | { words: readonly string[]; more: 'trees' | 'files' | 'models' | null }
  /** Of the conversation that the line names. */
  | { words: readonly string[]; more: 'nodes' | 'marks'; tree: string };

/** Finds the completions of the last word, which is being typed. */
export function candidatesFor(words: readonly string[], table: readonly (Command | CommandGroup)[]): Candidates {
  const done = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const [first, ...rest] = done;
  if (first === undefined) return { words: [...table.map(({ name }) => name), '--help', '--version'], more: null };
  const entry = table.find(({ name }) => name === first);
  if (entry === undefined) return { words: [], more: null };
  if (entry.kind === 'command') return forCommand(entry, rest, typed);
  const [second, ...others] = rest;
  if (second === undefined) return { words: entry.commands.map(({ name }) => name), more: null };
  const command = entry.commands.find(({ name }) => name === second);
  return command === undefined ? { words: [], more: null } : forCommand(command, others, typed);
}

function forCommand(command: Command, done: readonly string[], typed: string): Candidates {
  const [named] = /^--[^=]+(?==)/.exec(typed) ?? [];
  if (named !== undefined) {
    const found = forCommand(command, [...done, named], '');
    return { ...found, words: found.words.map((word) => `${named}=${word}`) };
  }
  const before = command.values.find((value) => isNamed(value, done.at(-1)));
  if (done.at(-1) === '--color') return { words: COLOR_CHOICES, more: null };
  const words = done.filter((word, index) => !isOption(command, word, done[index - 1]));
  const tree = words[command.arguments.findIndex(({ completes }) => completes === 'tree')] ?? '@';
  if (before !== undefined) return forValue(before, tree);
  if (typed.startsWith('-')) return { words: optionsOf(command), more: null };
  return forArgument(command.arguments[words.length]?.completes ?? null, tree);
}

function forValue({ name, value, choices }: Command['values'][number], tree: string): Candidates {
  if (choices !== null) return { words: choices, more: null };
  if (value === 'node') return { words: NODE_NAMES, more: 'nodes', tree };
  if (name === 'model' || name === 'fallback') return { words: [], more: 'models' };
  if (name === 'tree' || name === 'parent-session') return { words: ['@'], more: 'trees' };
  return { words: [], more: name === 'output' || name === 'rescue' ? 'files' : null };
}

const NODE_NAMES = ['@', 'root'];

function forArgument(completes: Completes, tree: string): Candidates {
  switch (completes) {
    case 'node':
      return { words: NODE_NAMES, more: 'nodes', tree };
    case 'mark':
      return { words: [], more: 'marks', tree };
    case 'tree':
      return { words: ['@'], more: 'trees' };
    case 'file':
      return { words: [], more: 'files' };
    case 'shell':
      return { words: SHELLS, more: null };
    case 'preference':
      return { words: preferenceKeys(), more: null };
    case 'attachment':
      return { words: ['file:', 'http://', 'https://', 'postgres:'], more: null };
    case null:
      return { words: [], more: null };
  }
}

function optionsOf(command: Command): string[] {
  return [...command.flags, ...command.values].map(({ name }) => `--${name}`).concat('--json', '--color', '--help');
}

/** Whether a word is an option, or the value of the one before it. */
function isOption(command: Command, word: string, before: string | undefined): boolean {
  return word.startsWith('-') || before === '--color' || command.values.some((value) => isNamed(value, before));
}

function isNamed({ name, short }: Command['values'][number], word: string | undefined): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`);
}
