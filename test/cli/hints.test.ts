import ts from 'typescript';
import { expect, test } from 'vitest';
import type { Command, CommandGroup } from '../../cli/command_line/command.js';
import { COMMANDS } from '../../cli/command_table.js';
import { askCommand } from '../../cli/commands/ask.js';
import { compactCommand } from '../../cli/commands/compact.js';
import { nameFor } from '../../cli/hint_names.js';
import { REPL_COMMANDS } from '../../cli/repl/commands/chat_command_table.js';
import { nameInChat } from '../../cli/repl/conversation/hint_in_chat.js';
import { cliCommand, cliOption, hintText, rpcMethod } from '../../hub/base/hint.js';
import { METHODS } from '../../hub/protocol/methods/method_table.js';
import { parsed, repositoryFiles, type SourceFile } from '../tidy/sources.js';

/** What the chat has no command for: its hints name the command of the shell. */
const IN_A_SHELL = [
  ...[
    'add',
    'agents',
    'answer',
    'attach',
    'backup',
    'chat',
    'completion',
    'config get',
    'config list',
    'config set',
    'delete',
    'demo',
    'doctor',
    'exec',
    'files copies',
    'files restore',
    'fsck',
    'group',
    'pick',
    'push',
    'race',
    'remote add',
    'remote list',
    'remote doctor',
    'remote init',
    'share',
    'sync',
    'tools',
    'unshare',
    'web',
    'work',
    'workers',
  ],
  // Said only where the command line is used.
  ...['ask', 'consult', 'output'],
  ...['hub logs', 'hub start', 'hub status', 'hub stop', 'purge', 'restore', 'spawn', ''],
];
/** Options of the whole program, which each command takes. */
const GLOBAL = ['help', 'json', 'version'];

const sources = parsed(repositoryFiles()).filter(({ path }) => /^(cli|hub|loom|tools)\//.test(path));
const commands = calls('cliCommand').map(({ at, words: [command = '', ...rest] }) => ({ at, command, rest }));

test('every command that a hint names is one of the command line, with its arguments', () => {
  expect(commands.length).toBeGreaterThan(60);
  expect(
    commands.flatMap(({ at, command, rest }) => problemsOf(command, rest).map((word) => `${at}: ${word}`)),
  ).toEqual([]);
});

test('the chat has every command that a hint names, or says which one of the shell it is', () => {
  const unknown = commands.filter(({ command, rest }) => {
    const name = nameInChat(cliCommand(command, ...rest));
    if (name === 'just type it') return false;
    return name.startsWith('cognition') ? !IN_A_SHELL.includes(command) : !isOfChat(name);
  });
  expect(unknown).toEqual([]);
});

test('an option that the command lacks is named with one that has it', () => {
  const [ask, compact] = [askCommand, compactCommand];
  const named = [ask, compact].map((command) => nameFor(command, cliOption('here', '')));
  expect(named).toEqual(['--here', 'cognition chat --here']);
  expect(nameFor(compact, cliOption('model', 'demo'))).toBe('--model demo');
});

test('every option and every method that a hint names exists', () => {
  const options = new Set(
    COMMANDS.flatMap(commandsOf).flatMap(({ flags, values }) => [...flags, ...values].map(({ name }) => name)),
  );
  const methods = calls('rpcMethod').filter(({ words: [name = ''] }) => !(name in METHODS));
  expect(calls('cliOption').filter(({ words: [name = ''] }) => !options.has(name))).toEqual([]);
  expect(methods).toEqual([]);
});

test('no hint outside the chat names a command or a method in prose', () => {
  const prose = sources.filter(({ path }) => !path.startsWith('cli/repl/')).flatMap(proseOfHints);
  expect(
    prose.filter((text) => /\bcognition (?!again|runs)[a-z]|\b(loom|agent|bash|file|rpc)\.[a-z]/.test(text)),
  ).toEqual([]);
});

test('a hint is worded for the command line, and otherwise for the chat', () => {
  const hint = ['see them with: ', cliCommand('show', 'a1b2c3d4', '--ids'), ', or ', cliOption('model', 'demo')];
  expect(hintText(hint)).toBe('see them with: cognition show a1b2c3d4 --ids, or --model demo');
  expect(hintText(hint, nameInChat)).toBe('see them with: /tree --ids, or /model demo');
  expect(hintText(['list them: ', rpcMethod('loom.input_list')])).toBe('list them: loom.input_list');
});

/** The calls of one function, with what they are given; what is not written out is a word in angle brackets. */
function calls(name: string): { at: string; words: string[] }[] {
  return sources.flatMap(({ path, syntax: file }) => {
    const found: { at: string; words: string[] }[] = [];
    visit(file, (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText(file) !== name) return;
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      const words = node.arguments.map((word) => (ts.isStringLiteralLike(word) ? word.text : '<word>'));
      // The usage errors of args.ts name the command that they are about.
      if (words[0] !== '<word>') found.push({ at: `${path}:${line}`, words });
    });
    return found;
  });
}

function proseOfHints({ path, syntax: file }: SourceFile): string[] {
  const texts: string[] = [];
  visit(file, (node) => {
    if (!ts.isPropertyAssignment(node) || node.name.getText(file) !== 'hint') return;
    visit(node.initializer, (inner) => {
      const isArgument = ts.isCallExpression(inner.parent) && inner.parent.arguments.some((one) => one === inner);
      if (isArgument) return;
      if (ts.isStringLiteralLike(inner)) texts.push(`${path}: ${inner.text}`);
      if (ts.isTemplateExpression(inner)) texts.push(`${path}: ${inner.getText(file)}`);
    });
  });
  return texts;
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

function commandsOf(entry: Command | CommandGroup): readonly Command[] {
  return entry.kind === 'group' ? entry.commands : [entry];
}

function problemsOf(command: string, rest: readonly string[]): string[] {
  const [name = '', inGroup] = command.split(' ');
  const entry = COMMANDS.find((one) => one.name === name);
  const known = entry?.kind === 'group' ? entry.commands.find((one) => one.name === inGroup) : entry;
  if (known === undefined) return command === '' ? [] : [`there is no command ${command}`];
  const { flags, values, arguments: positional, variadic } = known;
  const problems: string[] = [];
  let count = 0;
  for (let at = 0; at < rest.length; at += 1) {
    const option = /^--(.+)/.exec(rest[at] ?? '')?.[1];
    if (option === undefined) count += 1;
    else if (values.some((value) => value.name === option)) at += 1;
    else if (!flags.some((flag) => flag.name === option) && !GLOBAL.includes(option)) {
      problems.push(`${command} has no --${option}`);
    }
  }
  if (count > positional.length && !variadic) problems.push(`${command} takes no ${count} words`);
  return problems;
}

/** Whether each command of the chat that these words name takes what they give it. */
function isOfChat(words: string): boolean {
  return words.split(/, (?:then|or \w+ \w+ \w+ with) /).every((one) => {
    const [name = '', ...rest] = one.slice(1).split(' ');
    const usage = REPL_COMMANDS.find((command) => command.name === name)?.usage;
    return usage !== undefined && rest.every((word) => usage.includes(word.startsWith('--') ? word : ''));
  });
}
