import { HubError } from '../../../hub/base/error.js';

const WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))(\s|$)?/gsuy;

/** A name, without the quotes around it. */
export function nameIn(text: string): string {
  const [name, other] = /^(["']).*\1$/su.test(text) ? wordsOf(text) : [];
  return name !== undefined && other === undefined ? name : text;
}

/** Splits the argument of a command into words, as a shell does: quotes keep blanks. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  const trimmed = text.trim();
  let isJoined = false;
  for (WORD.lastIndex = 0; WORD.lastIndex < trimmed.length; ) {
    const found = WORD.exec(trimmed);
    if (found === null) {
      throw new HubError('invalid_params', 'a quote is not closed', {
        hint: 'put a backslash before a quote that is meant as such',
      });
    }
    const [, double, single, bare, end] = found;
    const word = single ?? (double ?? bare ?? '').replace(/\\(.)/gsu, '$1');
    if (isJoined) words.push(`${words.pop() ?? ''}${word}`);
    else words.push(word);
    isJoined = end === undefined;
  }
  return words;
}

/** Whether the argument is the one flag that a command takes; any other argument is refused. */
export function hasFlag(argument: string, flag: string, { name, usage }: { name: string; usage: string }): boolean {
  if (argument !== '' && argument !== flag) {
    throw new HubError('invalid_params', `/${name} takes ${flag} or nothing, not ${JSON.stringify(argument)}`, {
      hint: `/${name} ${usage}`,
    });
  }
  return argument === flag;
}
