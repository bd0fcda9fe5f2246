import { HIDDEN_SIGN } from '../render/text/invisible.js';

// Besides what JSON escapes anyway: DEL and C1, which terminals act on, line ends of Unicode, and whatever is not seen or reorders.
const ESCAPED = new RegExp(`[\\x7f-\\x9f\\u2028\\u2029]|${HIDDEN_SIGN.source}`, 'gu');

/**
 * A value as JSON that can be printed anywhere. The same bytes go into a pipe: what comes out of one is often shown on a terminal, and
 * what one has seen is what a program gets.
 */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(ESCAPED, escaped);
}

function escaped(sign: string): string {
  return Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );
}
