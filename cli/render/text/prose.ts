import type { Look } from '../look/look.js';
import { wrapWords } from './wrap_words.js';

type Page = Pick<Look, 'width' | 'ruler'>;

/** The rows of a line of prose. A column is left free: some terminals wrap a row that is full. */
export function proseRows(line: string, { width, ruler }: Page): string[] {
  return wrapWords(line, Math.max(1, width - 1), ruler).map(({ text }) => text);
}

/** A text with line breaks between its words. */
export function inWords(text: string, page: Page): string {
  return text
    .split('\n')
    .flatMap((line) => proseRows(line, page))
    .join('\n');
}
