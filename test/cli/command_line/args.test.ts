import { expect, test } from 'vitest';
import { parse } from '../../../cli/command_line/args.js';
import { COMMANDS } from '../../../cli/command_table.js';
import { HubError } from '../../../hub/base/error.js';
import { hintText } from '../../../hub/base/hint.js';

const parsed = (...words: string[]) => parse(words, COMMANDS, 80);

async function refusal(...words: string[]) {
  const error: unknown = await parsed(...words).catch((reason: unknown) => reason);
  if (!(error instanceof HubError)) throw new Error('it was not refused');
  return { kind: error.kind, message: error.message, hint: hintText(error.hint ?? '') };
}

test('arguments, options and flags reach the command by their names', async () => {
  const line = await parsed('show', 'notes', '--nested', '--at', 'root', '--json', '--color', 'never');
  if (line.kind !== 'run') throw new Error('it is a command');
  const { command, input, json, color } = line;
  expect({
    ...{ name: command.name, tree: input.argument('tree'), at: input.value('at'), json, color },
    ...{ nested: input.flag('nested'), all: input.flag('all') },
  }).toEqual({ name: 'show', tree: 'notes', at: 'root', json: true, color: 'never', nested: true, all: false });
});

test('the options of every command may stand before it', async () => {
  expect(await parsed('--json', 'hub', 'status')).toMatchObject({
    kind: 'run',
    json: true,
    command: { name: 'status' },
  });
});

test('after two dashes nothing is an option', async () => {
  const line = await parsed('add', '--', '@', '--nested');
  expect(line.kind === 'run' && line.input.argument('message')).toBe('--nested');
});

test.each([
  [['shwo'], "unknown command 'shwo'", 'did you mean show?'],
  [['help', 'shwo'], "unknown command 'shwo'", 'did you mean show?'],
  [['shwo', '--help'], "unknown command 'shwo'", 'did you mean show?'],
  [['help', 'zzzzzz'], "unknown command 'zzzzzz'", 'run: cognition --help'],
  [['show', '--nestd'], "unknown option '--nestd'", 'did you mean --nested?'],
  [['hub', 'stats'], "unknown command 'stats'", 'did you mean status?'],
  [['zzzzzz'], "unknown command 'zzzzzz'", 'run: cognition --help'],
  [
    ['resume'],
    "unknown command 'resume'",
    'go on in the current conversation: cognition chat @; the others: cognition list',
  ],
  [['-c'], "unknown option '-c'", 'go on in the current conversation: cognition chat @; the others: cognition list'],
  [
    ['what is this?'],
    "unknown command 'what is this?'",
    'one question, one answer: cognition ask "what is this?"; to talk: cognition chat',
  ],
  [['back'], "unknown command 'back'", 'that is a command of a conversation: /help in `cognition chat` lists them'],
  [['constructor'], "unknown command 'constructor'", 'run: cognition --help'],
  [
    ['show', '--zzzzzz'],
    "unknown option '--zzzzzz'",
    'put a command or message in quotes; a word that begins with a dash stands after --',
  ],
  [['export', '-o', 'a.md'], "unknown option '-o'", 'did you mean --output?'],
  [['use'], "missing required argument 'tree'", 'run: cognition use --help'],
  [
    ['add', '@', 'two', 'words'],
    "too many arguments for 'add'. Expected 2 arguments but got 3.",
    'put quotes around a message or name of several words',
  ],
  [['show', '--at'], "option '--at <node>' argument missing", 'run: cognition show --help'],
])('%j is refused with what may have been meant', async (words, message, hint) => {
  expect(await refusal(...words)).toEqual({ kind: 'invalid_params', message, hint });
});

test('a value that is none of the choices is refused', async () => {
  expect((await refusal('export', '@', '--format', 'pdf')).message).toContain('text, markdown, html, json, jsonl');
  expect((await refusal('list', '--color', 'sometimes')).message).toContain('auto, always, never');
});

test('every command has help with examples that it understands', async () => {
  const commands = COMMANDS.flatMap((entry) =>
    entry.kind === 'command'
      ? [[entry.name, entry] as const]
      : entry.commands.map((one) => [`${entry.name} ${one.name}`, one] as const),
  );
  for (const [name, command] of commands) {
    const help = await parsed(...name.split(' '), '--help');
    expect(help.kind === 'help' && help.text).toContain(`Usage: cognition ${name}`);
    expect(command.examples.length, name).toBeGreaterThan(0);
    expect(
      command.examples.every(({ line }) => line.includes('cognition ')),
      name,
    ).toBe(true);
  }
});

test('without a command the help lists all of them', async () => {
  const help = await parsed();
  const text = help.kind === 'help' ? help.text : '';
  for (const { name } of COMMANDS) expect(text).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
});

test.each([[[]], [['ask', '--help']], [['hub', '--help']]])('the help of %j fits into 80 columns', async (words) => {
  const help = await parsed(...words);
  if (help.kind !== 'help') throw new Error('it is help');
  expect(help.text.split('\n').filter((line) => line.length > 80 && !line.startsWith('  cognition '))).toEqual([]);
});
