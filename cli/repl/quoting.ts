import { HubError } from '../../hub/error.js';

const WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))(\s|$)?/gsuy;

/** Splits what follows a command into words; quotes keep blanks together. */
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
