// A large paste stands in the text as one unit of UTF-16 that no real text holds: half of a surrogate pair.
const FIRST = 0xdc00;

/** More pastes in one message than this are inserted as they are. */
export const TOKENS_MAX = 1_024;

const LINES_SHOWN_MAX = 5;
const LENGTH_SHOWN_MAX = 500;
const TOKENS = /[\udc00-\udfff]/gu;

/** Whether a paste is so large that it is shown as one token. */
export function isLarge(text: string): boolean {
  return text.length > LENGTH_SHOWN_MAX || lineCount(text) > LINES_SHOWN_MAX;
}

const GIVEN_LINES_MAX = 40;
const GIVEN_LENGTH_MAX = 4_000;

/** Whether a text that is put before a person to be changed is too large to be shown whole. */
export function isHuge(text: string): boolean {
  return text.length > GIVEN_LENGTH_MAX || lineCount(text) > GIVEN_LINES_MAX;
}

// Drawing longer lines would take longer than a key may.
const LINE_LENGTH_MAX = 5_000;

/** Whether a line is too long to edit. */
export function hasLongLine(text: string): boolean {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    if ((end < 0 ? text.length : end) - start > LINE_LENGTH_MAX) return true;
    if (end < 0) return false;
    start = end + 1;
  }
  return false;
}

/** The token of the paste with this index. */
export function tokenOf(index: number): string {
  return String.fromCharCode(FIRST + index);
}

/** Whether there is a token at an offset. */
export function isToken(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) >= FIRST && isLow(text.charCodeAt(at)) && !isHigh(text.charCodeAt(at - 1));
}

/** The label that a token is drawn with. */
export function tokenLabel(paste: string): string {
  const lines = lineCount(paste);
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${paste.length} characters]`;
}

/** Replaces the tokens by their pastes. */
export function expanded(text: string, pastes: readonly string[]): string {
  return text.replace(TOKENS, (token) => pastes[indexOf(token)] ?? '');
}

/** Text and pastes in their order. */
export function partsOf(text: string, pastes: readonly string[]): (string | { paste: string })[] {
  const parts: (string | { paste: string })[] = [];
  let at = 0;
  for (const { index, 0: token } of text.matchAll(TOKENS)) {
    if (index > at) parts.push(text.slice(at, index));
    parts.push({ paste: pastes[indexOf(token)] ?? '' });
    at = index + 1;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

function indexOf(token: string): number {
  return token.charCodeAt(0) - FIRST;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
