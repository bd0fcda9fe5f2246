import { HubError } from '../../../hub/base/error.js';
import { nearest } from '../../../hub/base/nearest_word.js';
import type { Look } from '../../render/look/look.js';
import { type Definition, definitions } from '../../render/text/definitions.js';
import { wrapWords } from '../../render/text/wrap_words.js';
import { showLong } from '../cli_commands/page_long.js';
import type { Repl, ReplCommand } from '../repl.js';
import { LINE_KEYS, WRITING_KEYS } from './key_words.js';
import { hintElsewhere, nameHere } from './other_programs_commands.js';

/** A section of the help. */
export interface CommandSection {
  title: string;
  commands: readonly ReplCommand[];
}

const BESIDE: readonly Definition[] = [
  ['!command', 'run it in bash; a model is shown what it prints'],
  ['!!command', 'run it without showing it to the model'],
  ['@file', 'name a file in a message; Tab completes it'],
];

const INDENT = '  ';
/** Longer ones would leave too little room beside them. */
const CALLED_COLUMNS_MAX = 16;
const MORE = 'What may follow a command: /help <command>\nThe keys: /help keys\n';
/** Under a list that tells no more than their names. */
const ON_SCREEN: readonly Definition[] = [
  ['/help all', 'what each of them does'],
  ['/help fork', 'what one does, and what may follow it'],
  ['/help keys', 'the keys for writing; those for reading: Esc, then Space ?'],
];

export function helpCommand(all: () => readonly CommandSection[]): ReplCommand {
  return {
    name: 'help',
    usage: '[command | all | keys]',
    summary: 'list the commands, tell what one or all of them do, or list the keys',
    completes: 'command',
    async run(argument, repl) {
      const text = await textFor(argument, all(), repl);
      await showLong(repl.front, text);
    },
  };
}

async function textFor(argument: string, sections: readonly CommandSection[], repl: Repl): Promise<string> {
  const look = await repl.context.look([]);
  const isOnScreen = repl.front.attended && !repl.front.isAppendOnly;
  switch (argument.toLowerCase()) {
    case '':
      return isOnScreen ? namesText(sections, look) : allText(sections, look);
    case 'all':
      return allText(sections, look);
    case 'keys':
      return definitions(keysOn(repl), look);
  }
  return oneText(commandNamed(argument, sections), repl);
}

/** Without a screen the terminal edits its lines itself, and has most keys. */
function keysOn({ front }: Repl): readonly Definition[] {
  return front.attended && front.isAppendOnly ? LINE_KEYS : WRITING_KEYS;
}

function commandNamed(argument: string, sections: readonly CommandSection[]): ReplCommand {
  const name = argument.replace(/^\//, '').toLowerCase();
  const commands = sections.flatMap((section) => section.commands);
  const found = commands.find((command) => command.name === nameHere(name));
  if (found !== undefined) return found;
  const near = nearest(
    name,
    commands.map((command) => command.name),
  );
  throw new HubError('invalid_params', `there is no command ${JSON.stringify(argument)}`, {
    hint: hintElsewhere(name) ?? (near === null ? '/help alone lists them' : `did you mean /help ${near}?`),
  });
}

/** The names alone, which fit on a screen. */
function namesText(sections: readonly CommandSection[], look: Look): string {
  const names = sections.map(
    ({ title, commands }): Definition => [title, commands.map(({ name }) => `/${name}`).join(' ')],
  );
  const more = [...BESIDE, ...ON_SCREEN];
  // One column for all, so that it reads as one list.
  const columns = Math.max(...[...names, ...more].map(([term]) => term.length));
  const aligned = (list: readonly Definition[]) =>
    list.map(([term, meaning]): Definition => [term.padEnd(columns), meaning]);
  return `${definitions(aligned(names), look)}\n${definitions(aligned(more), look)}`;
}

function allText(sections: readonly CommandSection[], look: Look): string {
  const parts = sections.map(({ title, commands }) => ({ title, list: commands.map(shortly) }));
  const listed = [...parts, { title: 'Beside commands', list: BESIDE }];
  // One column for all, so that it reads as one list.
  const columns = Math.max(...listed.flatMap(({ list }) => list.map(([term]) => term.length)));
  const blocks = listed.map(({ title, list }) => {
    const aligned = list.map(([term, meaning]): Definition => [term.padEnd(columns), meaning]);
    return `${look.style.quiet(title)}\n${definitions(aligned, look)}`;
  });
  return `${blocks.join('\n')}\n${MORE}`;
}

/** A command in a list of all: what may follow it only where that is short. */
function shortly(command: ReplCommand): Definition {
  const [called, summary] = definitionOf(command);
  return [called.length <= CALLED_COLUMNS_MAX ? called : `/${command.name} …`, summary];
}

async function oneText(command: ReplCommand, { context }: Repl): Promise<string> {
  const look = await context.look([]);
  const details = (await command.details?.()) ?? [];
  const [called, summary] = definitionOf(command);
  const narrower = { ...look, width: look.width - INDENT.length };
  const body = [
    ...wrapWords(summary, narrower.width, look.ruler).map(({ text }) => `${text}\n`),
    definitions(details, narrower),
  ].join('');
  return `${called}\n${body.replace(/^(?=.)/gm, INDENT)}`;
}

function definitionOf({ name, usage, summary }: ReplCommand): Definition {
  return [`/${name} ${usage}`.trimEnd(), summary];
}
