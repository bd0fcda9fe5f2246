import { nearest } from '../../../hub/base/nearest_word.js';

/** The meaning of a line after `:`: a line of the REPL, the plan in an editor, or an error. */
export type ColonCommand = { kind: 'line'; line: string } | { kind: 'edit_plan' } | { kind: 'unknown'; word: string };

const SHORT: Readonly<Record<string, string>> = { exec: 'execute', q: 'quit', h: 'help' };

/** Parses a line with the table of `/` commands and a few shorter names. */
export function colonCommand(text: string, names: readonly string[]): ColonCommand {
  if (text.startsWith('!')) return { kind: 'line', line: text };
  const [word = '', ...rest] = text.replace(/^\//, '').split(' ');
  const name = SHORT[word] ?? word.toLowerCase();
  if (name === 'edit-plan') return { kind: 'edit_plan' };
  if (names.includes(name)) return { kind: 'line', line: `/${[name, ...rest].join(' ')}` };
  const near = names.find((one) => one.startsWith(name)) ?? nearest(name, names);
  const hint = near === null ? 'list them with :help' : `did you mean :${near}?`;
  return { kind: 'unknown', word: `There is no command :${word}; ${hint}` };
}
